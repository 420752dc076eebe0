"""Percentiles of latencies: how exact the sketch is, and what is kept apart."""

import random

import pytest

from grader.latency.latency_chart import Percentiles, draw, latency_text, reduction
from grader.latency.latency_sketch import Latencies


def test_percentiles_are_those_of_all_values() -> None:
    given = [random.Random(n).lognormvariate(5, 1) for n in range(20_000)]
    found, ordered = Latencies(given), sorted(given)
    for percent, ranks in ((50, 0.01), (95, 0.003), (99, 0.001)):
        low, high = (ordered[int(len(ordered) * (percent / 100 + off))] for off in (-ranks, ranks))
        assert low <= found.at(percent) <= high
    assert found.count == len(given)


def test_of_a_few_values_a_percentile_is_the_smallest_that_so_many_do_not_exceed() -> None:
    assert [Latencies(range(1, n + 1)).at(50) for n in (1, 2, 6, 12)] == [1, 1, 3, 6]
    assert Latencies(range(1, 21)).at(95) == 19


def test_a_negative_latency_is_counted_and_is_in_no_percentile() -> None:
    found = Latencies([-5, 10, 10, 10])
    assert (found.count, found.negative, found.at(50)) == (3, 1, 10)


def test_no_record_has_no_percentile() -> None:
    with pytest.raises(ValueError, match="clock is behind this machine's"):
        Latencies([-1]).at(50)


def test_what_is_said_of_two_runs() -> None:
    default = Percentiles("default", 8000, 15000, 16000, 1000)
    tuned = Percentiles("tuned", 400, 750, 4000, 900, negative=2)
    text = latency_text([default, tuned])
    assert "default: p50 8 s, p95 15 s, p99 16 s, of 1,000 records" in text
    assert "tuned against default, less by: p50 95 %, p95 95 %, p99 75 %" in text
    assert "2 before they were made" in text
    assert reduction(10, 15) == pytest.approx(-50)


def test_a_mark_stands_further_right_the_longer_the_latency() -> None:
    picture = draw([Percentiles("default", 10, 100, 1000, 5)], alone=True)
    discs = [float(part.split('"')[0]) for part in picture.split('class="p50" cx="')[1:]]
    squares = [float(part.split('"')[0]) for part in picture.split('class="p95" x="')[1:]]
    assert discs[-1] < squares[-1]  # the first of each is the legend's
    assert "default: p50 10 ms" in picture
