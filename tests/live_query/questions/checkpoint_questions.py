"""Questions about checkpoints: what may change between two runs, and who may use one."""

from pathlib import Path

from live_query.questions.question_data import SOON, parsed, raw, run
from pyspark.sql.streaming.query import StreamingQuery
from testkit.planting import Shop, click

import grader


def one_checkpoint_for_two_queries(shop: Shop) -> StreamingQuery:
    clicks, checkpoint = shop.clicks(shop.topic(click(1))), grader.fresh_checkpoint()
    run(shop, clicks, "console", checkpoint=checkpoint, every=SOON)
    return run(shop, clicks, "kafka", checkpoint=checkpoint, every=SOON)


def memory_table_from_a_checkpoint(shop: Shop) -> StreamingQuery:
    clicks, checkpoint = shop.clicks(shop.topic(click(1))), grader.fresh_checkpoint()
    run(shop, clicks, checkpoint=checkpoint)
    return run(shop, clicks, checkpoint=checkpoint)


def one_more_column_to_deduplicate(shop: Shop) -> StreamingQuery:
    topic, checkpoint = shop.topic(click(1)), grader.fresh_checkpoint()
    clicks = shop.clicks(topic)
    run(shop, clicks.dropDuplicates(["page"]), "kafka", checkpoint=checkpoint)
    shop.send(topic, click(2))
    more = clicks.dropDuplicates(["page", "event_time"])
    return run(shop, more, "kafka", checkpoint=checkpoint)


def operator_of_another_kind(shop: Shop) -> StreamingQuery:
    topic, checkpoint = shop.topic(click(1)), grader.fresh_checkpoint()
    clicks = shop.clicks(topic)
    run(shop, clicks.groupBy("page").count(), "kafka", checkpoint=checkpoint, mode="update")
    shop.send(topic, click(2))
    once = clicks.dropDuplicates(["page"])
    return run(shop, once, "kafka", checkpoint=checkpoint, mode="update")


def one_source_less(shop: Shop) -> StreamingQuery:
    web, kiosk = shop.topic(click(1), name="web"), shop.topic(click(2), name="kiosk")
    checkpoint = grader.fresh_checkpoint()
    two = shop.clicks(web).union(shop.clicks(kiosk))
    run(shop, two, "kafka", checkpoint=checkpoint)
    return run(shop, shop.clicks(web), "kafka", checkpoint=checkpoint)


def gap_in_the_offsets(shop: Shop) -> StreamingQuery:
    topic, checkpoint = shop.topic(click(1)), grader.fresh_checkpoint()
    query = run(shop, shop.clicks(topic), "kafka", checkpoint=checkpoint, every=SOON)
    for second in (2, 3):
        shop.send(topic, click(second))
        query.processAllAvailable()
    query.stop()
    Path(checkpoint, "offsets", "1").unlink()
    Path(checkpoint, "offsets", ".1.crc").unlink(missing_ok=True)
    shop.send(topic, click(4))
    return run(shop, shop.clicks(topic), "kafka", checkpoint=checkpoint)


def starting_offsets_changed(shop: Shop) -> StreamingQuery:
    topic, checkpoint = shop.topic(click(1), click(2)), grader.fresh_checkpoint()
    latest = parsed(raw(shop, topic, {"startingOffsets": "latest"}))
    run(shop, latest, "kafka", checkpoint=checkpoint, every=SOON).stop()
    return run(shop, shop.clicks(topic), "kafka", checkpoint=checkpoint, every=SOON)
