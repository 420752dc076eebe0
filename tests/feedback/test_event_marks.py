"""The lens says of each event what became of it in this run, and no more than the run shows."""

import re

from feedback.runs import at, batch, events, one_input, run, span

from grader.feedback.lens.scene import Scene, make_scene
from grader.feedback.lens.svg import draw
from grader.scenario import Event, Exercise, Input, Scenario
from grader.scenario.recording import Plan

CLICKS = one_input("clicks", "id STRING, at TIMESTAMP")


def fates(scene: Scene) -> list[str]:
    return [mark.fate for mark in scene.marks]


def labels(scene: Scene) -> list[str]:
    return re.findall(r'class="label"[^>]*>([^<]+)<', draw(scene))


def test_a_filter_shows_which_events_came_out() -> None:
    scenario = events("clicks", "id", (1, "c1", "12:00:00"), (1, "c2", "12:01:00"))
    scene = make_scene(CLICKS, scenario, run(batch(1, rows=[{"id": "c2"}], kinds=())))
    assert fates(scene) == ["silent", "counted"]
    assert "no row out of it" in draw(scene)


def test_of_two_equal_events_one_is_the_duplicate() -> None:
    scenario = events("clicks", "id", (1, "c1", "12:00:00"), (1, "c1", "12:00:00"))
    recording = run(batch(1, rows=[{"id": "c1", "at": at("12:00:00.000")}], kinds=("dedupe",)))
    assert fates(make_scene(CLICKS, scenario, recording)) == ["counted", "silent"]


def test_no_event_is_called_silent_where_rows_cannot_be_traced_to_events() -> None:
    scenario = events("clicks", "id", (1, "c1", "12:00:00"), (1, "c2", "12:01:00"))
    changed = run(batch(1, rows=[{"id": "C2"}], kinds=()))
    assert fates(make_scene(CLICKS, scenario, changed)) == ["counted", "counted"]
    # the row may be of either event: they differ in what it does not tell
    same_id = events("clicks", "id", (1, "c1", "12:00:00"), (1, "c1", "12:01:00"))
    recording = run(batch(1, rows=[{"id": "c1"}], kinds=()))
    assert fates(make_scene(CLICKS, same_id, recording)) == ["counted", "counted"]


def test_numbers_tell_events_apart_where_no_text_does() -> None:
    exercise = one_input("orders", "price DOUBLE, at TIMESTAMP")
    scenario = events("orders", "price", (1, 20.0, "12:00:00"), (1, 7.5, "12:03:00"))
    assert labels(make_scene(exercise, scenario, run(batch(1)))) == ["20.0", "7.5"]


def test_each_input_of_a_join_has_labels_of_its_own() -> None:
    inputs = {"orders": Input("id STRING, at TIMESTAMP", "at"), "paid": Input("of STRING", "at")}
    scenario = Scenario(
        [
            Event(1, "orders", {"id": "A", "at": at("09:00:00")}),
            Event(1, "paid", {"of": "A", "at": at("09:05:00")}),
        ]
    )
    exercise = Exercise("99.1", "t", "f", list(inputs), inputs)
    assert labels(make_scene(exercise, scenario, run(batch(1)))) == ["A", "A"]


def test_many_events_of_one_moment_keep_their_labels() -> None:
    told = [(1, f"c{n}", f"12:00:{n:02d}") for n in range(10)]
    scenario = events("clicks", "id", *told, (1, "last", "14:00:00"))
    scene = make_scene(CLICKS, scenario, run(batch(1)))
    assert labels(scene) == [*[f"c{n}" for n in range(10)], "last"]


def test_what_the_first_operator_of_a_chain_dropped_is_crossed_out() -> None:
    """The window that comes out is the last operator's: that it is still open says nothing.

    A first one that goes by windows may have several for an event: there the run does not show it.
    """
    scenario = events("clicks", "id", (1, "c1", "12:06:00"), (2, "late", "12:04:30"))
    chain = ("stateStoreSave", "dedupe")
    hour = {"window": span("12:00:00", "13:00:00"), "most": 1}
    recording = run(
        batch(1, "12:05:00", kinds=chain),
        batch(2, "12:05:00", dropped=1, kinds=chain),
        batch(3, "13:00:00", rows=[hour], kinds=chain),
    )
    assert fates(make_scene(CLICKS, scenario, recording)) == ["counted", "dropped"]


def test_an_event_counts_while_the_last_of_its_sliding_windows_is_open() -> None:
    scenario = events(
        "clicks", "id", (1, "c1", "12:12:00"), (2, "c2", "12:06:00"), (2, "c3", "12:01:00")
    )
    rows = [{"window": span(*w)} for w in (("12:00:00", "12:10:00"), ("12:05:00", "12:15:00"))]
    recording = run(
        batch(1, "12:11:00"), batch(2, "12:11:00", rows=rows, dropped=3), batch(3, "12:31:00")
    )
    scene = make_scene(CLICKS, scenario, recording)
    assert fates(scene) == ["counted", "open", "dropped"]
    assert "a window of it was still open" in scene.marks[1].description


def test_a_late_event_that_begins_a_session_was_counted() -> None:
    """The run tells the number of dropped events; the session that came out tells which it was not."""
    scenario = events(
        "clicks", "id", (1, "ana", "12:12:00"), (2, "dora", "12:09:00"), (2, "ben", "12:10:20")
    )
    sessions = ("sessionWindowStateStoreSaveExec",)
    row = {"session_window": span("12:09:00", "12:14:00"), "id": "dora"}
    recording = run(
        batch(1, "12:11:00", kinds=sessions),
        batch(2, "12:11:00", dropped=1, kinds=sessions),
        batch(3, "12:30:00", rows=[row], kinds=sessions),
    )
    assert fates(make_scene(CLICKS, scenario, recording)) == ["counted", "open", "dropped"]


def test_an_event_is_held_against_no_watermark_of_another_column() -> None:
    scenario = events("clicks", "id", (1, "c1", "12:06:00"), (2, "old", "12:04:30"))
    recording = run(
        batch(1, "12:05:00", kinds=("dedupe",)),
        batch(2, "12:05:00", dropped=1, kinds=("dedupe",)),
    )
    for followed, fate in ({"at": "dropped", "sent_at": "counted"}).items():
        recording.plan = Plan(watermarks=["at", "sent_at"], followed=[[followed]])
        assert fates(make_scene(CLICKS, scenario, recording)) == ["counted", fate]
