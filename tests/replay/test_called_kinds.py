"""Answers that are called without a stream: pure functions and test suites, and what is said of them."""

from collections.abc import Callable
from dataclasses import replace
from enum import IntEnum
from typing import Any

import numpy as np
import pytest
from pyspark.sql import SparkSession

from grader.authoring.proof import Bench
from grader.judging.judge import judge
from grader.judging.play import Play
from grader.judging.verdict import Verdict
from grader.replay.kafka import Kafka
from grader.replay.replay import Answer, replay
from grader.scenario import Event, Exercise, Input, Scenario, Variant, scenario_from_lines
from grader.scenario.recording import Recording

NO_SPARK: SparkSession = None  # type: ignore[assignment]
NO_KAFKA: Kafka = None  # type: ignore[assignment]
SCALE = Exercise.from_dict(
    {
        "id": "99.1",
        "title": "Scale",
        "answer": "cores",
        "points": 2,
        "takes": [],
        "returns": "results",
        "inputs": {"calls": {"schema": "seconds DOUBLE, now LONG"}},
    }
)
CALLS = scenario_from_lines(
    {"step": n, "input": "calls", "value": {"seconds": s, "now": 2}}
    for n, s in enumerate([1.0, 5.0, 9.0], start=1)
)
COUNTER = Exercise.from_dict(
    {
        "id": "99.2",
        "title": "Tests of a counter",
        "answer": "tests",
        "points": 3,
        "takes": [],
        "returns": "tests",
        "facts": [
            {"name": name, "title": title, "fix": "Try 1, then 2.", "tests": name, "equals": done}
            for name, title, done in [
                ("right", "The right counter passes", "pass"),
                ("off_by_one", "A counter that begins at 1 is caught", "fail"),
                ("forgetful", "A counter that forgets is caught", "fail"),
            ]
        ],
    }
)


def call(
    spark: SparkSession,
    exercise: Exercise,
    answer: Answer,
    variant: Variant,
    subject: Answer | None,
) -> Recording:
    return replay(spark, NO_KAFKA, exercise, answer, variant, subject=subject)


def right(seconds: float, now: int) -> int:
    return now * 2 if seconds >= 5 else now


def check(
    answer: Callable[..., Any],
    scenario: Scenario = CALLS,
    *,
    of: str = "public",
    solution: Callable[..., Any] = right,
) -> Verdict:
    variant = Variant("as_is", scenario)
    expected = call(NO_SPARK, SCALE, solution, variant, None).lasting()
    return judge(SCALE, [Play(of, variant, expected, call(NO_SPARK, SCALE, answer, variant, None))])


def test_a_right_function_passes() -> None:
    assert check(lambda seconds, now: {True: now * 2, False: now}[seconds >= 5]).status == "passed"


def test_the_first_wrong_call_is_told_with_its_arguments() -> None:
    verdict = check(lambda seconds, now: now * 2 if seconds > 5 else now)
    assert verdict.status == "failed" and verdict.score == 0
    assert "1 of 3 calls returned a wrong result. Call 2: expected 4, got 2." in (
        verdict.criteria[0].message
    )
    assert "cores(seconds=5.0, now=2)" in verdict.criteria[0].message


def test_a_result_of_another_kind_is_told_in_pythons_words() -> None:
    def told(answer: Callable[..., Any]) -> str:
        return check(answer).criteria[0].message.splitlines()[0]

    asked = "Your function did not return what the task requires: it returned"
    assert told(lambda seconds, now: str(now)) == f"{asked} a string, expected a number."
    assert told(lambda seconds, now: {"now": now}) == (
        f"{asked} a dict with `now`, expected a plain value."
    )


def test_a_long_call_is_shown_whole_so_that_it_can_be_run() -> None:
    def lengths(report: dict[str, int]) -> int:
        return len(report)

    report = {f"a metric with a long name, number {n}": n for n in range(8)}
    task = replace(SCALE, answer="lengths", inputs={"calls": Input("report MAP<STRING, INT>")})
    given = Scenario([Event(1, "calls", {"report": report}, note="eight")])
    variant = Variant("as_is", given)
    expected = call(NO_SPARK, task, lengths, variant, None).lasting()
    wrong = call(NO_SPARK, task, lambda report: 0, variant, None)
    message = judge(task, [Play("public", variant, expected, wrong)]).criteria[0].message
    shown = message[message.index("lengths(") :]
    assert eval(shown, {"lengths": lambda report: report}) == report


def test_of_unseen_calls_no_value_is_told() -> None:
    (criterion,) = check(lambda seconds, now: now, of="hidden").criteria
    assert (
        "2 of 3 calls that you have not seen returned a wrong result" in criterion.message
        and "4" not in criterion.message
    )


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [
        (lambda seconds, now: 1 / 0, "error", "ZeroDivisionError: division by zero"),
        (lambda seconds: 1, "failed", "has other parameters than the task"),
        (lambda seconds, now: None, "failed", "every call returned None"),
        (
            lambda seconds, now: {"now": now} if seconds > 4 else None,
            "failed",
            "1 of 3 calls returned None.",
        ),
        (lambda seconds, now: {1}, "failed", "call 1 returned a value of type set"),
        (lambda seconds, now: ([1], 2), "failed", "returned a tuple with a value of type list"),
        (lambda seconds, now: {"a": {}}, "failed", "returned `a` as a value of type dict"),
        (
            lambda seconds, now: now if now > 4 else {"result": now, "unit": "s"},
            "failed",
            "the task does not name `unit`",
        ),
        (lambda seconds, now: "4", "failed", "it returned a string, expected a number"),
    ],
)
def test_what_is_no_result_is_said(answer: Callable[..., Any], status: str, said: str) -> None:
    verdict = check(answer)
    assert verdict.status == status and said in verdict.criteria[0].message


def test_a_key_in_other_letters_is_another_key() -> None:
    def named(*names: str) -> Callable[..., Any]:
        return lambda seconds, now: {names[0] if seconds < 5 else names[-1]: now}

    told = check(named("P50"), solution=named("p50")).criteria[0].message
    assert "it returned a dict with `P50`, expected a dict with `p50`" in told
    assert not check(named("p50", "P50"), solution=named("p50")).passed  # Spark would take either


def test_members_of_enumerations_are_what_they_stand_for() -> None:
    kind = IntEnum("kind", {f"n{n}": n for n in range(100)})
    assert check(lambda seconds, now: kind(right(seconds, now))).passed


def test_numbers_of_numpy_are_numbers() -> None:
    assert check(lambda seconds, now: np.int64(right(seconds, now))).passed
    assert (
        check(lambda seconds, now: np.arange(now))
        .criteria[0]
        .message.startswith(
            "Your function did not return what the task requires: call 1 returned a value of type ndarray."
        )
    )


LISTS = replace(SCALE, answer="halves", inputs={"calls": Input("numbers ARRAY<INT>")})
NUMBERS = Scenario([Event(n, "calls", {"numbers": [n, n + 4]}) for n in (1, 2)])


def halves(numbers: list[int]) -> dict[str, Any]:
    even = [number for number in numbers if number % 2 == 0]
    return {"halves": [n // 2 for n in even] or None, "most": max(numbers)}


def checked(answer: Callable[..., Any]) -> Verdict:
    variant = Variant("as_is", NUMBERS)
    expected, got = (call(NO_SPARK, LISTS, f, variant, None) for f in (halves, answer))
    return judge(LISTS, [Play("public", variant, expected.lasting(), got)])


def test_an_answer_may_write_into_its_arguments_and_go_on_with_what_it_gave() -> None:
    filled: list[int] = []

    def one_list(numbers: list[int]) -> dict[str, Any]:
        result = halves(numbers)
        filled[:] = result["halves"] or []
        numbers.clear()
        return {**result, "halves": filled if filled else None}

    assert checked(one_list).passed
    wrong = checked(lambda numbers: {"halves": [numbers.pop()], "most": numbers.pop()})
    assert "halves(numbers=[1, 5])" in wrong.criteria[0].message


def test_a_key_that_is_left_out_is_not_none() -> None:
    def only_what_there_is(numbers: list[int]) -> dict[str, Any]:
        return {name: value for name, value in halves(numbers).items() if value is not None}

    message = checked(only_what_there_is).criteria[0].message
    assert "Call 1: expected {'halves': None, 'most': 5}, got {'most': 5}." in message


def test_globals_do_not_outlive_a_play() -> None:
    seen: list[float] = []

    def remembers(seconds: float, now: int) -> int:
        seen.append(seconds)
        return right(seconds, now) if len(seen) <= 3 else -1

    assert check(remembers).passed and check(remembers).passed and seen == []


class Counter:
    def __init__(self, start: int = 0, keeps: bool = True):
        self.count, self.start, self.keeps = start, start, keeps

    def add(self, number: int) -> int:
        self.count = (self.count if self.keeps else self.start) + number
        return self.count


class _Shared(Counter):
    """One that a copy of a suite has in common with the suite, as it has what the lab gives."""

    def __reduce__(self) -> str:
        return "_KEPT"


_KEPT = _Shared()


def counter(name: str) -> Callable[[], Counter]:
    return {
        "right": Counter,
        "off_by_one": lambda: Counter(1),
        "forgetful": lambda: Counter(keeps=False),
    }[name]


def check_suite(suite: Callable[..., Any]) -> Verdict:
    def plain(make: Callable[[], Counter]) -> None:
        one = make()
        assert one.add(1) == 1
        assert one.add(2) == 3

    variant = Variant("as_is", Scenario([]))
    expected = call(NO_SPARK, COUNTER, plain, variant, counter).lasting()
    actual = call(NO_SPARK, COUNTER, suite, variant, counter)
    return judge(COUNTER, [Play("public", variant, expected, actual)])


def test_a_suite_that_catches_all_but_one_says_which_one_lived() -> None:
    def only_first(make: Callable[[], Counter]) -> None:
        assert make().add(1) == 1

    verdict = check_suite(only_first)
    assert (verdict.status, verdict.score) == ("failed", 2)
    said = {c.name: c.message for c in verdict.criteria if not c.passed}
    assert list(said) == ["forgetful"]
    assert said["forgetful"].startswith(
        "Not met: A counter that forgets is caught. Your tests pass on it."
    )
    assert "Next: Try 1, then 2." in said["forgetful"]


def test_a_suite_that_fails_on_the_right_code_says_so_and_earns_nothing() -> None:
    def wrong(make: Callable[[], Counter]) -> None:
        assert make().add(1) == 2, "one and nothing"

    verdict = check_suite(wrong)
    assert (verdict.status, verdict.score) == ("failed", 0)
    (criterion,) = verdict.criteria
    assert criterion.name == "right"
    assert "AssertionError: one and nothing, in the line `assert make().add(1) == 2" in (
        criterion.message
    )

    def silent(make: Callable[[], Counter]) -> None:
        raise AssertionError

    (criterion,) = check_suite(silent).criteria
    assert "AssertionError, in the line `raise AssertionError`" in criterion.message


def test_a_suite_that_works_only_once_does_not_pass() -> None:
    def once(make: Callable[[], Counter]) -> None:
        one = make()
        assert one.add(1) + _KEPT.add(1) == 2
        assert one.add(2) == 3

    _KEPT.count = 0
    verdict = check_suite(once)
    assert (verdict.status, verdict.score) == ("failed", 0)
    assert "in a second run" in verdict.criteria[0].message


def test_code_under_test_that_cannot_be_made_is_no_bug_that_was_caught() -> None:
    def broken(name: str) -> Callable[[], Counter]:
        raise FileNotFoundError(name)

    def suite(make: Callable[[], Counter]) -> None:
        assert make().add(1) == 1

    with pytest.raises(FileNotFoundError, match="right"):
        call(NO_SPARK, COUNTER, suite, Variant("as_is", Scenario([])), broken)


def test_a_suite_may_fail_in_the_way_of_pytest() -> None:
    def suite(make: Callable[[], Counter]) -> None:
        one = make()
        if (one.add(1), one.add(2)) != (1, 3):
            pytest.fail("no counter")

    assert check_suite(suite).passed


def test_a_suite_that_is_not_written_is_not_attempted() -> None:
    def stub(make: Callable[[], Counter]) -> None:
        raise NotImplementedError

    assert check_suite(stub).status == "not_attempted"


def test_a_harness_is_handed_the_answer_and_says_what_came_of_it() -> None:
    exercise = replace(SCALE, answer="opener", harness="opened")

    def opened(answer: Callable[..., Any], seconds: float, now: int) -> dict[str, Any]:
        return {"left": [answer(seconds).send(None), now]}

    def opener(seconds: float) -> Any:
        yield int(seconds)

    def closed(seconds: float) -> Any:
        yield 0

    variant = Variant("as_is", CALLS)
    expected = call(NO_SPARK, exercise, opener, variant, opened).lasting()
    assert [batch.rows for batch in expected.batches] == [
        [{"left": [seconds, 2]}] for seconds in (1, 5, 9)
    ]
    again = Play("public", variant, expected, call(NO_SPARK, exercise, opener, variant, opened))
    assert judge(exercise, [again]).status == "passed"
    wrong = Play("public", variant, expected, call(NO_SPARK, exercise, closed, variant, opened))
    assert "opened(opener, seconds=1.0, now=2)" in str(judge(exercise, [wrong]).criteria)


@pytest.mark.slow
def test_a_call_into_spark_that_comes_to_no_end_leaves_a_session_that_works(bench: Bench) -> None:
    spark = bench.spark

    def waits(seconds: float, now: int) -> int:
        spark._jvm.java.lang.Thread.sleep(60_000)  # type: ignore[union-attr]
        return now

    variant = Variant("as_is", CALLS)
    recording = call(spark, replace(SCALE, timeout=1), waits, variant, None)
    assert recording.failure is not None and recording.failure.kind == "timeout"
    assert spark.range(3).count() == 3
