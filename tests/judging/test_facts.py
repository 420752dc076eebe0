"""Facts beyond rows can fail, each of them, and say what they found."""

import pytest
from tasks import task

from grader.judging.facts import judge_fact
from grader.judging.play import Play
from grader.judging.wording.criterion_text import criterion_text
from grader.scenario import Exercise, ExerciseError, Fact, Scenario, Variant
from grader.scenario.recording import Batch, Operator, Recording

RECORDING = Recording(
    "1.1",
    steps=2,
    batches=[
        Batch(
            0,
            1,
            rows_in=10,
            operators=[
                Operator("count", metrics={"puts": 4}),
                Operator("count", metrics={"puts": 2}),
            ],
        ),
        Batch(1, 1, rows_in=0, operators=[Operator("count", metrics={"puts": 9})]),
        Batch(
            2,
            2,
            rows_in=30,
            watermark="2026-03-01T12:00:05.000Z",
            rows=[
                {"page": "home", "clicks": 2, "window": {"start": "2026-03-01T12:00:00.000Z"}},
                {"page": None, "clicks": 1, "window": {"start": "2026-03-01T12:01:00.000Z"}},
            ],
            operators=[Operator("count", rows_total=3, dropped=1, metrics={"puts": 1})],
        ),
    ],
    checkpoint={"state/0/0/1.changelog": 10, "state/0/1/1.changelog": 10, "offsets/0": 5},
    conf={"spark.sql.shuffle.partitions": "10"},
    plans=["AQEShuffleRead skewed=1", "AQEShuffleRead"],
    given=[{"step": 1, "input": "c", "value": {}}, {"step": 2}],
)


def fact(**what: object) -> Fact:
    return Fact(name="f", title="The figure", fix="Look again.", **what)  # type: ignore[arg-type]


def said_of(fact: Fact) -> str:
    play = Play("public", Variant("as_is", Scenario([])), RECORDING, RECORDING)
    return criterion_text(task(), play, judge_fact(fact, RECORDING).why)


@pytest.mark.parametrize(
    ("holds", "fails", "figure"),
    [
        (fact(files="state/*.changelog", equals=2), fact(files="*.zip", at_least=1), "0"),
        (
            fact(metric="puts", take="max", equals=9),
            fact(metric="puts", take="first", at_most=5),
            "6",
        ),
        (
            fact(conf="spark.sql.shuffle.partitions", equals=10),
            fact(conf="spark.sql.shuffle.partitions", equals=2),
            "10",
        ),
        (fact(plan=r"AQEShuffleRead", at_least=2), fact(plan=r"skewed", at_most=0), "1"),
        (
            fact(batch="rows_in", take="max", at_most=30),
            fact(batch="rows_in", take="max", at_most=20),
            "30",
        ),
        (
            fact(batch="rows_in", take="count", equals=2),
            fact(batch="rows_in", take="min", at_least=11),
            "10",
        ),
        (fact(run="rows", take="sum", equals=2), fact(run="rows", step=1, at_least=1), "0"),
        (fact(run="dropped", step=2, equals=1), fact(run="dropped", take="sum", equals=2), "1"),
        (fact(run="state", equals=3), fact(run="state", take="first", at_least=1), "0"),
        (fact(run="events", take="sum", equals=1), fact(run="events", step=2, at_least=1), "0"),
        (
            fact(run="watermark", equals="12:00:05"),
            fact(run="watermark", step=1, equals="12:00:05"),
            "none yet",
        ),
        (
            fact(run="rows", take="sum", where={"page": "null", "clicks": 1}, equals=1),
            fact(run="rows", take="sum", where={"window.start": "12:00:00"}, equals=2),
            "1",
        ),
    ],
)
def test_a_fact_holds_or_says_what_it_found(holds: Fact, fails: Fact, figure: str) -> None:
    assert judge_fact(holds, RECORDING).passed
    assert not judge_fact(fails, RECORDING).passed
    assert f" is {figure}, expected" in said_of(fails)
    assert "Look again." in said_of(fails)


def test_a_message_says_what_was_counted_and_why_that_much_is_asked_for() -> None:
    asked = fact(plan="skewed", at_least=4, counts="the number of joins", because="Two in each.")
    message = said_of(asked)
    assert "the number of joins is 1, expected at least 4." in message
    assert "Why: Two in each." in message


def test_what_was_not_measured_does_not_pass() -> None:
    assert not judge_fact(fact(metric="rocksdbPutCount", at_most=5), RECORDING).passed
    assert not judge_fact(fact(conf="spark.none", equals="1"), RECORDING).passed
    assert not judge_fact(fact(run="dropped", step=3, at_most=5), RECORDING).passed


def test_a_fact_that_cannot_fail_is_refused() -> None:
    table = {
        "id": "1.1", "title": "t", "answer": "f", "takes": ["c"], "inputs": {"c": {}},
        "facts": [{"name": "f", "title": "t", "fix": "m", "plan": "x"}],
    }  # fmt: skip
    with pytest.raises(ExerciseError, match="it cannot fail"):
        Exercise.from_dict(table)


def test_events_are_judged_by_facts_alone() -> None:
    table: dict[str, object] = {
        "id": "1.1", "title": "t", "answer": "f", "takes": [], "inputs": {"c": {}},
        "returns": "events",
    }  # fmt: skip
    with pytest.raises(ExerciseError, match="events need `facts`"):
        Exercise.from_dict(table)
    table["facts"] = [{"name": "f", "title": "t", "fix": "m", "run": "dropped", "equals": 1}]
    assert Exercise.from_dict(table).judged() == ["f"]
    with pytest.raises(ExerciseError, match="no `criteria`"):
        Exercise.from_dict({**table, "criteria": ["rows"]})
    with pytest.raises(ExerciseError, match="`run` is one of"):
        Exercise.from_dict({**table, "facts": [{**table["facts"][0], "run": "late"}]})  # type: ignore[index]


def test_the_same_clock_time_of_another_day_is_another_time() -> None:
    def ends(*days: int) -> Recording:
        window = {"start": f"2026-03-{days[-1]:02d}T12:05:00.000Z"}
        return Recording(
            "1.1",
            steps=2,
            batches=[
                Batch(n, n, watermark=f"2026-03-{day:02d}T12:10:00.000Z", rows=[{"window": window}])
                for n, day in enumerate(days, start=1)
            ],
        )

    last = fact(run="watermark", step=2, equals="12:10:00")
    row = fact(run="rows", step=2, where={"window.start": "12:05:00"}, equals=1)
    for wanted in (last, row):
        assert judge_fact(wanted, ends(7, 7)).passed, "the day is the author's of the events"
        assert not judge_fact(wanted, ends(1, 2)).passed
    assert judge_fact(last, ends(1, 2)).why.fields["figure"] == "2026-03-02 12:10:00"
