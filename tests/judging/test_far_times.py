"""Times in the wrong century, as a wrong unit makes them, are judged and shown like any others."""

from grader.judging.rows import clock, micros, moment_text
from grader.replay.progress import batches_of

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
