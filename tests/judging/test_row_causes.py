"""An event is named where it is to blame, with the watermark of the learner's own run; else none is."""

from dataclasses import replace

from grader.judging.play import Play
from grader.judging.row_causes import Change, cause_of, notes_hold
from grader.judging.rows import Row
from grader.judging.wording.difference_text import cause_text
from grader.scenario import Event, Exercise, Scenario, Variant
from grader.scenario.recording import Batch, Operator, Plan, Recording

EXERCISE = Exercise.from_dict(
    {
        "id": "00.1",
        "title": "t",
        "answer": "f",
        "takes": ["clicks"],
        "inputs": {"clicks": {"event_time": "event_time"}},
    }
)
SCENARIO = Scenario(
    [
        Event(1, "clicks", {"event_id": "e1", "page": "/"}, note="a guest"),
        Event(1, "clicks", {"event_id": "e2", "page": "/"}),
        Event(2, "clicks", "<html>", note="malformed: not JSON at all"),
    ]
)


def cause(row: Row, step: int = 2, scenario: Scenario = SCENARIO) -> str:
    run = Recording("00.1", steps=2)
    return said_of(Change(row, None, step), played(scenario, run, run))


def said_of(change: Change, play: Play) -> str:
    found = cause_of(change, EXERCISE, play)
    return cause_text(found, play) if found else ""


def played(scenario: Scenario, expected: Recording, actual: Recording) -> Play:
    return Play("public", Variant("as_is", scenario), expected, actual)


def test_a_row_is_traced_to_the_event_with_the_same_id() -> None:
    assert cause({"event_id": "e1", "page": "/"}).endswith("of step 1 (a guest).")


def test_where_no_watermark_ever_stood_none_is_spoken_of() -> None:
    assert "watermark" not in cause({"event_id": "e1", "page": "/"})


def test_a_record_is_traced_to_the_event_that_was_passed_on() -> None:
    assert "<html>' of step 2 (malformed" in cause({"topic": "d", "key": None, "value": "<html>"})


def test_a_record_with_new_fields_is_traced_by_those_that_it_kept() -> None:
    value = {"event_id": "e1", "page": "/", "owner": "ann"}
    assert "event_id=e1" in cause({"topic": "owned", "key": None, "value": value})


def test_a_record_that_no_event_fits_has_no_cause() -> None:
    assert cause({"topic": "dead", "key": "k", "value": None}) == ""
    assert cause({"topic": "dead", "key": "k", "value": {"event_id": "e9"}}) == ""


def test_an_event_that_came_after_the_row_is_not_to_blame() -> None:
    assert cause({"event_id": "e1"}, step=1)
    assert cause({"topic": "d", "key": None, "value": "<html>"}, step=1) == ""


def test_where_several_events_may_be_to_blame_none_is_named() -> None:
    assert cause({"page": "/"}) == ""


def test_a_change_of_a_table_is_not_to_blame_because_it_also_takes_a_row_away() -> None:
    events = [Event(1, "orders", {"order_id": "o5", "status": "placed"})]
    row, run = {"status": "placed", "orders": 4}, Recording("00.1", steps=1)
    play = played(Scenario(events), run, run)
    described = {"id": "00.1", "title": "t", "answer": "f", "takes": ["orders"]}
    for key, named in ((None, True), ("order_id", False)):
        orders = {"schema": "order_id STRING, status STRING", "table": True, "key": key}
        exercise = Exercise.from_dict({**described, "inputs": {"orders": orders}})
        assert (cause_of(Change(row, None, 1), exercise, play) is not None) == named


# clicks counted in windows of five minutes; a late one comes in step 3
CLICKS = Scenario(
    [
        Event(1, "clicks", {"page": "/", "event_time": "2026-03-01T12:01:00Z"}),
        Event(1, "clicks", {"page": "/", "event_time": "2026-03-01T12:04:30Z"}),
        Event(2, "clicks", {"page": "/", "event_time": "2026-03-01T12:06:00Z"}),
        Event(3, "clicks", {"page": "/", "event_time": "2026-03-01T12:04:00Z"}, note="too late"),
    ]
)
WINDOW = {"start": "2026-03-01T12:00:00Z", "end": "2026-03-01T12:05:00Z"}


def counted(watermarks: list[str | None], dropped: int) -> Recording:
    """A run of three steps: the watermark after each, and how many rows it dropped in the last."""
    batches = []
    for step, stood in enumerate(watermarks, start=1):
        before = watermarks[step - 2] if step > 1 else None
        drops = [Operator("stateStoreSave", dropped=dropped if step == 3 else 0)]
        batches.append(Batch(2 * step, step, rows_in=1, watermark=before, operators=drops))
        batches.append(Batch(2 * step + 1, step, watermark=stood, operators=[Operator("s")]))
    return Recording("00.1", steps=3, batches=batches, plan=Plan(watermarks=["event_time"]))


RIGHT = counted(["2026-03-01T12:04:20Z", "2026-03-01T12:05:50Z", "2026-03-01T12:05:50Z"], 1)
PATIENT = counted(["2026-03-01T11:54:30Z", "2026-03-01T11:56:00Z", "2026-03-01T11:56:00Z"], 0)


def test_an_event_that_this_run_kept_is_told_with_this_runs_watermark() -> None:
    wanted, got = ({"window": WINDOW, "page": "/", "clicks": n} for n in (2, 3))
    said = said_of(Change(wanted, got, 3), played(CLICKS, RIGHT, PATIENT))
    assert "event_time=12:04:00} of step 3;" in said
    assert "the watermark of your query was 11:56:00 (expected 12:05:50)" in said
    assert said.endswith("and it was not dropped.")


def test_an_event_that_this_run_dropped_is_told_with_how_late_it_was() -> None:
    wanted, got = ({"window": WINDOW, "page": "/", "clicks": n} for n in (3, 2))
    said = said_of(Change(wanted, got, 3), played(CLICKS, PATIENT, RIGHT))
    assert "was 12:05:50 (expected 11:56:00), 110 s later than the event" in said
    assert said.endswith("and it was dropped as late.")


def test_an_event_is_held_against_no_watermark_of_another_column() -> None:
    wanted, got = ({"window": WINDOW, "page": "/", "clicks": n} for n in (3, 2))
    for followed, named in ((["event_time"], True), (["sent_at"], False), ([], False)):
        plan = Plan(watermarks=["event_time", "sent_at"], followed=[followed])
        run = replace(RIGHT, plan=plan)
        said = said_of(Change(wanted, got, 3), played(CLICKS, PATIENT, run))
        assert ("dropped as late" in said) is named


def test_a_count_that_is_wrong_for_another_reason_has_no_event_to_blame() -> None:
    wanted, got = ({"window": WINDOW, "page": "/", "clicks": n} for n in (2, 4))
    assert said_of(Change(wanted, got, 3), played(CLICKS, RIGHT, RIGHT)) == ""


def test_a_wrong_value_is_traced_to_the_event_that_brought_it() -> None:
    wanted, got = (
        {"page": "/", "last": f"2026-03-01T12:0{minute}:00.000000Z"} for minute in (6, 1)
    )
    said = said_of(Change(wanted, got, 2), played(CLICKS, RIGHT, RIGHT))
    assert said == "12:01:00 came with the event {page=/, event_time=12:01:00} of step 1."


def test_a_run_in_another_output_mode_has_no_event_to_blame() -> None:
    row = {"event_id": "e1", "page": "/"}
    wanted, got = (
        Recording("00.1", steps=2, plan=Plan(output_mode=m)) for m in ("append", "update")
    )
    assert said_of(Change(row, None, 2), played(SCENARIO, wanted, wanted))
    assert said_of(Change(row, None, 2), played(SCENARIO, wanted, got)) == ""


def test_the_authors_notes_hold_where_the_run_is_as_the_solutions_was() -> None:
    assert notes_hold(3, RIGHT, RIGHT)
    assert not notes_hold(3, RIGHT, PATIENT)
    assert notes_hold(1, RIGHT, PATIENT)


def test_where_a_row_shows_no_window_no_event_is_said_to_be_dropped_or_not() -> None:
    """Spark counts dropped windows then, of which an event may have several, or none."""
    scenario = Scenario(
        [click(step, time) for step, time in ((1, "12:09:00"), (2, "12:03:30"), (2, "12:04:00"))]
    )

    def run(watermark: str, dropped: int) -> Recording:
        operators = [Operator("stateStoreSave", dropped=dropped)]
        stands = f"2026-03-01T{watermark}Z"
        batches = [
            Batch(number, step, rows_in=1, watermark=stands, operators=operators)
            for number, step in enumerate((1, 2))
        ]
        return Recording("00.1", steps=2, batches=batches)

    row = {"page": "/", "clicks": 2}
    play = played(scenario, run("12:07:30", 2), run("12:09:30", 1))
    said = said_of(Change(row, None, 2), play)
    assert "was dropped as late" not in said and "was not dropped" not in said


def click(step: int, time: str) -> Event:
    return Event(step, "clicks", {"page": "/", "event_time": f"2026-03-01T{time}Z"})
