"""Errors that people bring to public forums, raised on a real broker: each is called by its own name."""

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from error_shop import CLICK, Shop, fresh
from pyspark import cloudpickle
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.streaming import StatefulProcessor
from pyspark.sql.streaming.state import GroupStateTimeout

from grader.authoring.proof import Bench
from grader.judging.wording.failure_text import failure_text
from grader.judging.wording.spark_errors import spark_error_of
from grader.replay.failures import failure_of
from grader.runtime.setting_names import ROCKSDB_PROVIDER, STATE_STORE

pytestmark = pytest.mark.slow
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the workers cannot import this module
PAGE = "page STRING"
LATER = {"page": "/a", "spent": 2, "at": "2026-03-01T12:20:00Z"}
Action = Callable[[Shop], Any]


def with_conf(settings: dict[str, str], action: Action) -> Action:
    def run(shop: Shop) -> None:
        conf = shop.bench.spark.conf
        for name, value in settings.items():
            conf.set(name, value)
        try:
            action(shop)
        finally:
            for name in settings:
                conf.unset(name)

    return run


def own_state(
    follow: Callable[..., Any], timeout: str = GroupStateTimeout.NoTimeout, *, late: bool = True
) -> Action:
    return lambda shop: shop.run(
        shop.clicks(late=late)
        .groupBy("page")
        .applyInPandasWithState(follow, PAGE, "n INT", "append", timeout)
    )


def processor(
    rows: Callable[[Any], Any] = lambda processor: iter([]),
    kind: str = "getValueState",
    state: str = "n INT",
    ttl: int | None = None,
) -> StatefulProcessor:
    """A processor with one variable, that emits `rows` of itself."""
    given, made, ttls = rows, (kind, state), ttl

    class Counter(StatefulProcessor):
        def init(self, handle: Any) -> None:
            self.handle = handle
            more = () if ttls is None else (ttls,)
            self.count = getattr(handle, made[0])("count", made[1], *more)

        def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Any:  # noqa: N802, N803
            return given(self)

        def close(self) -> None: ...

    return Counter()


def transformed(shop: Shop, given: Any, time_mode: str = "None", topic: str | None = None) -> Any:
    grouped = shop.clicks(topic).groupBy("page")
    return grouped.transformWithState(given, "page STRING, n INT", "Append", time_mode)


def in_rocksdb(given: Any, time_mode: str = "None") -> Action:
    return with_conf(
        {f"{STATE_STORE}providerClass": ROCKSDB_PROVIDER},
        lambda shop: shop.run(transformed(shop, given, time_mode)),
    )


def damaged(damage: Callable[[Path], Any]) -> Action:
    """A query on a checkpoint that something was done to after its first run."""

    def run(shop: Shop) -> None:
        topic, checkpoint = shop.topic(CLICK, LATER), fresh()
        shop.run(shop.counts(topic), checkpoint)
        damage(Path(checkpoint))
        shop.bench.kafka.send(topic, [CLICK])
        shop.run(shop.counts(topic), checkpoint)

    return run


def newest(folder: Path) -> Path:
    return max((p for p in folder.iterdir() if p.name.isdigit()), key=lambda p: int(p.name))


def written(text: str) -> Callable[[Path], None]:
    def write(checkpoint: Path) -> None:
        path = newest(checkpoint / "offsets")
        path.write_text(text)
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)

    return write


def without(pattern: str) -> Callable[[Path], None]:
    def remove(checkpoint: Path) -> None:
        for path in [*checkpoint.rglob(pattern)]:
            path.unlink()

    return remove


def file_sink_without_its_log(shop: Shop) -> None:
    topic, checkpoint, folder = shop.topic(), fresh(), fresh()
    for _ in range(2):
        shop.run(shop.clicks(topic), checkpoint, sink="parquet", path=folder)
        shutil.rmtree(Path(folder, "_spark_metadata"))
        shop.bench.kafka.send(topic, [CLICK])


def two_by_one_name(shop: Shop) -> None:
    writer = shop.clicks().writeStream.format("memory").queryName("taken")
    query = writer.start()
    try:
        writer.start()
    finally:
        query.stop()


def shown(shop: Shop) -> None:
    query = shop.clicks().writeStream.format("noop").option("checkpointLocation", fresh()).start()
    try:
        query.show()  # type: ignore[attr-defined]
    finally:
        query.stop()


def one_partition_of_three(shop: Shop) -> None:
    topic = shop.bench.kafka.unique_topic("three", 3)
    shop.topics.append(topic)
    shop.run(shop.raw(topic, startingOffsets=json.dumps({topic: {"0": 0}})))


def variable_of_another_kind(shop: Shop) -> None:
    kinds = iter(("getValueState", "getListState"))
    query = lambda topic: transformed(shop, processor(kind=next(kinds)), topic=topic)  # noqa: E731
    shop.then(query, query)


def another_format(shop: Shop) -> None:
    topic, checkpoint = shop.topic(), fresh()
    shop.run(shop.counts(topic), checkpoint)
    shop.bench.kafka.send(topic, [CLICK])
    again = {
        f"{STATE_STORE}providerClass": ROCKSDB_PROVIDER,
        f"{STATE_STORE}checkpointFormatVersion": "2",
    }
    with_conf(again, lambda shop: shop.run(shop.counts(topic), checkpoint))(shop)


def timestamp_out_of_range(shop: Shop) -> None:
    topic = shop.topic()
    with shop.bench.kafka.line() as line:
        line.send([{"topic": topic, "value": b"{}", "timestamp_ms": 2**62}])
    shop.run(shop.raw(topic))


def file_for_a_folder(shop: Shop) -> None:
    path = Path(fresh())
    path.write_text("a")
    shop.run(shop.bench.spark.readStream.schema("a STRING").csv(str(path)))


def files_without_schema(shop: Shop) -> None:
    folder = Path(fresh())
    folder.mkdir(parents=True)
    (folder / "a.json").write_text("{}")
    shop.bench.spark.readStream.json(str(folder))


def subquery(shop: Shop) -> None:
    shop.clicks().createOrReplaceTempView("clicks_of_the_subquery")
    spark = shop.bench.spark
    text = "SELECT page FROM {0} WHERE spent = (SELECT max(spent) FROM {0})"
    try:
        shop.run(spark.sql(text.format("clicks_of_the_subquery")))
    finally:
        spark.catalog.dropTempView("clicks_of_the_subquery")


def by_pandas(give: Callable[[pd.Series], Any], column: str) -> Action:
    def function(values: pd.Series) -> pd.Series:
        return give(values)

    return lambda shop: shop.run(shop.clicks().select(F.pandas_udf(function, "int")(column)))


def mapped(give: Callable[[Any], Any]) -> Action:
    return lambda shop: shop.run(shop.clicks().select("page").mapInPandas(give, PAGE))


def in_batches(function: Callable[..., Any]) -> Action:
    return lambda shop: (
        shop.clicks()
        .writeStream.foreachBatch(function)
        .option("checkpointLocation", fresh())
        .trigger(availableNow=True)
        .start()
        .awaitTermination(60)
    )


def first_of_state(_key: Any, _frames: Any, state: Any) -> Iterator[pd.DataFrame]:
    yield pd.DataFrame({"page": [state.get[0]]})


def plain_update(_key: Any, _frames: Any, state: Any) -> Iterator[pd.DataFrame]:
    state.update(5)
    yield from ()


def duration(_key: Any, _frames: Any, state: Any) -> Iterator[pd.DataFrame]:
    state.setTimeoutDuration(1000)
    yield from ()


def pivoted(shop: Shop, *values: Any) -> DataFrame:
    return shop.clicks().groupBy("page").pivot("spent", *values).count()


# the name of a known error → queries that raise it
BROUGHT: dict[str, list[Action]] = {
    "a pivot": [
        lambda shop: pivoted(shop),
        lambda shop: shop.run(pivoted(shop, [0, 1]), mode="update"),
        lambda shop: shop.run(pivoted(shop, [0, 1]), mode="complete"),
    ],
    "a query by a name that is taken": [two_by_one_name],
    "a query used like a DataFrame": [shown],
    "a checkpoint without its metadata": [
        damaged(lambda checkpoint: (checkpoint / "metadata").unlink())
    ],
    "a checkpoint without its state": [
        damaged(lambda checkpoint: shutil.rmtree(checkpoint / "state")),
        damaged(without("*1.delta*")),
        damaged(without("*2.delta*")),
    ],
    "a checkpoint with a broken log": [
        damaged(written("")),
        damaged(written("nothing")),
        damaged(lambda checkpoint: newest(checkpoint / "offsets").write_text("v1\n{}\nmore")),
        damaged(lambda checkpoint: [p.unlink() for p in (checkpoint / "offsets").iterdir()]),
    ],
    "checkpoint written by two": [
        damaged(lambda checkpoint: newest(checkpoint / "offsets").unlink())
    ],
    "a file sink without its log": [
        with_conf(
            {"spark.sql.streaming.fileSink.log.compactInterval": "2"}, file_sink_without_its_log
        )
    ],
    "the headers of Kafka": [lambda shop: shop.raw(shop.topic()).select("headers")],
    "a column that two inputs have": [
        lambda shop: shop.clicks().join(shop.clicks(), F.expr("1 = 1")).select("page"),
        lambda shop: (
            (clicks := shop.clicks()).join(clicks, clicks.page == clicks.page).select(clicks.page)
        ),
    ],
    "an attribute of a DataFrame": [
        lambda shop: shop.clicks().no_such,
        in_batches(lambda batch, number: batch.no_such()),
    ],
    "bytes taken for a string": [
        lambda shop: shop.raw(shop.topic()).select(F.from_json("value", PAGE)),
        lambda shop: shop.raw(shop.topic()).select(F.get_json_object("value", "$.page")),
    ],
    "bytes cast to another type": [
        lambda shop: shop.raw(shop.topic()).select(F.col("key").cast("int")),
        lambda shop: shop.raw(shop.topic()).select(F.col("value").cast("timestamp")),
    ],
    "a cast between types that do not convert": [
        lambda shop: shop.clicks().select(F.col("at").cast("array<int>"))
    ],
    "a window over a column that is no time": [
        lambda shop: shop.clicks().groupBy(F.window("spent", "5 minutes")).count()
    ],
    "two windows in one groupBy": [
        lambda shop: (
            shop.clicks().groupBy(F.window("at", "5 minutes"), F.window("at", "1 hour")).count()
        )
    ],
    "a stream in a subquery": [subquery],
    "columns of the two sides of a union": [
        lambda shop: shop.clicks().union(shop.clicks().select("page"))
    ],
    "the column of a join": [lambda shop: shop.clicks().join(shop.ads(), "page")],
    "a column outside of the groups": [
        lambda shop: shop.clicks().groupBy("page").agg(F.col("spent"))
    ],
    "a column that is called": [lambda shop: shop.clicks().page()],
    "a negative delay": [lambda shop: shop.clicks(late=False).withWatermark("at", "-1 minute")],
    "a window of months": [lambda shop: shop.clicks().groupBy(F.window("at", "1 month")).count()],
    "interval": [
        lambda shop: shop.clicks().writeStream.trigger(processingTime="five seconds"),
        lambda shop: shop.clicks().select(F.expr("at + INTERVAL '5 minuts'")),
        lambda shop: shop.run(shop.clicks().groupBy(F.window("at", "five minutes")).count()),
    ],
    "an output mode by another name": [lambda shop: shop.run(shop.clicks(), mode="apend")],
    "one trigger": [
        lambda shop: shop.clicks().writeStream.trigger(availableNow=True, once=True),
        lambda shop: shop.clicks().writeStream.trigger("5 seconds"),  # type: ignore[call-overload]
    ],
    "the real-time trigger": [
        lambda shop: (
            shop.clicks()
            .writeStream.format("noop")
            .outputMode("update")
            .option("checkpointLocation", fresh())
            .trigger(realTime="5 seconds")
            .start()
        )
    ],
    "topics chosen in two ways": [
        lambda shop: shop.raw(shop.topic(), subscribePattern="clicks.*"),
    ],
    "an end for a stream": [lambda shop: shop.raw(shop.topic(), endingOffsets="latest")],
    "offsets of some partitions": [one_partition_of_three],
    "a stream and a table united": [
        lambda shop: shop.run(
            shop.clicks().union(
                shop.bench.spark.createDataFrame([], "page STRING, spent INT, at TIMESTAMP")
            )
        )
    ],
    "a sink without a format or a folder": [
        lambda shop: shop.clicks().writeStream.option("checkpointLocation", fresh()).start(),
        lambda shop: shop.run(shop.clicks(), sink="json"),
    ],
    "files without a schema": [files_without_schema],
    "a folder that is not there": [
        lambda shop: shop.bench.spark.readStream.schema(PAGE).json("/nowhere/here")
    ],
    "a file for a folder": [file_for_a_folder],
    "a null topic": [
        lambda shop: shop.to_kafka(
            shop.clicks().selectExpr("page AS value", "CAST(NULL AS STRING) AS topic")
        )
    ],
    "an id by row number": [
        lambda shop: shop.run(shop.clicks().withColumn("id", F.monotonically_increasing_id()))
    ],
    "what a Python function returns": [
        mapped(lambda frames: [1]),
        mapped(lambda frames: None),
        own_state(lambda key, frames, state: pd.DataFrame({"page": ["a"]})),
        by_pandas(lambda values: 5, "spent"),
    ],
    "a Series of another length": [by_pandas(lambda values: pd.Series([1, 2, 3]), "spent")],
    "a value of another type than its column": [
        by_pandas(lambda values: values + "x", "page"),
        by_pandas(lambda values: values * 1.5, "spent"),
    ],
    "a function of foreachBatch with other parameters": [in_batches(lambda batch: None)],
    "event time without a watermark": [
        own_state(first_of_state, GroupStateTimeout.EventTimeTimeout, late=False)
    ],
    "a timeout of the other kind": [own_state(duration, GroupStateTimeout.EventTimeTimeout)],
    "a state that is not there yet": [own_state(first_of_state)],
    "a plain value for state": [own_state(plain_update)],
    "no Row of a processor": [
        in_rocksdb(processor(lambda one: iter([pd.DataFrame({"page": ["a"], "n": [1]})]))),
        in_rocksdb(processor(lambda one: iter([{"page": "a", "n": 1}]))),
        in_rocksdb(processor(lambda one: Row(page="a", n=1))),
    ],
    "a TTL that is not positive": [in_rocksdb(processor(ttl=-5), "ProcessingTime")],
    "a time mode by another name": [in_rocksdb(processor(), "EventTimes")],
    "a variable that is made outside of init": [
        in_rocksdb(processor(lambda one: one.handle.getValueState("late", "n INT") and iter([])))
    ],
    "a variable of another kind": [
        with_conf({f"{STATE_STORE}providerClass": ROCKSDB_PROVIDER}, variable_of_another_kind)
    ],
    "a class that is no state store": [
        with_conf(
            {f"{STATE_STORE}providerClass": "java.lang.String"},
            lambda shop: shop.run(shop.counts()),
        )
    ],
    "a checkpoint format that the store does not write": [another_format],
    "a value without a result": [
        lambda shop: shop.run(shop.clicks().selectExpr("spent / 0")),
        lambda shop: shop.run(shop.clicks().selectExpr("CAST(spent * 100000 AS SMALLINT)")),
        lambda shop: shop.run(shop.clicks().selectExpr("split(page, '/')[7]")),
    ],
    "explode inside an expression": [
        lambda shop: shop.clicks().select(F.explode(F.array("spent")) + 1)
    ],
    "a map as a key": [
        lambda shop: shop.run(
            shop.clicks().withColumn("m", F.create_map("page", "spent")).dropDuplicates(["m"])
        )
    ],
    "a join of another type": [
        lambda shop: shop.clicks().join(shop.ads(), F.expr("1 = 1"), "lefty")
    ],
    "a Python function in a join condition": [
        lambda shop: shop.run(
            shop.clicks().join(
                shop.bench.spark.range(3),
                F.udf(lambda a, b: a == b, "boolean")("spent", "id"),
                "left",
            )
        )
    ],
    "a type by another name": [lambda shop: shop.clicks().select(F.col("page").cast("text"))],
    "a string that does not parse": [
        lambda shop: shop.clicks().select(F.from_json("page", "page TEXT")),
        lambda shop: shop.clicks().where("page == "),
    ],
    "an aggregate in a condition": [lambda shop: shop.clicks().where(F.sum("spent") > 1)],
    "a Python function inside a function of arrays": [
        lambda shop: shop.run(
            shop.clicks().select(
                F.transform(F.array("page"), lambda page: F.udf(lambda p: p, "string")(page))
            )
        )
    ],
    "names of sources and sinks": [
        lambda shop: shop.bench.spark.readStream.name("the clicks").format("rate").load()
    ],
    "a record with a timestamp out of range": [timestamp_out_of_range],
    "state that cannot be read": [
        lambda shop: shop.bench.spark.read.format("statestore").load(fresh())
    ],
    "options of the state reader": [
        lambda shop: shop.bench.spark.read.format("statestore").load(),
    ],
    "a repartition with another parameter": [
        lambda shop: shop.bench.spark._streamingCheckpointManager.repartition(fresh(), 0)
    ],
    "a sink that cannot hold a column": [
        lambda shop: shop.run(
            shop.clicks().select(F.struct("page").alias("s")), sink="csv", path=fresh()
        )
    ],
}
CASES = [
    pytest.param(name, action, id=f"{name} {number}" if number else name)
    for name, actions in BROUGHT.items()
    for number, action in enumerate(actions)
]


@pytest.fixture(scope="module")
def shop(bench: Bench) -> Iterator[Shop]:
    shop = Shop(bench)
    yield shop
    shop.bench.kafka.delete_topics(shop.topics)


@pytest.mark.parametrize(("name", "action"), CASES)
def test_an_error_is_called_by_its_own_name(shop: Shop, name: str, action: Action) -> None:
    with pytest.raises(Exception) as caught:
        action(shop)
    failure = failure_of(caught.value, phase="query")
    known = spark_error_of(failure)
    assert known is not None and known.name == name, (known, failure.message)
    assert failure_text(failure).startswith(f"{known.what_in(failure)} ")
