"""grader.why() names the cause of planted queries: what came in, what came out, how it ended."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from testkit.planting import HOURS, Shop, await_idle, by_minute, click, told

import grader
from grader.live_query.explanation import why

pytestmark = pytest.mark.slow
SOON = "50 milliseconds"


def empty_topic(shop: Shop) -> StreamingQuery:
    return shop.run(shop.clicks(shop.topic()), every=SOON)


def starting_latest(shop: Shop) -> StreamingQuery:
    return shop.run(shop.clicks(shop.topic(click(1), click(2)), "latest"), every=SOON)


def checkpoint_read_all(shop: Shop) -> StreamingQuery:
    topic, checkpoint = shop.topic(click(1), click(2)), grader.fresh_checkpoint()
    shop.run(shop.clicks(topic).where("page = 'shoes'"), "kafka", checkpoint=checkpoint)
    return shop.run(shop.clicks(topic), "kafka", checkpoint=checkpoint, every=SOON)


def run_again(shop: Shop) -> StreamingQuery:
    topic, checkpoint = shop.topic(click(1), click(2)), grader.fresh_checkpoint()
    shop.run(shop.clicks(topic), "kafka", checkpoint=checkpoint)
    return shop.run(shop.clicks(topic), "kafka", checkpoint=checkpoint)


def filtered(shop: Shop) -> StreamingQuery:
    frame = shop.clicks(shop.topic(click(1), click(2))).where("page = 'Home'")
    return shop.run(frame, "kafka", every=SOON)


def filtered_before_state(shop: Shop) -> StreamingQuery:
    clicks = shop.timed(shop.topic(click(1), click(2))).where("page = 'Home'")
    return shop.run(by_minute(clicks))


def filtered_after_state(shop: Shop) -> StreamingQuery:
    counts = by_minute(shop.timed(shop.topic(click(1), click(200))))
    return shop.run(counts.where("count > 10"))


def compared_with_null(shop: Shop) -> StreamingQuery:
    clicks = shop.clicks(shop.topic(click(1, None), click(2)))
    return shop.run(clicks.where(F.col("page") == F.lit(None)), "kafka")


def table_without_match(shop: Shop) -> StreamingQuery:
    prices = shop.running.spark.createDataFrame([("hats", 3)], "page STRING, price INT")
    return shop.run(shop.clicks(shop.topic(click(1))).join(prices, "page"))


def nothing_to_explode(shop: Shop) -> StreamingQuery:
    carts = shop.clicks(shop.topic({"things": []}), schema="things ARRAY<STRING>")
    return shop.run(carts.select(F.explode("things")))


def nothing_yielded(shop: Shop) -> StreamingQuery:
    def none(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for frame in frames:
            yield frame[frame.page == "shoes"]

    return shop.run(
        shop.clicks(shop.topic(click(1))).select("page").mapInPandas(none, "page STRING")
    )


def all_duplicates(shop: Shop) -> StreamingQuery:
    topic, checkpoint = shop.topic(click(1)), grader.fresh_checkpoint()
    once = shop.clicks(topic).dropDuplicates(["page"])
    shop.run(once, "kafka", checkpoint=checkpoint)
    shop.send(topic, click(2), click(3))
    return shop.run(once, "kafka", checkpoint=checkpoint)


def limit_reached(shop: Shop) -> StreamingQuery:
    topic, checkpoint = shop.topic(click(1), click(2)), grader.fresh_checkpoint()
    shop.run(shop.clicks(topic).limit(2), "kafka", checkpoint=checkpoint)
    shop.send(topic, click(3))
    return shop.run(shop.clicks(topic).limit(2), "kafka", checkpoint=checkpoint)


def own_state(shop: Shop) -> StreamingQuery:
    def silent(_key: Any, frames: Iterator[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
        state.update((sum(map(len, frames)),))
        return iter(())

    keyed = shop.clicks(shop.topic(click(1), click(2, "shoes"))).groupBy("page")
    frame = keyed.applyInPandasWithState(silent, "page STRING", "n INT", "update", "NoTimeout")
    return shop.run(frame, mode="update")


def failed_in_python(shop: Shop) -> StreamingQuery:
    price = F.udf(lambda page: {}[page], "int")
    query = shop.start(shop.clicks(shop.topic(click(1))).select(price("page").alias("price")))
    with pytest.raises(Exception, match="KeyError"):
        query.awaitTermination()
    return query


def failed_after_output(shop: Shop) -> StreamingQuery:
    price = F.udf(lambda page: {"home": 1}[page], "int")
    topic = shop.topic(click(1))
    frame = shop.clicks(topic).select(price("page").alias("price"))
    query = shop.run(frame, "kafka", every=SOON)
    shop.send(topic, click(2, "shoes"))
    with pytest.raises(Exception, match="KeyError"):
        query.processAllAvailable()
    return query


def first_batch(shop: Shop) -> StreamingQuery:
    slow = F.udf(lambda page: time.sleep(60), "string")
    frame = shop.clicks(shop.topic(click(1))).select(slow("page").alias("page"))
    query = shop.start(frame, every=SOON)
    while "Processing" not in query.status["message"]:
        assert query.isActive
    return query


def waits_for_its_trigger(shop: Shop) -> StreamingQuery:
    topic = shop.topic(click(1))
    query = shop.start(shop.clicks(topic), "kafka", every=HOURS)
    await_idle(query)
    shop.send(topic, click(2), click(3))
    return query


def waits_for_its_trigger_from_the_start(shop: Shop) -> StreamingQuery:
    topic = shop.topic()
    query = shop.start(shop.clicks(topic), "kafka", every=HOURS)
    await_idle(query)
    shop.send(topic, click(1))
    return query


def ended_with_output(shop: Shop) -> StreamingQuery:
    return shop.run(shop.clicks(shop.topic(click(1), click(2))), "kafka")


def ended_before_the_last(shop: Shop) -> StreamingQuery:
    topic = shop.topic(click(1))
    query = shop.run(shop.clicks(topic), "kafka")
    shop.send(topic, click(2), click(3))
    return query


def stopped(shop: Shop) -> StreamingQuery:
    topic = shop.topic(click(1))
    query = shop.run(shop.clicks(topic), every=SOON)
    query.stop()
    shop.send(topic, click(2))
    return query


def stopped_at_once(shop: Shop) -> StreamingQuery:
    slow = F.udf(lambda page: time.sleep(60), "string")
    query = shop.start(shop.clicks(shop.topic(click(1))).select(slow("page").alias("page")))
    query.stop()
    return query


def function_of_batches(shop: Shop) -> StreamingQuery:
    def look(batch: Any, _number: int) -> None:
        batch.count()
        batch.show()

    topic = shop.topic(*(click(second) for second in range(34)))
    return shop.run(shop.clicks(topic), "", function=look)


def function_of_empty_batches(shop: Shop) -> StreamingQuery:
    clicks = shop.clicks(shop.topic(click(1), click(2))).where("page = 'Home'")
    return shop.run(clicks, "", function=lambda batch, _: batch.collect() and None)


def function_of_rows(shop: Shop) -> StreamingQuery:
    writer = shop.clicks(shop.topic(click(1))).writeStream.foreach(lambda row: None)
    query = writer.option("checkpointLocation", grader.fresh_checkpoint()).start()
    shop.queries.append(query)
    query.processAllAvailable()
    return query


def table_in_memory(shop: Shop) -> StreamingQuery:
    return shop.run(shop.clicks(shop.topic(click(1))), every=SOON)


def console(shop: Shop) -> StreamingQuery:
    return shop.run(shop.clicks(shop.topic(click(1))), "console")


def nothing_kept(shop: Shop) -> StreamingQuery:
    return shop.run(shop.clicks(shop.topic(click(1))), "noop")


def files(shop: Shop) -> StreamingQuery:
    folder = grader.fresh_checkpoint()
    return shop.run(shop.clicks(shop.topic(click(1))), "parquet", path=folder)


def in_update_mode(shop: Shop) -> StreamingQuery:
    return shop.run(by_minute(shop.timed(shop.topic(click(5), click(65)))), mode="update")


def in_complete_mode(shop: Shop) -> StreamingQuery:
    return shop.run(by_minute(shop.timed(shop.topic(click(5), click(65)))), mode="complete")


def counted_as_a_whole(shop: Shop) -> StreamingQuery:
    clicks = shop.clicks(shop.topic(click(5))).where("page = 'Home'")
    return shop.run(clicks.groupBy().count(), mode="update")


Planted = Callable[[Shop], StreamingQuery]
# planted query → its cause, what the message says, what it does not say
CASES: dict[Planted, tuple[str, list[str], list[str]]] = {
    empty_topic: ("empty_topic", ["topic clicks-", "holds no records"], []),
    starting_latest: ("starting_latest", ["2 records", "startingOffsets"], []),
    checkpoint_read_all: ("checkpoint_read_all", ["read before", "fresh checkpoint"], []),
    run_again: ("checkpoint_read_all", ["read before", "fresh checkpoint"], ["no row"]),
    filtered: ("filtered", ["2 records", "`(page = 'Home')`", "unknown"], ["join", "false"]),
    filtered_before_state: ("filtered", ["2 records", "`(page = 'Home')`"], ["watermark"]),
    filtered_after_state: (
        "filtered",
        ["1 row left the aggregation, and none was left", "`(count > 10)`", "1 row more"],
        ["NOT NULL"],
    ),
    compared_with_null: (
        "null_comparison",
        ["2 records", "`(page = NULL)`", "neither true nor false", "isNull()"],
        ["counts as false"],
    ),
    table_without_match: (
        "filtered",
        ["the inner join with a table", "1 record "],
        ["condition `"],
    ),
    nothing_to_explode: ("filtered", ["explode()", "empty or null list"], ["condition `"]),
    nothing_yielded: ("filtered", ["your function in mapInPandas"], ["condition `"]),
    all_duplicates: ("all_duplicates", ["2 rows dropped as duplicates", "dropDuplicates"], []),
    limit_reached: ("limit_reached", ["limit(2)"], ["condition"]),
    own_state: ("own_state", ["keeps 2 rows in state"], ["watermark"]),
    failed_in_python: ("failed", ["KeyError: 'home'"], ["Before that", "refused"]),
    failed_after_output: ("failed", ["KeyError: 'shoes'", "emitted 1 row"], ["refused"]),
    first_batch: ("first_batch", ["first micro-batch has not ended"], []),
    waits_for_its_trigger: (
        "waiting_for_trigger",
        ["emitted 1 row", "2 records in topic clicks-", "every 1000000 h"],
        [],
    ),
    waits_for_its_trigger_from_the_start: (
        "waiting_for_trigger",
        ["No record has come in yet", "1 record in topic clicks-", "is not read yet"],
        [],
    ),
    ended_with_output: (
        "emitted",
        ["emitted 2 rows", 'kafka.read("results-', "nothing waits", "It has ended by itself"],
        ["in state"],
    ),
    ended_before_the_last: (
        "ended",
        ["emitted 1 row", "2 records", "It has ended.", "same checkpoint"],
        ["by itself"],
    ),
    stopped: ("ended", ["It was stopped.", "1 record in topic"], ["availableNow"]),
    stopped_at_once: ("never_ran", ["without a single micro-batch", "1 record was there"], []),
    function_of_batches: (
        "foreach_batch",
        ["1 micro-batch over 34 records", "batch.count()"],
        ["68", "none was left", "no row"],
    ),
    function_of_empty_batches: (
        "foreach_batch",
        ["1 micro-batch over 2 records", "`(page = 'Home')`"],
        ["none was left", "4 "],
    ),
    function_of_rows: ("emitted", ["emitted 1 row", "your function of foreach"], []),
    table_in_memory: ("emitted", ["emitted 1 row", 'spark.table("rows'], []),
    console: ("emitted", ["emitted 1 row", "not into the notebook", ".log"], []),
    nothing_kept: ("emitted", ["emitted 1 row", "keeps nothing"], []),
    files: ("not_counted", ["1 micro-batch over 1 record", "the files in /"], ["no row"]),
    in_update_mode: ("emitted", ["emitted 2 rows"], ["open", "ends at", "append"]),
    in_complete_mode: ("emitted", ["emitted 2 rows", "whole result again"], ["ends at"]),
    counted_as_a_whole: ("emitted", ["emitted 1 row"], ["ends at"]),
}


@pytest.mark.parametrize("planted", CASES, ids=lambda planted: planted.__name__)
def test_the_cause_is_named_with_what_the_run_shows(planted: Planted, shop: Shop) -> None:
    reason, text = told(planted(shop))
    cause, said, unsaid = CASES[planted]
    assert reason.cause == cause
    for words in said:
        assert words in text
    for words in unsaid:
        assert words not in text


def test_the_console_prints_where_the_message_says(shop: Shop) -> None:
    page = shop.topic(name="page")  # a name that nobody else prints
    reason, _ = told(shop.run(shop.clicks(shop.topic(click(1, page))), "console", truncate="false"))
    path = next(word for word in reason.do.split() if ".log" in word).rstrip(";.")
    with open(path) as log:
        assert page in log.read()


def test_the_table_that_is_named_can_be_read(shop: Shop) -> None:
    query = table_in_memory(shop)
    assert shop.running.spark.table(why(query).do.split('"')[1]).count() == 1


def test_of_a_long_run_only_the_last_part_is_told(shop: Shop) -> None:
    """Spark keeps the progress of so many micro-batches and no more."""
    conf, name = shop.running.spark.conf, "spark.sql.streaming.numRecentProgressUpdates"
    before = conf.get(name)
    conf.set(name, "3")
    try:
        topic = shop.topic(click(0))
        query = shop.run(shop.clicks(topic), "kafka", every=SOON)
        for second in range(1, 5):
            shop.send(topic, click(second))
            query.processAllAvailable()
        assert "emitted 2 rows in its last 2 micro-batches" in told(query)[1]
    finally:
        conf.set(name, str(before))


def test_what_is_no_query_is_refused_with_the_fix(shop: Shop) -> None:
    with pytest.raises(TypeError, match=r"what .start\(\) returned"):
        why(shop.clicks(shop.topic()))
