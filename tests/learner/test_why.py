"""grader.why() names the cause of twelve planted queries that show nothing."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from grader.judging.why import Reason
from grader.learner import lab
from grader.learner.why import why

pytestmark = pytest.mark.slow
SCHEMA = "page STRING, event_time TIMESTAMP"


def click(second: int, page: str = "home") -> dict[str, str]:
    return {"page": page, "event_time": f"2026-03-01T12:{second // 60:02d}:{second % 60:02d}Z"}


@dataclass
class Shop:
    """A topic of clicks and the queries started on it."""

    running: lab.Lab
    queries: list[StreamingQuery] = field(default_factory=list)

    def topic(self, *values: Any) -> str:
        name = self.running.kafka.unique_topic("why")
        self.running.kafka.send(name, values)
        return name

    def clicks(self, topic: str, offsets: str = "earliest", schema: str = SCHEMA) -> DataFrame:
        raw = (
            self.running.spark.readStream.format("kafka")
            .option("kafka.bootstrap.servers", self.running.kafka.bootstrap_servers)
            .option("subscribe", topic)
            .option("startingOffsets", offsets)
            .option("kafka.fetch.max.wait.ms", "10")
            .load()
        )
        parsed = F.from_json(F.col("value").cast("string"), schema)
        return raw.select(parsed.alias("click")).select("click.*")

    def run(
        self,
        frame: DataFrame,
        *,
        checkpoint: str | None = None,
        mode: str = "append",
        **trigger: Any,
    ) -> StreamingQuery:
        from grader import fresh_checkpoint

        query = (
            frame.select(F.to_json(F.struct("*")).alias("value"))
            .writeStream.format("kafka")
            .option("kafka.bootstrap.servers", self.running.kafka.bootstrap_servers)
            .option("topic", self.topic())
            .option("checkpointLocation", checkpoint or fresh_checkpoint())
            .outputMode(mode)
            .trigger(**(trigger or {"processingTime": "100 milliseconds"}))
            .start()
        )
        self.queries.append(query)
        return query


@pytest.fixture
def shop() -> Iterator[Shop]:
    found = Shop(lab.start())
    yield found
    for query in found.queries:
        query.stop()


def by_minute(clicks: DataFrame, delay: str = "10 seconds") -> DataFrame:
    return (
        clicks.withWatermark("event_time", delay)
        .groupBy(F.window("event_time", "1 minute"), "page")
        .count()
    )


def done(query: StreamingQuery) -> StreamingQuery:
    query.processAllAvailable()
    return query


def empty_topic(shop: Shop) -> StreamingQuery:
    return done(shop.run(shop.clicks(shop.topic())))


def starting_latest(shop: Shop) -> StreamingQuery:
    return done(shop.run(shop.clicks(shop.topic(click(1), click(2)), "latest")))


def checkpoint_read_all(shop: Shop) -> StreamingQuery:
    from grader import fresh_checkpoint

    topic, checkpoint = shop.topic(click(1), click(2)), fresh_checkpoint()
    first = shop.run(
        shop.clicks(topic).where("page = 'shoes'"), checkpoint=checkpoint, availableNow=True
    )
    first.awaitTermination()
    return done(shop.run(shop.clicks(topic), checkpoint=checkpoint))


def window_open(shop: Shop) -> StreamingQuery:
    return done(shop.run(by_minute(shop.clicks(shop.topic(click(5), click(65))))))


def all_late(shop: Shop) -> StreamingQuery:
    from grader import fresh_checkpoint

    topic, checkpoint = shop.topic(click(3000)), fresh_checkpoint()
    frame = shop.clicks(topic).where("page != 'bot'").withWatermark("event_time", "10 seconds")
    counted = (
        frame.where("event_time < '2026-03-01T12:40:00Z'")
        .groupBy(F.window("event_time", "1 minute"))
        .count()
    )
    query = done(shop.run(counted, checkpoint=checkpoint))
    shop.running.kafka.send(topic, [click(5), click(6)])
    return done(query)


def filtered(shop: Shop) -> StreamingQuery:
    return done(shop.run(shop.clicks(shop.topic(click(1), click(2))).where("page = 'Home'")))


def filtered_before_state(shop: Shop) -> StreamingQuery:
    return done(
        shop.run(by_minute(shop.clicks(shop.topic(click(1), click(2))).where("page = 'Home'")))
    )


def idle_source(shop: Shop) -> StreamingQuery:
    one = shop.clicks(shop.topic(click(5), click(500))).withWatermark("event_time", "10 seconds")
    two = shop.clicks(shop.topic()).withWatermark("event_time", "10 seconds")
    return done(
        shop.run(one.union(two).groupBy(F.window("event_time", "1 minute"), "page").count())
    )


def failed_in_python(shop: Shop) -> StreamingQuery:
    price = F.udf(lambda page: {}[page], "int")
    query = shop.run(shop.clicks(shop.topic(click(1))).select(price("page").alias("price")))
    with pytest.raises(Exception, match="KeyError"):
        query.awaitTermination()
    return query


def no_event_time(shop: Shop) -> StreamingQuery:
    wrong = {"page": "home", "event_time": "yesterday at noon"}
    return done(shop.run(by_minute(shop.clicks(shop.topic(wrong, wrong)))))


def no_match(shop: Shop) -> StreamingQuery:
    shown = shop.clicks(shop.topic(click(5, "home"), click(6, "shoes"))).withWatermark(
        "event_time", "1 minute"
    )
    clicked = (
        shop.clicks(shop.topic(click(7, "hats")))
        .withWatermark("event_time", "1 minute")
        .select(F.col("page").alias("clicked"), F.col("event_time").alias("at"))
    )
    near = F.expr("page = clicked AND at BETWEEN event_time AND event_time + INTERVAL 1 HOUR")
    return done(shop.run(shown.join(clicked, near)))


def first_batch(shop: Shop) -> StreamingQuery:
    import time

    slow = F.udf(lambda page: time.sleep(60), "string")
    query = shop.run(shop.clicks(shop.topic(click(1))).select(slow("page").alias("page")))
    while "Processing" not in query.status["message"]:
        assert query.isActive
    return query


def emitted(shop: Shop) -> StreamingQuery:
    return done(shop.run(shop.clicks(shop.topic(click(1)))))


CASES: dict[str, Callable[[Shop], StreamingQuery]] = {
    "empty_topic": empty_topic,
    "starting_latest": starting_latest,
    "checkpoint_read_all": checkpoint_read_all,
    "window_open": window_open,
    "all_late": all_late,
    "filtered": filtered,
    "filtered ": filtered_before_state,
    "idle_source": idle_source,
    "failed": failed_in_python,
    "no_event_time": no_event_time,
    "no_match": no_match,
    "first_batch": first_batch,
    "emitted": emitted,
}


@pytest.mark.parametrize("cause", CASES)
def test_the_cause_is_named(cause: str, shop: Shop) -> None:
    query = CASES[cause](shop)
    reason = why(query)
    seen = "\n".join(
        json.dumps(json.loads(event.json), indent=1) for event in query.recentProgress[-3:]
    )
    assert reason.cause == cause.strip(), f"{reason}\n{seen}"


def test_an_open_window_says_which_event_would_close_it(shop: Shop) -> None:
    query = window_open(shop)
    reason: Reason = why(query)
    assert "first window ends at 12:01:00" in reason.happened or "12:02:00" in reason.happened
    assert "12:02:10" in reason.do or "12:01:10" in reason.do


def test_what_is_no_query_is_refused_with_the_mend(shop: Shop) -> None:
    with pytest.raises(TypeError, match=r"what .start\(\) returned"):
        why(shop.clicks(shop.topic()))
