"""Times in the wrong century, as a wrong unit makes them, are judged and shown like any others."""

from grader.feedback.lens.scene import make_scene
from grader.feedback.lens.svg import draw
from grader.judging.instants import clock, micros, moment_text
from grader.replay.progress_events import batches_of
from grader.scenario import Event, Exercise, Scenario
from grader.scenario.recording import Batch, Operator, Recording

FAR = "+58134-01-23T07:33:10.000Z"


def test_a_year_beyond_9999_stays_what_spark_wrote() -> None:
    assert moment_text(FAR) == clock(FAR) == FAR


def test_a_year_beyond_9999_is_later_than_any_other() -> None:
    assert micros(FAR) > micros("2026-03-01T12:00:00Z")


def test_a_time_in_1970_is_shown_with_its_date() -> None:
    assert clock("1970-01-21T12:18:26Z") == "1970-01-21 12:18:26"


def test_a_watermark_beyond_9999_does_not_stop_a_recording() -> None:
    progress = {"batchId": 1, "durationMs": {"addBatch": 1}, "eventTime": {"watermark": FAR}}
    assert batches_of([progress], step=1)[0].watermark == FAR


def test_the_lens_draws_a_run_whose_windows_lie_beyond_9999() -> None:
    task = {"id": "x", "title": "x", "answer": "x", "takes": ["clicks"], "inputs": {"clicks": {}}}
    window = {"start": "+58134-01-23T07:30:00.000000Z", "end": "+58134-01-23T07:35:00.000000Z"}
    batch = Batch(1, 1, watermark=FAR, rows=[{"window": window}], operators=[Operator("count", 1)])
    scenario = Scenario([Event(1, "clicks", {"sent": 1})])
    recording = Recording("x", steps=1, batches=[batch])
    assert "58134" in draw(make_scene(Exercise.from_dict(task), scenario, recording))
