"""The measurement of a query before and after the levers: real Spark in processes of its own."""

import pytest

import grader
from grader.latency.latency_chart import Percentiles
from grader.latency.lever_comparison import beside_the_article

BEFORE = Percentiles("default", 400, 800, 1000, 4000)


def test_the_reductions_stand_beside_those_of_the_article() -> None:
    after = Percentiles("tuned", 100, 200, 500, 4000)
    lines = beside_the_article("aggregation", [BEFORE, after]).splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["less", "by", "here", "article"],
        ["p95", "75", "%", "76", "%"],
        ["p99", "50", "%", "87", "%"],
    ]


def test_what_became_slower_is_said_as_it_is() -> None:
    after = Percentiles("tuned", 400, 880, 1000, 4000)
    assert "p95        -10 %" in beside_the_article("join", [BEFORE, after])


def test_an_unknown_query_names_those_that_there_are() -> None:
    with pytest.raises(ValueError, match="aggregation, join, duplicates, state"):
        grader.measure_latency("windows")


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_both_runs_are_measured_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    default, levers = grader.measure_latency("duplicates", rate=50, warm_up=4, seconds=4)
    assert (default.name, levers.name) == ("default", "tuned")
    assert default.count == pytest.approx(levers.count, rel=0.2)
    assert "tuned against default" in capsys.readouterr().out
