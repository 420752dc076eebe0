"""A known mistake is called by its name only where the run is its run, and no other's that is known."""

from dataclasses import replace
from typing import Any

import pytest

from grader.judging.diagnosis import Fingerprint, diagnose, diagnose_elsewhere, prints_of
from grader.judging.judge import judge
from grader.judging.play import Play
from grader.scenario import Event, Exercise, Fact, Scenario, Variant
from grader.scenario.recording import Batch, Failure, Operator, Plan, Recording

EXERCISE = Exercise.from_dict(
    {
        "id": "99.1",
        "title": "t",
        "answer": "f",
        "takes": ["clicks"],
        "inputs": {"clicks": {"event_time": "at"}},
        "points": 4,
    }
)
CLICKS = Scenario([Event(1, "clicks", {"at": "2026-03-01T12:10:00Z"})])


def run(n: Any = 1, watermark: str | None = None, state: int = 1, dropped: int = 0) -> Recording:
    kept = [Operator("count", rows_total=state, dropped=dropped)]
    batch = Batch(0, 1, rows_in=7, watermark=watermark, rows=[{"n": n}], operators=kept)
    return Recording("99.1", steps=1, batches=[batch])


RIGHT = run(n=2)
MISTAKE = run(watermark="2026-03-01T12:00:00.000Z")


def print_of(actual: Recording, **changes: Any) -> str:
    return prints_of(actual, RIGHT, ["rows"], **changes).shown


def known(actual: Recording, id: str = "mistake") -> Fingerprint:
    prints = prints_of(actual, RIGHT, ["rows"])
    return Fingerprint(id, "A mistake", "Look.", prints, ["rows"])


@pytest.mark.parametrize(
    "other",
    [
        run(n=3, watermark="2026-03-01T12:00:00.000Z"),
        run(watermark="2026-03-01T12:00:08.000Z"),
        run(watermark="2026-03-01T12:00:00.000Z", state=2),
        run(watermark="2026-03-01T12:00:00.000Z", dropped=1),
        run(n="1", watermark="2026-03-01T12:00:00.000Z"),
    ],
    ids=["another value", "another watermark", "other state", "more dropped", "another type"],
)
def test_a_run_that_differs_in_anything_that_is_shown_has_no_name(other: Recording) -> None:
    assert diagnose([known(MISTAKE)], prints_of(MISTAKE, RIGHT, ["rows"]))
    assert diagnose([known(MISTAKE)], prints_of(other, RIGHT, ["rows"])) is None


def test_the_figures_of_facts_are_part_of_what_a_run_shows() -> None:
    largest = Fact("limit", "t", "m", batch="rows_in", take="max", at_most=5)
    more = replace(MISTAKE, batches=[replace(MISTAKE.batches[0], rows_in=8)])
    assert print_of(MISTAKE) == print_of(more)
    assert print_of(MISTAKE, facts=[largest]) != print_of(more, facts=[largest])


def test_bytes_that_differ_from_run_to_run_are_no_difference() -> None:
    def used(n: int) -> Recording:
        batch = Batch(0, 1, operators=[Operator("count", metrics={"bytes": n})])
        return Recording("99.1", steps=1, batches=[batch])

    fact = Fact("bytes", "t", "m", metric="bytes", at_least=100)
    assert print_of(used(10), facts=[fact]) == print_of(used(11), facts=[fact])
    assert print_of(used(10), facts=[fact]) != print_of(used(110), facts=[fact])


def failed(message: str, call: str = "") -> Recording:
    failure = Failure("plan", message, "FIELD_NOT_FOUND", 1, call=call)
    return Recording("99.1", steps=1, failure=failure)


def test_two_refusals_with_the_same_condition_are_told_apart_by_what_they_name() -> None:
    page = failed("No such struct field `page` in `event_id`")
    assert print_of(page) != print_of(failed("No such struct field `avg` in `count`, `sum`"))
    assert print_of(failed("x", call="count")) != print_of(failed("x", call="isEmpty"))


def test_which_of_two_groups_fails_first_is_chance_and_no_difference() -> None:
    def refused(timeout: int) -> Recording:
        message = f"PySparkValueError: Timeout {timeout} cannot be earlier than 1772366470000."
        detail = f"Traceback\n{message}"
        return Recording("99.1", steps=1, failure=Failure("udf", message, detail=detail, step=1))

    of_north_in_seconds, of_south_in_seconds = refused(1772366830), refused(1772366940)
    assert print_of(of_north_in_seconds) == print_of(of_south_in_seconds)
    assert print_of(of_north_in_seconds) != print_of(refused(1772366469000))

    def added(kind: str) -> Recording:
        message = f"TypeError: unsupported operand type(s) for +: 'NoneType' and '{kind}'"
        return Recording("99.1", steps=1, failure=Failure("udf", message, detail=message, step=1))

    assert print_of(added("int")) == print_of(added("float"))
    assert print_of(added("int")) != print_of(added("str"))


def test_a_run_that_two_known_mistakes_share_has_no_name() -> None:
    prints = prints_of(MISTAKE, RIGHT, ["rows"])
    assert diagnose([known(MISTAKE), known(run(n=9), "another")], prints)
    assert diagnose([known(MISTAKE), known(MISTAKE, "twin")], prints) is None


def planned(n: int, plan: str = "", *, opaque: bool = False) -> Recording:
    return replace(run(n=n), plan=Plan(print=plan, opaque=opaque))


def elsewhere(actual: Recording, *mistakes: Recording, runs: dict[str, Recording]) -> str | None:
    """What a run on other events is called; the mistakes are m0, m1 and so on."""
    fingerprints = [known(mistake, f"m{number}") for number, mistake in enumerate(mistakes)]
    shown = {id: print_of(its) for id, its in runs.items()}
    found = diagnose_elsewhere(fingerprints, shown, prints_of(actual, RIGHT, ["rows"]))
    return found.id if found else None


def test_on_other_events_a_mistake_is_known_by_its_plan_whatever_came_of_it() -> None:
    sum_, max_ = planned(3, "sum"), planned(4, "max")
    assert elsewhere(planned(70, "sum"), sum_, max_, runs={}) == "m0"
    assert elsewhere(planned(70, "min"), sum_, max_, runs={}) is None
    assert elsewhere(planned(70, "sum"), sum_, planned(4, "sum"), runs={}) is None


def test_where_no_plan_shows_it_the_run_has_to_be_that_of_the_mistake_on_the_same_events() -> None:
    forgets, doubles = planned(3, "a", opaque=True), planned(4, "a", opaque=True)
    runs = {"m0": planned(70), "m1": planned(80)}
    assert elsewhere(planned(70, "a", opaque=True), forgets, doubles, runs=runs) == "m0"
    assert elsewhere(planned(70, "b", opaque=True), forgets, doubles, runs=runs) == "m0"
    assert elsewhere(planned(71, "a", opaque=True), forgets, doubles, runs=runs) is None
    assert elsewhere(planned(3, "a", opaque=True), forgets, doubles, runs={}) is None
    alike = {"m0": planned(70), "m1": planned(70)}
    assert elsewhere(planned(70, "a", opaque=True), forgets, doubles, runs=alike) is None


def test_an_answer_that_goes_wrong_on_hidden_events_alone_is_named_without_their_figures() -> None:
    right, wrong = replace(RIGHT, schema=[]), run(n=70)
    plays = [
        Play("public", Variant("as_is", CLICKS), right, right),
        Play("hidden", Variant("as_is", CLICKS), right, wrong),
    ]
    mistake = replace(known(MISTAKE), hint="{steps.1.state} kept. Why?")
    runs = {"mistake": prints_of(wrong, right, ["hidden"]).shown}
    found = judge(EXERCISE, plays, [mistake], runs).diagnosis
    assert found is not None
    assert (found.id, found.hint) == ("mistake", "Why?")
    assert judge(EXERCISE, plays, [mistake], {"mistake": "another"}).diagnosis is None
    assert judge(EXERCISE, plays, [mistake]).diagnosis is None


def test_a_hint_holds_the_figures_of_the_run_and_those_asked_for() -> None:
    hint = "It stood {steps.1.delay} behind, {steps.1.state} kept; {asked.steps.1.state} do. Why? No {facts.none}"
    hint = hint.replace(" No {facts.none}", "")
    play = Play("public", Variant("as_is", CLICKS), run(n=2, state=5), MISTAKE)
    mistake = replace(known(MISTAKE), hint=hint, prints=prints_of(MISTAKE, play.expected, ["rows"]))
    found = judge(EXERCISE, [play], [mistake]).diagnosis
    assert found is not None
    assert found.hint == "It stood 10 minutes behind, 1 kept; 5 do. Why?"


def test_a_sentence_with_a_figure_that_the_run_lacks_is_left_out() -> None:
    actual = run()
    play = Play("public", Variant("as_is", CLICKS), RIGHT, actual)
    mistake = replace(known(actual), hint="It stood at {steps.1.watermark}. Why?")
    found = judge(EXERCISE, [play], [mistake]).diagnosis
    assert found is not None
    assert found.hint == "Why?"


def test_the_output_mode_of_a_sink_that_is_python_code_is_no_mistake() -> None:
    actual = replace(MISTAKE, plan=Plan(print="a", opaque=True, output_mode="append"))
    expected = replace(RIGHT, plan=Plan(print="b", output_mode="update"))
    play = Play("public", Variant("as_is", CLICKS), expected, actual)
    assert judge(EXERCISE, [play]).diagnosis is None
    seen = replace(play, actual=replace(actual, plan=replace(actual.plan, opaque=False)))
    told = judge(EXERCISE, [seen]).diagnosis
    assert told is not None and told.id == "plan.output_mode"


def test_two_refusals_by_one_legacy_condition_are_told_apart() -> None:
    """Spark's check of unsupported operations names all its refusals _LEGACY_ERROR_TEMP_3102."""
    refused = [
        Recording("05.5", failure=Failure("plan", message, "_LEGACY_ERROR_TEMP_3102"))
        for message in ("dropDuplicates needs a watermark", "append needs a watermark")
    ]
    first, second = (prints_of(one, Recording("05.5"), ["plan"], []) for one in refused)
    assert first.shown != second.shown
