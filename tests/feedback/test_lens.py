"""The lens tells of the learner's own run: what became of each event, and which event is which."""

import re
from dataclasses import replace

from grader.feedback.lens.page_geometry import FILE
from grader.feedback.lens.scene import make_scene
from grader.feedback.lens.side_text import wrapped
from grader.feedback.lens.svg import draw
from grader.feedback.verdict_html import steps_table
from grader.feedback.verdict_text import event_text, recording_text
from grader.scenario import Event, Exercise, Scenario
from grader.scenario.recording import Batch, Failure, Operator, Plan, Recording

EXERCISE = Exercise.from_dict(
    {
        "id": "99.1",
        "title": "t",
        "answer": "f",
        "takes": ["clicks"],
        "inputs": {"clicks": {"event_time": "at"}},
    }
)


def click(step: int, name: str, minute: int, note: str = "") -> Event:
    value = {"event_id": name, "page": "/fruit", "at": f"2026-03-01T12:{minute:02d}:00Z"}
    return Event(step, "clicks", value, note=note)


CLICKS = Scenario(
    [
        click(1, "c1", 6),
        click(2, "c2", 4, "older than the watermark, but its window is open"),
        click(2, "c3", 12),
    ]
)


def run(watermark: str, dropped: int = 0, end: int = 10) -> Recording:
    """Two steps; the second begins with `watermark` and gives out a window that ends at 12:`end`."""
    window = {
        "start": f"2026-03-01T12:{end - 5:02d}:00Z",
        "end": f"2026-03-01T12:{end:02d}:00Z",
    }
    batches = [
        Batch(0, 1, rows_in=1, watermark=watermark, operators=[Operator("stateStoreSave", 1)]),
        Batch(
            1,
            2,
            rows_in=2,
            watermark=watermark,
            operators=[Operator("stateStoreSave", 1, dropped=dropped)],
            rows=[{"window": window, "clicks": 1}],
        ),
    ]
    return Recording("99.1", steps=2, batches=batches, plan=Plan(output_mode="update"))


RIGHT = run("2026-03-01T12:04:50.000Z")
HURRIED = run("2026-03-01T12:05:30.000Z", dropped=1)


def fates(recording: Recording) -> list[str]:
    return [mark.fate for mark in make_scene(EXERCISE, CLICKS, recording).marks]


def test_an_event_behind_the_watermark_counts_while_its_window_is_open() -> None:
    assert fates(RIGHT) == ["counted", "open", "counted"]


def test_an_event_is_dropped_where_this_run_dropped_it() -> None:
    assert fates(HURRIED) == ["counted", "dropped", "counted"]


def test_an_event_that_the_query_did_not_read_is_said_to_be_so() -> None:
    def ends(recording: Recording) -> list[bool]:
        marks = make_scene(EXERCISE, CLICKS, recording).marks
        return [mark.description.endswith("the query did not read it") for mark in marks]

    assert ends(RIGHT) == [False, False, False]
    second_only = replace(RIGHT, batches=[replace(RIGHT.batches[0], rows_in=0), RIGHT.batches[1]])
    assert ends(second_only) == [False, False, False], "read one step later"
    nothing = [replace(batch, rows_in=0) for batch in RIGHT.batches]
    assert ends(replace(RIGHT, batches=nothing)) == [True, True, True]
    ended = Failure("query", "a bad row", step=1)
    assert ends(replace(RIGHT, batches=nothing, failure=ended))[:1] == [False]


def test_rows_have_their_dates_where_a_run_goes_over_days() -> None:
    window = {"start": "2026-03-01T00:00:00Z", "end": "2026-03-02T00:00:00Z"}
    batches = [replace(batch, rows=[{"window": window, "n": 1}]) for batch in RIGHT.batches]
    days = replace(RIGHT, batches=batches)
    next_day = replace(click(2, "c4", 0), value={"event_id": "c4", "at": "2026-03-02T12:00:00Z"})
    for events, dated in ((CLICKS.events, False), ([*CLICKS.events, next_day], True)):
        scene = make_scene(EXERCISE, Scenario(events), days)
        texts = [scene.steps[1].out[0].text, scene.spans[0].rows[0], scene.steps[0].arrivals[0]]
        assert ["2026-03-01" in text for text in texts] == [dated] * 3, texts


def test_the_rows_of_a_table_are_not_called_emitted() -> None:
    inputs = {"clicks": {"event_time": "at"}, "counts": {"schema": "n INT", "table": True}}
    described = {"id": "99.2", "title": "t", "answer": "f", "takes": ["clicks", "counts"]}
    writer = {**described, "inputs": inputs, "returns": "table_writer", "writes_to": "counts"}
    for exercise, said in (
        (EXERCISE, "rows out"),
        (Exercise.from_dict(writer), "rows of the table"),
    ):
        assert f">{said}, state after the step<" in draw(make_scene(exercise, CLICKS, RIGHT))


def test_steps_that_a_query_never_came_to_are_not_drawn() -> None:
    ended = replace(RIGHT, steps=3, failure=Failure("query", "a bad row", step=2))
    later = Scenario([*CLICKS.events, click(3, "c4", 30)])
    scene = make_scene(EXERCISE, later, ended, expected=replace(RIGHT, steps=3))
    assert [step.number for step in scene.steps] == [1, 2] and len(scene.marks) == 3
    assert make_scene(EXERCISE, later, replace(RIGHT, steps=3)).steps[-1].number == 3
    assert "<td>2</td>" in steps_table(ended, later) and "<td>3</td>" not in steps_table(
        ended, later
    )
    assert "<td>3</td>" in steps_table(replace(RIGHT, steps=3), later)


def test_where_a_step_brings_many_events_those_with_a_note_are_shown() -> None:
    many = [click(1, f"c{n}", 6) for n in range(40)]
    many[30] = click(1, "c30", 6, "the last of its page")
    told = [
        line
        for line in recording_text(RIGHT, Scenario(many)).splitlines()
        if line.startswith("    in")
    ]
    assert [line for line in told if "the last of its page" in line] == told[11:12]
    assert "c10" in told[10] and "… and 28 more" in told[12]


def test_a_note_on_what_became_of_an_event_stands_only_where_it_is_so() -> None:
    assert "its window is open" in recording_text(RIGHT, CLICKS, RIGHT)
    assert "its window is open" not in recording_text(HURRIED, CLICKS, RIGHT)


def test_which_of_several_late_events_was_dropped_is_not_made_up() -> None:
    scenario = Scenario([*CLICKS.events, click(2, "c4", 3)])
    recording = run("2026-03-01T12:05:30.000Z", dropped=1)
    recording.batches[1].rows = []  # no window that would show it
    marks = make_scene(EXERCISE, scenario, recording).marks
    assert [mark.fate for mark in marks if mark.step == 2] == ["behind", "counted", "behind"]
    assert "1 row of the step dropped as late" in marks[1].description


def test_each_event_has_its_label() -> None:
    picture = draw(make_scene(EXERCISE, CLICKS, RIGHT))
    assert re.findall(r'class="label"[^>]*>(\w+)<', picture) == ["c1", "c2", "c3"]


def test_a_long_row_is_broken_between_its_columns_and_none_is_lost() -> None:
    text = "→ " + " · ".join(f"column{n}={'x' * 9 * n}" for n in range(1, 7))
    lines = wrapped(text)
    assert all(len(line) <= FILE.letters for line in lines)
    assert re.findall(r"column\d", "\n".join(lines)) == [f"column{n}" for n in range(1, 7)]


def test_a_value_longer_than_a_line_is_told_to_its_end() -> None:
    value = '{"event_id": "c22", "page": "/", "ms_on_page": 1800, "event_time": "yesterday"}'
    lines = wrapped(f"→ event_id=c22 · text={value}")
    assert all(len(line) <= FILE.letters for line in lines)
    assert value.replace(" ", "") in "".join(lines).replace(" ", "")


def test_a_record_is_told_with_its_key() -> None:
    assert event_text(Event(1, "clicks", "<html>", key="ada")) == "clicks: key=ada · '<html>'"


def test_one_row_is_one_row() -> None:
    assert "1 row in state" in recording_text(RIGHT, CLICKS)
    assert "1 rows" not in recording_text(RIGHT, CLICKS)
