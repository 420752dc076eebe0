"""grader.why() on queries as people bring them: all causes that hold, the strongest first, with what shows them."""

import json
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from kafka import KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from testkit.planting import Shop, by_minute, click, told

import grader

pytestmark = pytest.mark.slow
SOON = "50 milliseconds"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"


def of(time: str, page: str = "home") -> dict[str, str]:
    return {"page": page, "event_time": f"{time}Z"}


def rows(batch: Any, _number: int) -> None:
    raise ValueError("x")


def raises_in_its_first_batch(shop: Shop) -> StreamingQuery:
    return shop.start(shop.clicks(shop.topic(click(1))), "", function=rows, every=SOON)


def raises_in_map_in_pandas(shop: Shop) -> StreamingQuery:
    def boom(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        raise ValueError("y")
        yield from frames

    pages = shop.clicks(shop.topic(click(1))).select("page")
    return shop.start(pages.mapInPandas(boom, "page STRING"), every=SOON)


def raises_in_a_udf(shop: Shop) -> StreamingQuery:
    price = F.udf(lambda page: {}[page], "int")
    return shop.start(shop.clicks(shop.topic(click(1))).select(price("page")), every=SOON)


def offsets_of_one_partition(shop: Shop) -> StreamingQuery:
    topic = shop.running.kafka.unique_topic("three", 3)
    return shop.start(shop.clicks(topic, json.dumps({topic: {"0": 0}})), every=SOON)


def raises_when_the_source_is_asked(shop: Shop) -> StreamingQuery:
    topic = shop.topic(click(1))
    return shop.start(shop.clicks(topic, json.dumps({topic: {"0": 0, "7": 0}})), every=SOON)


def joined(shop: Shop, left: str, right: str, kind: str) -> DataFrame:
    taps = shop.timed(right, "1 minute").select(
        F.col("page").alias("tapped"), F.col("event_time").alias("at")
    )
    near = F.expr("page = tapped AND at BETWEEN event_time AND event_time + INTERVAL 2 MINUTES")
    return shop.timed(left, "1 minute").join(taps, near, kind)


def right_side_holds_the_time_back(shop: Shop) -> StreamingQuery:
    left = shop.topic(*(of(f"2026-03-01T10:0{n}:00") for n in range(5)), name="left")
    right = shop.topic(of("2026-03-01T10:01:30"), name="right")
    query = shop.run(joined(shop, left, right, "left_outer"), every=SOON)
    shop.send(left, of("2026-03-01T10:30:00"))
    query.processAllAvailable()
    return query


def right_outer_join_waits(shop: Shop) -> StreamingQuery:
    left = shop.topic(of("2026-03-01T10:01:00"), name="left")
    right = shop.topic(of("2026-03-01T10:01:30"), of("2026-03-01T11:00:00"), name="right")
    return shop.run(joined(shop, left, right, "right_outer"), "kafka", every=SOON)


def left_join_made_inner(shop: Shop) -> StreamingQuery:
    left = shop.topic(of("2026-03-01T10:01:00"), of("2026-03-01T10:30:00"), name="left")
    right = shop.topic(of("2026-03-01T10:01:30"), of("2026-03-01T10:40:00"), name="right")
    frame = joined(shop, left, right, "left_outer").where("tapped <> 'hats'")
    return shop.run(frame, every=SOON)


def full_join_made_left(shop: Shop) -> StreamingQuery:
    left = shop.topic(of("2026-03-01T10:01:00"), of("2026-03-01T10:30:00"), name="left")
    right = shop.topic(of("2026-03-01T10:40:00", "hats"), name="right")
    frame = joined(shop, left, right, "full_outer").where(F.col("page").isNotNull())
    return shop.run(frame, every=SOON)


def lagging_partition(shop: Shop) -> StreamingQuery:
    topic = shop.running.kafka.unique_topic("parts", 2)
    for part, hour in ((0, "09"), (1, "10")):
        events = [of(f"2026-03-01T{hour}:{n:02d}:00") for n in range(20)]
        shop.running.kafka.send(topic, events, partition=part)
    raw = (
        shop.running.spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", shop.running.kafka.bootstrap_servers)
        .option("subscribe", topic)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", 8)
        .load()
    )
    clicks = raw.select(
        F.from_json(F.col("value").cast("string"), "page STRING, event_time TIMESTAMP").alias("c")
    ).select("c.*")
    late = clicks.withWatermark("event_time", "5 minutes")
    return shop.run(late.groupBy(F.window("event_time", "5 minutes")).count(), every=SOON)


def minutes_of(shop: Shop, *batches: list[str]) -> StreamingQuery:
    topic = shop.topic(*map(of, batches[0]))
    late = shop.timed(topic, "1 minute")
    query = shop.run(late.groupBy(F.window("event_time", "1 minute")).count(), every=SOON)
    for batch in batches[1:]:
        shop.send(topic, *map(of, batch))
        query.processAllAvailable()
    return query


def one_event_of_another_year(shop: Shop) -> StreamingQuery:
    day = "2024-03-01T10:"
    return minutes_of(
        shop,
        [f"{day}00:10", f"{day}00:40", f"{day}03:00"],
        ["2031-03-01T10:04:00"],
        [f"{day}04:10", f"{day}05:40", f"{day}08:00"],
    )


def one_event_of_another_year_with_the_others(shop: Shop) -> StreamingQuery:
    day = "2024-03-01T10:"
    return minutes_of(
        shop, [f"{day}00:10", "2025-03-01T10:01:00", f"{day}03:00", f"{day}04:00"], [f"{day}09:00"]
    )


def all_events_of_another_year(shop: Shop) -> StreamingQuery:
    return minutes_of(shop, ["2041-03-01T10:00:10", "2041-03-01T10:00:40"])


def pattern(shop: Shop, regex: str, offsets: str = "latest") -> StreamingQuery:
    raw = (
        shop.running.spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", shop.running.kafka.bootstrap_servers)
        .option("subscribePattern", regex)
        .option("startingOffsets", offsets)
        .load()
    )
    return shop.run(raw.select("value"), every=SOON)


def latest_of_a_pattern(shop: Shop) -> StreamingQuery:
    return pattern(shop, shop.topic(click(1), click(2), name="some")[:-2] + ".*")


def pattern_of_no_topic(shop: Shop) -> StreamingQuery:
    return pattern(shop, "nothing-is-called-so-.*", "earliest")


def latest_of_assigned_partitions(shop: Shop) -> StreamingQuery:
    topic = shop.topic(click(1), click(2), click(3))
    raw = (
        shop.running.spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", shop.running.kafka.bootstrap_servers)
        .option("assign", json.dumps({topic: [0]}))
        .load()
    )
    return shop.run(raw.select("value"), every=SOON)


def transactions(shop: Shop) -> StreamingQuery:
    topic = shop.topic()
    producer = KafkaProducer(
        bootstrap_servers=shop.running.kafka.bootstrap_servers, transactional_id=topic
    )
    producer.init_transactions()
    for second in (1, 2, 3, 4):
        producer.begin_transaction()
        producer.send(topic, json.dumps(click(second)).encode())
        producer.flush()
        if second == 4:
            producer.abort_transaction()
        else:
            producer.commit_transaction()
    producer.close()
    raw = shop.running.spark.readStream.format("kafka").options(
        **{
            "kafka.bootstrap.servers": shop.running.kafka.bootstrap_servers,
            "kafka.isolation.level": "read_committed",
            "subscribe": topic,
            "startingOffsets": "earliest",
        }
    )
    return shop.run(raw.load().where("value is null"), every=SOON)


def offsets_removed(shop: Shop) -> StreamingQuery:
    topic, checkpoint = shop.topic(click(1)), grader.fresh_checkpoint()
    shop.run(shop.clicks(topic), "kafka", checkpoint=checkpoint)
    for path in Path(checkpoint, "offsets").iterdir():
        path.unlink()
    time.sleep(1.2)  # file times have to differ by more than a file system rounds them
    return shop.start(shop.clicks(topic), "kafka", checkpoint=checkpoint, every=SOON)


def state_removed(shop: Shop) -> StreamingQuery:
    topic, checkpoint = shop.topic(click(1)), grader.fresh_checkpoint()
    shop.run(by_minute(shop.timed(topic)), "kafka", checkpoint=checkpoint)
    shutil.rmtree(Path(checkpoint, "state"))
    shop.send(topic, click(70))
    return shop.start(by_minute(shop.timed(topic)), "kafka", checkpoint=checkpoint, every=SOON)


def empty_offsets_file(shop: Shop) -> StreamingQuery:
    topic, checkpoint = shop.topic(click(1)), grader.fresh_checkpoint()
    shop.run(shop.clicks(topic), "kafka", checkpoint=checkpoint)
    newest = max(Path(checkpoint, "offsets").glob("[0-9]*"), key=lambda path: int(path.name))
    newest.write_text("")
    newest.with_name(f".{newest.name}.crc").unlink(missing_ok=True)
    return shop.start(shop.clicks(topic), "kafka", checkpoint=checkpoint, every=SOON)


def foreign_broker(shop: Shop) -> StreamingQuery:
    raw = shop.running.spark.readStream.format("kafka").options(
        **{
            "kafka.bootstrap.servers": "127.0.0.1:9",
            "kafka.default.api.timeout.ms": "5000",  # or it cannot be stopped for a long time
            "kafka.request.timeout.ms": "4000",
            "subscribe": "clicks",
        }
    )
    return shop.start(raw.load().select("value"), every=SOON)


def records_lost(shop: Shop) -> StreamingQuery:
    topic, checkpoint = shop.topic(click(1)), grader.fresh_checkpoint()

    def query(trigger: str | None) -> StreamingQuery:
        raw = shop.running.spark.readStream.format("kafka").options(
            **{
                "kafka.bootstrap.servers": shop.running.kafka.bootstrap_servers,
                "subscribe": topic,
                "startingOffsets": "earliest",
                "failOnDataLoss": "false",
            }
        )
        frame = raw.load().selectExpr("CAST(value AS STRING) AS page")
        return shop.run(
            frame, "kafka", checkpoint=checkpoint, **({"every": trigger} if trigger else {})
        )

    query(None)
    shop.send(topic, *map(click, range(2, 7)))
    admin = KafkaAdminClient(bootstrap_servers=shop.running.kafka.bootstrap_servers)
    admin.delete_records({TopicPartition(topic, 0): 4})
    admin.close()
    return query(SOON)


def parsed(shop: Shop, *values: Any) -> StreamingQuery:
    return shop.run(shop.clicks(shop.topic(*values), schema="page STRING, price INT"), every=SOON)


def five_bytes_of_a_registry(shop: Shop) -> StreamingQuery:
    return parsed(shop, b"\x00\x00\x00\x00\x07" + json.dumps({"page": "a", "price": 1}).encode())


def json_in_json(shop: Shop) -> StreamingQuery:
    return parsed(shop, json.dumps(json.dumps({"page": "a", "price": 1})))


def change_data(shop: Shop) -> StreamingQuery:
    row = {"page": "a", "price": 1}
    return parsed(shop, {"payload": {"before": None, "after": row, "op": "c"}})


def other_case(shop: Shop) -> StreamingQuery:
    return parsed(shop, {"Page": "a", "Price": 1})


def list_of_objects(shop: Shop) -> StreamingQuery:
    return parsed(shop, json.dumps([[{"page": "a"}]]))


def number_as_a_string(shop: Shop) -> StreamingQuery:
    return parsed(shop, {"page": "a", "price": "12 EUR"})


def separated_values(shop: Shop) -> StreamingQuery:
    return parsed(shop, "a,1")


def frame_with_another_column(shop: Shop) -> StreamingQuery:
    def mean(key: Any, frames: Iterator[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
        yield pd.DataFrame({"page": [key[0]], "avg": [1.0]})

    keyed = shop.clicks(shop.topic(click(1))).groupBy("page")
    frame = keyed.applyInPandasWithState(
        mean, "page STRING, average DOUBLE", "n INT", "update", "NoTimeout"
    )
    return shop.run(frame, mode="update")


def timer_without_a_watermark(shop: Shop) -> StreamingQuery:
    from pyspark.sql.streaming import StatefulProcessor

    class Once(StatefulProcessor):
        def init(self, handle: Any) -> None:
            self.handle = handle

        def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Any:  # noqa: N802, N803
            self.handle.registerTimer(1772366460000)
            return iter([])

        def handleExpiredTimer(self, key: Any, timerValues: Any, info: Any) -> Any:  # noqa: N802, N803
            return iter([])

        def close(self) -> None: ...

    conf = shop.running.spark.conf
    conf.set(PROVIDER, ROCKSDB)
    try:
        grouped = shop.clicks(shop.topic(click(1))).groupBy("page")
        frame = grouped.transformWithState(Once(), "page STRING", "Update", "EventTime")
        return shop.run(frame, mode="update", every=SOON)
    finally:
        conf.unset(PROVIDER)


Planted = Callable[[Shop], StreamingQuery]
# planted query → its causes that must be among those found, the first one first; what the message says
CASES: dict[Planted, tuple[list[str], list[str]]] = {
    raises_in_its_first_batch: (["failed"], ["ValueError: x"]),
    raises_in_map_in_pandas: (["failed"], ["ValueError: y"]),
    raises_in_a_udf: (["failed"], ["KeyError: 'home'"]),
    offsets_of_one_partition: (["failed"], ["partition"]),
    raises_when_the_source_is_asked: (["failed"], ["partition"]),
    right_side_holds_the_time_back: (
        ["join_waits"],
        ["emitted 2 rows", "wait in state", "right-", "10:00:30", "10:30:00"],
    ),
    right_outer_join_waits: (["join_waits"], ["left-", "10:01:00", "11:00:00"]),
    left_join_made_inner: (
        ["narrowed_join"],
        ["left outer join", "as an inner join", "tapped", "'hats'"],
    ),
    full_join_made_left: (["narrowed_join"], ["full outer join", "as a left outer join"]),
    lagging_partition: (
        ["partitions_apart", "window_open"],
        [
            "dropped as late",
            "partition 0: events from 09:00:00 to 09:19:00",
            "partition 1: events from 10:00:00 to 10:19:00",
            "maxOffsetsPerTrigger",
        ],
    ),
    one_event_of_another_year: (
        ["far_time", "window_open"],
        ["2031-03-01 10:04:00", "2024-03-01 10:08:00", "offset 3", "has not come yet"],
    ),
    one_event_of_another_year_with_the_others: (
        ["far_time"],
        ["2025-03-01 10:01:00", "2024-03-01 10:09:00"],
    ),
    all_events_of_another_year: (
        ["window_open", "future_time"],
        ["All event times here are of 2041-03-01 (UTC)", "after today"],
    ),
    latest_of_a_pattern: (["starting_latest"], ["2 records", "startingOffsets"]),
    pattern_of_no_topic: (["missing_topic"], ["no topic that fits `nothing-is-called-so-.*`"]),
    latest_of_assigned_partitions: (["starting_latest"], ["3 records", "startingOffsets"]),
    transactions: (
        ["filtered", "gaps_in_offsets"],
        ["took in 3 records", "Offsets are not records"],
    ),
    offsets_removed: (
        ["damaged_checkpoint"],
        ["commits says that micro-batch 0 is done", "fresh checkpoint"],
    ),
    state_removed: (["damaged_checkpoint", "failed"], ["the folder state is missing"]),
    empty_offsets_file: (["damaged_checkpoint", "failed"], ["is empty"]),
    foreign_broker: (["no_broker"], ["127.0.0.1:9", "has not answered"]),
    records_lost: (["lost_records"], ["3 records", "failOnDataLoss=false", "emitted"]),
    five_bytes_of_a_registry: (
        ["null_columns"],
        ["five bytes", "the number 7", "\\x00\\x00\\x00\\x00\\x07{"],
    ),
    json_in_json: (["null_columns"], ["encoded twice", '"{\\"page\\"']),
    change_data: (["null_columns"], ["`payload.after.page`", '{"payload"']),
    other_case: (["null_columns"], ["`page`", "`Page`", "upper and lower case"]),
    list_of_objects: (["null_columns"], ["JSON array"]),
    number_as_a_string: (["null_columns"], ['`price` is "12 EUR"', "INTEGER"]),
    separated_values: (["null_columns"], ["not JSON", "a,1"]),
    frame_with_another_column: (["misnamed_column"], ["`average`", "`avg`"]),
    timer_without_a_watermark: (["timer_without_watermark"], ["no watermark", "withWatermark"]),
}


@pytest.mark.parametrize("planted", CASES, ids=lambda planted: planted.__name__)
def test_each_cause_is_named_with_what_shows_it(planted: Planted, shop: Shop) -> None:
    query = planted(shop)
    began = time.monotonic()
    reason, text = told(query)
    assert time.monotonic() - began < 30
    causes, said = CASES[planted]
    found = [reason.cause, *(one.cause for one in reason.others)]
    assert [cause for cause in found if cause in causes] == causes, found
    if causes[0] not in ("null_columns", "misnamed_column"):
        assert found[0] == causes[0]
    for words in said:
        assert words in text
    assert all(one.evidence for one in (reason, *reason.others))
    assert "Not seen" not in text
