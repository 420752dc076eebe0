"""The lens tells the true fate of each event where the model has played the very same run."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from model.course import known as course
from model.test_packs import MODELLED
from pyspark.sql import functions as F

from grader.feedback.lens.known_fates import Known
from grader.feedback.lens.page_pictures import page_pictures
from grader.feedback.lens.player import player, step_html
from grader.feedback.lens.scene import Scene, make_scene
from grader.judging.check_pack import PackedExercise, find_exercise
from grader.judging.play import events_of
from grader.model import play
from grader.model.explorer.model_fates import known_beyond
from grader.model.explorer.worked_example import example_of
from grader.model.query_reader import query_of

COURSE = Path(__file__).parents[3] / "course"
# worked examples whose query the model reads, and what became of their events in turn
EXAMPLES = {
    "03.0": "counted counted counted counted counted counted open dropped counted counted",
    "04.0": "counted counted open counted counted open counted counted",
    "05.0": "counted counted counted counted counted counted dropped counted counted",
    "06.0": "counted counted counted counted counted counted dropped counted counted",
    "07.0": "counted counted silent counted dropped counted counted silent counted",
    "08.0": "counted counted counted counted counted counted dropped counted counted",
    "11.0": "counted counted counted counted counted counted counted dropped counted counted",
}


def packed(id: str) -> PackedExercise:
    return find_exercise(id, COURSE)


def scene_of(given: PackedExercise, known: Known | None) -> Scene:
    recording = given.expected["as_is"]
    return make_scene(given.exercise, events_of(recording, given.public), recording, known=known)


def known_of(given: PackedExercise, query: Any) -> Known | None:
    recording = given.expected["as_is"]
    return known_beyond(query, given.exercise, events_of(recording, given.public), recording)


def example(id: str) -> Scene:
    given = packed(id)
    known = known_of(given, example_of(given))
    assert known is not None
    return scene_of(given, known)


def solution(id: str) -> Scene:
    given = packed(id)
    known = known_of(given, course()[id].solution.function)
    assert known is not None
    return scene_of(given, known)


@pytest.mark.parametrize("id", EXAMPLES)
def test_each_event_of_a_worked_example_has_its_fate(id: str) -> None:
    assert [mark.fate for mark in example(id).marks] == EXAMPLES[id].split()


def test_a_late_row_is_told_from_a_duplicate() -> None:
    """Of both no row comes out; how many its step dropped and where the watermark stood tell the late one."""
    guessed = scene_of(packed("07.0"), None).marks
    known = example("07.0").marks
    assert [guessed[number].fate for number in (2, 4)] == ["silent", "dropped"]
    assert known[4].description.endswith(": dropped, as the watermark had passed")
    assert known[2].description.endswith(": no row out, because it is a duplicate")


def test_duplicates_are_found_where_a_row_does_not_say_of_which_event_it_is() -> None:
    (late,) = (m for m in scene_of(packed("07.1"), None).marks if m.fate != "counted")
    assert late.fate == "dropped" and "12:03:00" in late.description, "as old as the watermark"
    assert [mark.fate for mark in solution("07.1").marks].count("silent") == 6


def test_what_a_filter_turned_away_is_told_before_a_join() -> None:
    told = [mark.description for mark in solution("06.2").marks if mark.fate == "silent"]
    *filtered, null = told
    assert len(filtered) == 4
    assert all("no row out, because a filter removed it" in text for text in filtered)
    assert null.endswith("no row out, because its paid_order_id is null"), "Spark's own filter"


def test_an_event_that_came_too_late_for_one_of_its_windows_counts_in_the_other() -> None:
    told = example("04.0").marks[5].description
    assert "but counted, as a window of it was still open; its row was emitted in step 5" in told
    assert told.endswith("not counted in 12:00:00–12:10:00, which had ended")


def test_the_steps_are_told_in_which_rows_of_an_event_came_out() -> None:
    assert example("03.0").marks[0].description.endswith(": its row was emitted in step 3")
    assert example("03.0").marks[-1].description.endswith(": no row of it was emitted")
    assert example("04.0").marks[0].description.endswith(": rows of it were emitted in steps 1, 3")


def test_an_event_that_the_query_does_not_read_is_silent() -> None:
    given = packed("03.0")
    known = known_of(given, example_of(given))
    assert known is not None
    unread = replace(known, ends={place: end for place, end in known.ends.items() if place})
    assert scene_of(given, unread).marks[0].fate == "silent"


def test_the_watermark_that_drops_is_the_one_before_the_one_that_evicts() -> None:
    scene = example("03.0")
    drops, evicts = (line.steps for line in scene.lines)
    assert [line.name for line in scene.lines] == ["watermark that drops", "watermark that evicts"]
    for step, (dropped_by, evicted_by) in zip(
        scene.steps, zip(drops, evicts, strict=True), strict=True
    ):
        assert evicted_by == (step.before, step.after)  # as Spark reports it
        assert dropped_by == (step.before, step.before)


def test_an_operator_behind_a_join_has_watermarks_of_its_own() -> None:
    """06.1 counts joined rows by the hour: an hour comes out when no pair for it can come any more."""
    scene = solution("06.1")
    names = ["1. join drops by", "1. join evicts by"]
    names += ["2. aggregation drops by", "2. aggregation evicts by"]
    assert [line.name for line in scene.lines] == names
    assert "operator 1's at 21:30:00, operator 2's at 20:29:59" in scene.notes[0]
    join, hours = scene.lines[1].steps, scene.lines[3].steps
    assert all(a < b for a, b in zip(hours[2], join[2], strict=True) if a and b)
    for span in scene.spans:
        for step in span.closed:
            assert span.end <= (hours[step - 1][1] or 0.0)
            assert span.end > (hours[step - 1][0] or 0.0)


def test_both_watermarks_are_shown_on_demand() -> None:
    scene = example("03.0")
    box = player(scene)
    controls, picture, told = box.children
    tick = next(
        control for control in controls.children if control.description == "both watermarks"
    )
    assert 'class="watermark evicts"' not in picture.value
    assert "evicts" not in told.value
    tick.value = True
    # the line and its sign, in the wide picture and in the narrow one
    assert picture.value.count('class="watermark evicts"') == 4
    assert (
        "watermark that drops: 12:07:00; watermark that evicts: 12:07:00, then 12:28:00"
        in told.value
    )
    assert "watermark that evicts: 12:07:00, then 12:28:00" in label(picture.value)
    tick.value = False
    assert picture.value == page_pictures(scene)
    assert told.value == step_html(scene, len(scene.steps))


def label(picture: str) -> str:
    found = re.search('<svg [^>]*aria-label="([^"]+)"', picture)
    assert found
    return found[1]


def test_without_the_model_the_lens_is_as_the_recording_shows_it() -> None:
    scene = scene_of(packed("03.0"), None)
    assert scene.lines == ()
    assert page_pictures(scene, both=True) == page_pictures(scene)
    texts = [control.description for control in player(scene).children[0].children]
    assert "both watermarks" not in texts


def not_read(clicks: Any) -> Any:
    return clicks.mapInPandas(lambda frames: frames, "page STRING")


def in_windows(clicks: Any, delay: str) -> Any:
    waiting = clicks.withWatermark("event_time", delay)
    return waiting.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))


def with_another_delay(clicks: Any) -> Any:
    return in_windows(clicks, "10 minutes")


def loud(clicks: Any) -> Any:
    print("here")
    return in_windows(clicks, "2 minutes")


def test_a_run_that_the_model_does_not_read_is_left_to_its_recording() -> None:
    assert known_of(packed("03.0"), not_read) is None
    given = packed("09.0")
    assert known_of(given, example_of(given)) is None


def test_a_run_that_the_model_plays_otherwise_is_left_to_its_recording() -> None:
    assert known_of(packed("03.0"), with_another_delay) is None
    given = packed("03.0")
    recording = given.expected["as_is"]
    for part in ("rows", "watermark", "operators"):
        batches = [replace(batch) for batch in recording.batches]
        other = {"rows": [{"clicks": 9}], "watermark": None, "operators": []}[part]
        setattr(batches[-1], part, other)
        changed = replace(recording, batches=batches)
        assert known_beyond(example_of(given), given.exercise, given.public, changed) is None


def test_a_function_is_read_in_silence(capsys: pytest.CaptureFixture[str]) -> None:
    assert known_of(packed("03.0"), loud) is not None
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("id", [id for id in MODELLED if course()[id].exercise.returns == "stream"])
def test_each_exercise_that_the_model_plays_is_drawn_with_what_it_knows(id: str) -> None:
    scene = solution(id)
    watermarks = [time for step in scene.steps for time in (step.before, step.after)]
    assert bool(scene.lines) == any(time is not None for time in watermarks)
    assert not {mark.fate for mark in scene.marks} & {"behind"}


def test_a_window_is_held_from_the_first_event_that_was_kept() -> None:
    """And not from one in it that a filter turned away."""
    given = packed("03.0")

    def without_sale(clicks: Any) -> Any:
        timed = clicks.where(F.col("page") != "/sale").withWatermark("event_time", "2 minutes")
        return timed.groupBy(F.window("event_time", "5 minutes")).agg(F.count("*").alias("clicks"))

    played = play(query_of(without_sale, given.exercise), given.public)
    knows = known_beyond(without_sale, given.exercise, given.public, played.recording)
    assert knows is not None
    spans = {
        known is not None: make_scene(
            given.exercise,
            given.public,
            played.recording,
            known=known,
        ).spans
        for known in (knows, None)
    }
    opened = {known: [span.opened for span in found] for known, found in spans.items()}
    assert opened[True] != opened[False]
    assert all(one >= other for one, other in zip(opened[True], opened[False], strict=True))
