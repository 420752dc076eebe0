"""Queries that look like a fault and have none: grader.why does not name one."""

import os
import time
from collections.abc import Callable

import pytest
from live_query.questions.question_data import SOON, json_file, run
from live_query.questions.source_questions import of_files
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from testkit.planting import HOURS, Shop, await_idle, click

import grader
from grader.live_query.explanation import why

pytestmark = pytest.mark.slow


def windows(frame: DataFrame, name: str) -> DataFrame:
    return frame.select(
        F.window("event_time", "1 minute").alias("window"), F.col("page").alias(name)
    )


def a_window_as_the_key_of_a_join(shop: Shop) -> StreamingQuery:
    """The key has the watermark of one input; it removes the rows of both from state."""
    left = windows(shop.timed(shop.topic(click(5), click(600), name="left")), "page")
    right = windows(shop.clicks(shop.topic(click(6), click(601), name="right")), "other")
    return run(shop, left.join(right, "window", "left_outer"), "kafka", every=SOON)


def logs_written_at_intervals(shop: Shop) -> StreamingQuery:
    """Asynchronous progress tracking leaves batches out of both logs."""
    topic = shop.topic(click(0))
    options = {"asyncProgressTrackingEnabled": "true"}
    query = shop.start(shop.clicks(topic), "kafka", every=SOON, **options)
    query.processAllAvailable()
    for second in range(1, 8):
        shop.send(topic, click(second))
        query.processAllAvailable()
    query.stop()
    return query


def an_old_file_that_the_next_batch_reads(shop: Shop) -> StreamingQuery:
    folder = grader.fresh_checkpoint()
    json_file(folder, "new.json", click(5))
    query = shop.start(of_files(shop, folder, maxFileAge="30d"), "kafka", every=HOURS)
    await_idle(query)
    ten_days_ago = time.time() - 10 * 86_400
    os.utime(json_file(folder, "old.json", click(6)), (ten_days_ago, ten_days_ago))
    return query


NOT_SAID: dict[Callable[[Shop], StreamingQuery], str] = {
    a_window_as_the_key_of_a_join: "join_without_watermark",
    logs_written_at_intervals: "damaged_checkpoint",
    an_old_file_that_the_next_batch_reads: "file_too_old",
}


@pytest.mark.parametrize("play", NOT_SAID)
def test_a_cause_that_does_not_hold_is_not_named(
    play: Callable[[Shop], StreamingQuery], shop: Shop
) -> None:
    reason = why(play(shop))
    print(reason.text())
    assert NOT_SAID[play] not in [reason.cause, *(one.cause for one in reason.others)]
