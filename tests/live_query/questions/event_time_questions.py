"""Questions about watermarks, windows and deduplication in event time."""

import time

from live_query.questions.question_data import SOON, parsed, raw, run
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from testkit.planting import HOURS, Shop, await_idle, by_minute, click

import grader


def next_window_without_the_delay(shop: Shop) -> StreamingQuery:
    late = shop.timed(shop.topic(click(5), click(65)), "30 seconds")
    return run(shop, by_minute(late), "kafka", every=SOON)


def window_closes_one_trigger_late(shop: Shop) -> StreamingQuery:
    query = shop.start(by_minute(shop.timed(shop.topic(click(5), click(300)))), every=HOURS)
    await_idle(query)
    return query


def watermark_without_a_window(shop: Shop) -> StreamingQuery:
    topic = shop.topic(click(3600), click(3605))
    counts = shop.timed(topic).groupBy("page").count()
    query = run(shop, counts, "kafka", mode="update", every=SOON)
    shop.send(topic, click(5))
    query.processAllAvailable()
    return query


def deduplicated_by_an_id_alone(shop: Shop) -> StreamingQuery:
    topic = shop.topic(click(5), click(6, "hats"), click(7), click(3600, "shoes"))
    once = shop.timed(topic).dropDuplicates(["page"])
    query = run(shop, once, "kafka", every=SOON)
    shop.send(topic, click(7200, "coats"))
    query.processAllAvailable()
    return query


def duplicate_after_the_delay(shop: Shop) -> StreamingQuery:
    topic = shop.topic(click(5))
    once = shop.timed(topic, "20 seconds").dropDuplicatesWithinWatermark(["page"])
    query = run(shop, once, "kafka", every=SOON)
    for event in (click(60, "hats"), click(61)):
        shop.send(topic, event)
        query.processAllAvailable()
    return query


def files_without_rows(shop: Shop) -> StreamingQuery:
    counts = by_minute(shop.timed(shop.topic(click(5), click(40)), "30 seconds"))
    return run(shop, counts, "parquet", path=grader.fresh_checkpoint(), every=SOON)


def local_time_without_a_zone(shop: Shop) -> StreamingQuery:
    def at(clock: str) -> dict[str, str]:
        return {"page": "home", "event_time": f"2026-03-01 {clock}"}

    topic = shop.topic(at("12:00:05"), at("14:00:07"))
    query = run(shop, by_minute(shop.timed(topic)), "kafka", every=SOON)
    shop.send(topic, *(at(f"12:0{minute}:10") for minute in range(6)))
    query.processAllAvailable()
    return query


def column_of_the_frame_before(shop: Shop) -> StreamingQuery:
    clicks = shop.clicks(shop.topic(click(5)))
    late = clicks.withWatermark("event_time", "10 seconds")
    return run(shop, late.groupBy(F.window(clicks.event_time, "1 minute")).count())


def windows_of_window_starts(shop: Shop) -> StreamingQuery:
    counts = by_minute(shop.timed(shop.topic(click(5))))
    longer = counts.groupBy(F.window("window.start", "5 minutes")).agg(F.sum("count"))
    return run(shop, longer, "kafka")


def windows_as_two_columns(shop: Shop) -> StreamingQuery:
    counts = by_minute(shop.timed(shop.topic(click(5))))
    plain = counts.select(F.col("window.start").alias("start"), "page", "count")
    return run(shop, plain.groupBy("start").agg(F.sum("count")), "kafka")


def second_window_in_update_mode(shop: Shop) -> StreamingQuery:
    counts = by_minute(shop.timed(shop.topic(click(5))))
    longer = counts.groupBy(F.window("window", "5 minutes")).agg(F.sum("count"))
    return run(shop, longer, "kafka", mode="update")


def check_switched_off(shop: Shop) -> StreamingQuery:
    conf, name = shop.running.spark.conf, "spark.sql.streaming.unsupportedOperationCheck"
    conf.set(name, "false")
    try:
        return run(shop, shop.clicks(shop.topic(click(5))).groupBy("page").count(), "kafka")
    finally:
        conf.unset(name)


def running_count_in_append_mode(shop: Shop) -> StreamingQuery:
    return run(shop, shop.clicks(shop.topic(click(5))).groupBy("page").count())


def filtered_by_the_clock(shop: Shop) -> StreamingQuery:
    clicks = shop.clicks(shop.topic(click(5), click(6)))
    fresh = clicks.where("event_time > current_timestamp() - INTERVAL 1 HOUR")
    return run(shop, fresh, "kafka", every=SOON)


def table_read_at_once(shop: Shop) -> StreamingQuery:
    slow = F.udf(lambda page: time.sleep(12) or page, "string")
    frame = shop.clicks(shop.topic(click(1))).select(slow("page").alias("page"))
    return shop.start(frame)


def header_alone_on_the_console(shop: Shop) -> StreamingQuery:
    frame = raw(shop, shop.topic(click(1), click(2)), {"startingOffsets": None})
    return run(shop, parsed(frame), "console", every=SOON)


def deduplicated_without_a_watermark(shop: Shop) -> StreamingQuery:
    return run(shop, shop.clicks(shop.topic(click(5))).dropDuplicatesWithinWatermark(["page"]))
