"""Each known error of Spark, raised by a query of its own on a real broker, is called by its own name."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from error_shop import CLICK, Shop, fresh, raised
from errors_of_tables import OF_TABLES
from pyspark.sql import DataFrame, Row, Window
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout
from test_spark_errors_brought import BROUGHT

from grader.authoring.proof import Bench
from grader.judging.wording.failure_text import failure_text
from grader.judging.wording.spark_errors import spark_error_of, spark_errors
from grader.replay.failures import failure_of
from grader.scenario.recording import Failure
from grader.toml_file import read_toml

pytestmark = pytest.mark.slow


def keep(_key: Any, frames: Iterator[pd.DataFrame], _state: Any) -> Iterator[pd.DataFrame]:
    yield from frames


def kept(frame: DataFrame) -> DataFrame:
    return frame.groupBy("page").applyInPandasWithState(
        keep, "page STRING, spent INT", "n INT", "update", "NoTimeout"
    )


def without_python(query: Callable[[Shop], None]) -> Callable[[Shop], None]:
    """The query where Python's processes end before they call Spark: it waits for them."""

    def run(shop: Shop) -> None:
        context = shop.bench.spark.sparkContext
        python, context.pythonExec = context.pythonExec, shutil.which("false") or "false"
        try:
            query(shop)
        finally:
            context.pythonExec = python

    return run


def with_state(
    timeout: Callable[[Any], int], state: str = "n LONG", value: object = 1, *, told: bool = True
) -> Callable[[Shop], None]:
    """A query that keeps `value`, with a timeout from its rows, and lets it be; a second run moves time on."""

    def run(shop: Shop) -> None:
        def follow(
            _key: Any, frames: Iterator[pd.DataFrame], group: GroupState
        ) -> Iterator[pd.DataFrame]:
            if told and group.hasTimedOut:
                return
            group.update((value,))
            group.setTimeoutTimestamp(timeout(pd.concat(list(frames))["at"].max()))
            yield from ()

        def query(topic: str) -> DataFrame:
            grouped = shop.clicks(topic).groupBy("page")
            return grouped.applyInPandasWithState(
                follow, "page STRING", state, "append", GroupStateTimeout.EventTimeTimeout
            )

        shop.then(query, query)

    return run


def with_transform(shop: Shop) -> None:
    from pyspark.sql.streaming import StatefulProcessor

    class Nothing(StatefulProcessor):
        def init(self, handle: Any) -> None: ...

        def handleInputRows(self, key: Any, rows: Any, timers: Any) -> Iterator[pd.DataFrame]:  # noqa: N802
            yield from rows

        def close(self) -> None: ...

    frame = shop.clicks().groupBy("page")
    shop.run(
        frame.transformWithStateInPandas(Nothing(), "page STRING", "Update", "None"), mode="update"
    )


STORE = "spark.sql.streaming.stateStore"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def first_of_none() -> Callable[[Any], Any]:
    """Takes a variable apart that nothing was put into (a function that pickles by value)."""

    def first(processor: Any) -> Any:
        (_count,) = processor.count.get()
        return iter([])

    return first


def newest_time() -> Callable[[Any], Any]:
    """Compares a row's time with one that is read from a variable (a function that pickles by value)."""

    def newest(processor: Any) -> Any:
        time = next(processor.rows).at
        processor.seen.update((time,))
        (kept,) = processor.seen.get()
        assert time.tzinfo is not None and kept.tzinfo is None, "the translation says it so"
        return max(time, kept)

    return newest


def processed(
    rows: Callable[[Any], Any],
    time_mode: str = "None",
    ttl: int | None = None,
    of: Any = None,
    start: Callable[[Any], Any] = lambda spark: None,
) -> Callable[[Shop], None]:
    """A query whose processor gives out `rows` of itself.

    `of` makes what is handed to Spark of its class, `start` its initial state.
    """
    from pyspark.sql.streaming import StatefulProcessor

    given = rows

    class Counter(StatefulProcessor):
        def init(self, handle: Any) -> None:
            self.handle = handle
            self.count = handle.getValueState("count", "n LONG", ttl)
            self.seen = handle.getValueState("seen", "time TIMESTAMP")

        def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Any:  # noqa: N802, N803
            self.rows = rows
            return given(self)

        def handleExpiredTimer(self, key: Any, timers: Any, info: Any) -> Any:  # noqa: N802
            return iter([])

        def close(self) -> None: ...

    def run(shop: Shop) -> None:
        name = "spark.sql.streaming.stateStore.providerClass"
        shop.bench.spark.conf.set(name, ROCKSDB)
        try:
            processor = of(Counter) if of else Counter()
            grouped = shop.clicks().groupBy("page")
            told = grouped.transformWithState(
                processor, "page STRING, n LONG", "Update", time_mode, start(shop.bench.spark)
            )
            shop.run(told, mode="update")
        finally:
            shop.bench.spark.conf.unset(name)

    return run


def with_settings(settings: dict[str, str]) -> Callable[[Shop], None]:
    """Counts in RocksDB with settings beside it."""

    def run(shop: Shop) -> None:
        conf, whole = shop.bench.spark.conf, {f"{STORE}.providerClass": ROCKSDB, **settings}
        for name, value in whole.items():
            conf.set(name, value)
        try:
            shop.run(shop.counts())
        finally:
            for name in whole:
                conf.unset(name)

    return run


def repartitioned(shop: Shop) -> None:
    """A checkpoint that is given the number of partitions that it has."""
    topic, checkpoint, spark = shop.topic(), fresh(), shop.bench.spark
    spark.conf.set(f"{STORE}.providerClass", ROCKSDB)
    try:
        shop.run(shop.counts(topic), checkpoint)
        for _ in range(2):
            spark._streamingCheckpointManager.repartition(checkpoint, 8)
    finally:
        spark.conf.unset(f"{STORE}.providerClass")


def lost(shop: Shop) -> None:
    topic, checkpoint = shop.topic(CLICK, CLICK), fresh()
    shop.run(shop.clicks(topic), checkpoint)
    shop.bench.kafka.create_topic(topic)
    shop.run(shop.clicks(topic), checkpoint)


def twice(shop: Shop) -> None:
    conf, name = shop.bench.spark.conf, "spark.sql.streaming.stopActiveRunOnRestart"
    checkpoint, topic = fresh(), shop.topic()
    writer = shop.clicks(topic).writeStream.format("noop").option("checkpointLocation", checkpoint)
    conf.set(name, "false")
    query = writer.start()
    try:
        query.processAllAvailable()
        shop.clicks(topic).writeStream.format("noop").option(
            "checkpointLocation", checkpoint
        ).start()
    finally:
        query.stop()
        conf.unset(name)


def by_two(shop: Shop) -> None:
    topic, checkpoint = shop.topic(), Path(fresh())
    writer = (
        shop.clicks(topic).writeStream.format("noop").option("checkpointLocation", str(checkpoint))
    )
    query = writer.start()
    try:
        query.processAllAvailable()
        newest = max(int(p.name) for p in (checkpoint / "offsets").iterdir() if p.name.isdigit())
        for folder in ("offsets", "commits"):  # what another program would have written meanwhile
            shutil.copy(checkpoint / folder / str(newest), checkpoint / folder / str(newest + 1))
        shop.bench.kafka.send(topic, [CLICK])
        query.processAllAvailable()
    finally:
        query.stop()


def ranked(shop: Shop) -> None:
    order = Window.partitionBy("page").orderBy("at")
    shop.run(shop.clicks().withColumn("rank", F.row_number().over(order)))


def hourly(shop: Shop) -> DataFrame:
    times = shop.counts().select(F.window_time("window").alias("time"), "page")
    return times.groupBy(F.window("time", "1 hour")).count()


def in_range(shop: Shop, ads: DataFrame | None = None) -> DataFrame:
    on = F.expr("page = ad AND at BETWEEN shown AND shown + INTERVAL 1 MINUTE")
    return (ads or shop.ads()).join(shop.clicks(), on, "left_outer")


def no_broker(shop: Shop) -> None:
    options = {
        "kafka.bootstrap.servers": "127.0.0.1:9",
        "kafka.default.api.timeout.ms": "1000",
        "kafka.request.timeout.ms": "900",
        "subscribe": "clicks",
    }
    shop.run(shop.bench.spark.readStream.format("kafka").options(**options).load())


def other_columns(shop: Shop) -> None:
    only_page = "page STRING, paid INT"
    shop.run(shop.clicks().mapInPandas(lambda frames: (f[["page"]] for f in frames), only_page))


def with_a_lock(shop: Shop) -> None:
    lock = threading.Lock()
    shop.run(shop.clicks().select(F.udf(lambda page: lock.locked() and page)("page")))


PLANTED: dict[str, Callable[[Shop], Any]] = {
    **OF_TABLES,
    "a column as a boolean": lambda shop: shop.clicks().where(
        F.col("page") == "/a" and F.col("page") == "/b"
    ),
    "a table that is not there": lambda shop: shop.bench.spark.sql("SELECT * FROM nowhere"),
    "append without watermark": lambda shop: shop.run(
        shop.clicks(late=False).groupBy(F.window("at", "5 minutes")).count()
    ),
    "session window in update mode": lambda shop: shop.run(
        shop.clicks().groupBy(F.session_window("at", "5 minutes"), "page").count(), mode="update"
    ),
    "a gap of another type": lambda shop: (
        shop.clicks().groupBy(F.session_window("at", F.col("spent")), "page").count()
    ),
    "sessions without another key": lambda shop: shop.run(
        shop.clicks().groupBy(F.session_window("at", "5 minutes")).count()
    ),
    "a second watermark on one way": lambda shop: shop.run(
        shop.clicks().withWatermark("at", "2 minutes").groupBy(F.window("at", "5 minutes")).count()
    ),
    "complete without aggregation": lambda shop: shop.run(shop.clicks(), mode="complete"),
    "output mode of a file sink": lambda shop: shop.run(
        shop.counts(), mode="update", sink="parquet", path=fresh()
    ),
    "several stateful operators in update or complete mode": lambda shop: shop.run(
        hourly(shop), mode="update"
    ),
    "arbitrary state before another stateful operator": lambda shop: shop.run(
        kept(shop.clicks()).groupBy("page").count(), mode="update"
    ),
    "output mode of arbitrary state": lambda shop: shop.run(kept(shop.clicks()), mode="append"),
    "the state store of transformWithState": with_transform,
    "unknown data source": lambda shop: shop.bench.spark.readStream.format("kafak").load(),
    "checkpoint of another query": lambda shop: shop.then(
        shop.counts, lambda topic: shop.clicks(topic).dropDuplicatesWithinWatermark(["page"])
    ),
    "changed schema of the state": lambda shop: shop.then(
        shop.counts,
        lambda topic: shop.clicks(topic).groupBy(F.window("at", "5 minutes"), "spent").count(),
    ),
    "changed sources": lambda shop: shop.then(
        shop.clicks, lambda topic: shop.clicks(topic).union(shop.clicks())
    ),
    "offsets lost": lost,
    "checkpoint in use": twice,
    "checkpoint written by two": by_two,
    "checkpoint not given": lambda shop: (
        shop.raw(shop.topic())
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", shop.bench.kafka.bootstrap_servers)
        .option("topic", shop.topic())
        .start()
    ),
    "a stream used like a table": lambda shop: shop.clicks().show(),
    "a table used like a stream": lambda shop: shop.bench.spark.range(3).writeStream,
    "row window on a stream": ranked,
    "sorting a stream": lambda shop: shop.run(shop.clicks().orderBy("at")),
    "limit in update mode": lambda shop: shop.run(shop.clicks().limit(1), mode="update"),
    "distinct aggregation": lambda shop: shop.run(
        shop.clicks().groupBy(F.window("at", "5 minutes")).agg(F.countDistinct("page"))
    ),
    "outer join without an end": lambda shop: shop.run(
        shop.ads().join(shop.clicks(), F.expr("page = ad"), "left_outer")
    ),
    "two watermarked columns": lambda shop: shop.run(
        in_range(shop, shop.ads().withColumn("window", F.window("shown", "5 minutes")))
    ),
    "outer join in another mode": lambda shop: shop.run(in_range(shop), mode="update"),
    "join of two streams without a key": lambda shop: shop.run(
        shop.ads().join(shop.clicks(), F.expr("shown >= at"))
    ),
    "outer join with a table on the wrong side": lambda shop: shop.run(
        shop.clicks().join(shop.bench.spark.range(3).toDF("spent"), "spent", "right_outer")
    ),
    "deduplication without watermark": lambda shop: shop.run(
        shop.clicks(late=False).dropDuplicatesWithinWatermark(["page"])
    ),
    "event time of another type": lambda shop: shop.clicks().withWatermark("page", "1 minute"),
    "interval": lambda shop: shop.clicks().withWatermark("at", "five minutes"),
    "column name": lambda shop: shop.clicks().select("pgae"),
    "a slide beyond its window": lambda shop: (
        shop.clicks().groupBy(F.window("at", "2 minutes", "10 minutes")).count()
    ),
    "an offset beyond its slide": lambda shop: (
        shop.clicks().groupBy(F.window("at", "30 minutes", "30 minutes", "40 minutes")).count()
    ),
    "column type": lambda shop: shop.clicks().select(F.col("at") + F.col("page")),
    "no such topic": lambda shop: shop.run(shop.clicks("no-such-topic")),
    "a name that no topic can have": lambda shop: shop.to_kafka(
        shop.raw(shop.topic()).select("value"), topic=str(shop.bench.kafka)
    ),
    "no broker": no_broker,
    "serializers for Kafka": lambda shop: shop.raw(
        shop.topic(), **{"kafka.value.deserializer": "StringDeserializer"}
    ),
    "consumer settings that belong to Spark": lambda shop: shop.raw(
        shop.topic(), **{"kafka.auto.offset.reset": "earliest"}
    ),
    "Kafka options missing": lambda shop: shop.run(shop.raw(None)),
    "value for Kafka": lambda shop: shop.to_kafka(
        shop.clicks().select(F.col("spent").alias("value")), topic=shop.topic()
    ),
    "topic for Kafka": lambda shop: shop.to_kafka(shop.raw(shop.topic()).select("value")),
    "name of a memory table": lambda shop: shop.run(shop.clicks(), sink="memory"),
    "continuous processing": lambda shop: (
        shop.counts()
        .writeStream.format("noop")
        .outputMode("update")
        .option("checkpointLocation", fresh())
        .trigger(continuous="1 second")
        .start()
    ),
    "a window taken for a time": lambda shop: shop.counts().select(
        F.col("window").cast("timestamp")
    ),
    "what cannot go to the workers": with_a_lock,
    "columns of a Python operator": other_columns,
    "a processor that gives nothing back": processed(lambda processor: None),
    "fields of what is not there": processed(first_of_none()),
    "no Row of a processor": processed(lambda processor: iter([("a", 1)])),
    "a plain value for state": processed(lambda processor: processor.count.update(5)),
    "parameters of a timer by other names": processed(
        lambda processor: processor.handle.registerTimer(1) or iter([]), "EventTime"
    ),
    "initial state that is not grouped": processed(
        lambda processor: iter([]),
        start=lambda spark: spark.range(1).select(F.lit("a").alias("page")),
    ),
    "times with and without a zone": processed(newest_time()),
    "a state's row of another length": processed(lambda processor: processor.count.update("five")),
    "a timer without a time mode": processed(lambda processor: processor.handle.registerTimer(5)),
    "a TTL outside of processing time": processed(lambda processor: iter([]), "EventTime", 60_000),
    "a processor that cannot be made ready": processed(
        lambda processor: iter([]), of=lambda processor: processor
    ),
    "no Python process": without_python(processed(lambda processor: iter([]))),
    "a list or a map as state": with_state(lambda newest: 0, "times ARRAY<LONG>", [1]),
    "the time of no rows": with_state(
        lambda newest: round(newest.timestamp() * 1000) - 600_000, told=False
    ),
    "a timeout that would be up already": with_state(lambda newest: round(newest.timestamp())),
    "a setting of RocksDB of another type": with_settings(
        {f"{STORE}.rocksdb.maxMemoryUsageMB": "64m"}
    ),
    "a class that is not there": with_settings({f"{STORE}.providerClass": "RocksDB"}),
    "as many partitions as before": repartitioned,
    "a batch that was not read to its end": lambda shop: (
        shop.counts()
        .writeStream.foreachBatch(lambda batch, number: None)
        .outputMode("update")
        .option("checkpointLocation", fresh())
        .trigger(availableNow=True)
        .start()
        .awaitTermination()
    ),
    "a value that cannot be cast": lambda shop: shop.run(
        shop.clicks().select(F.col("page").cast("timestamp"))
    ),
    "a value of another type than its column": processed(
        lambda processor: iter([Row(page="a", n="many")])
    ),
}
# what this Spark does not raise: why, and what Spark says where it does
NOT_PROVOKED = {
    "Scala versions mixed": (
        "it takes a connector for Scala 2.12, which the lab's locked jars do not have",
        "java.lang.NoClassDefFoundError: scala/$less$colon$less",
    ),
    "state larger than the memory": (
        "it takes a machine that has no memory left",
        "[CANNOT_LOAD_STATE_STORE.HDFS_STORE_PROVIDER_OUT_OF_MEMORY] Could not load HDFS state store",
    ),
    "a repartition that did not end": (
        "it takes a program that ends in the middle of a repartition",
        "[STREAMING_UNFINISHED_REPARTITION_DETECTED] The latest batch 3 is for an unfinished state repartitioning",
    ),
    "a setting that the checkpoint keeps": (
        "Spark 4.2 takes these settings from the checkpoint; the error is for other state stores",
        "[STATE_STORE_INVALID_CONFIG_AFTER_RESTART] Cannot change a from 1 to 2 between restarts.",
    ),
}
# the public questions provoke these
ASKED = {
    question["error"]
    for question in read_toml(
        Path(__file__).parents[1] / "live_query/questions/questions.toml"
    ).values()
    if "error" in question
}
# this takes a Spark without the connector, in a process of its own
IN_ITS_OWN_PROCESS = "connector missing"


@pytest.fixture(scope="module")
def shop(bench: Bench) -> Iterator[Shop]:
    shop = Shop(bench)
    yield shop
    shop.bench.kafka.delete_topics(shop.topics)


@pytest.mark.parametrize("name", PLANTED)
def test_an_error_is_told_by_its_own_name_with_the_original_underneath(shop: Shop, name: str):
    with pytest.raises(Exception) as caught:
        PLANTED[name](shop)
    failure = failure_of(caught.value, phase="query")
    known = spark_error_of(failure)
    assert known is not None and known.name == name, failure.message
    lines = failure_text(failure).splitlines()
    assert lines[0].startswith(f"{known.what_in(failure)} ") and lines[1].startswith("Why: ")
    assert lines[2].startswith("Next: ") and lines[3].startswith("Original message: ")
    assert len(lines[3]) > 30


def test_every_known_error_is_provoked() -> None:
    assert {known.name for known in spark_errors()} == {
        *PLANTED,
        *BROUGHT,
        *NOT_PROVOKED,
        *ASKED,
        IN_ITS_OWN_PROCESS,
    }


@pytest.mark.parametrize("name", NOT_PROVOKED)
def test_what_is_not_provoked_is_known_by_what_spark_says(name: str) -> None:
    _, said = NOT_PROVOKED[name]
    known = spark_error_of(Failure("plan", said, detail=said))
    assert known is not None and known.name == name


def test_a_spark_without_the_connector_is_told_so():
    program = (
        "from grader.runtime import jars, spark_jvm, spark_session\n"
        "from grader.replay.failures import failure_of\n"
        "from grader.judging.wording.spark_errors import spark_error_of\n"
        "spark_jvm.class_path = jars.pyspark_jars\n"
        "spark = spark_session.spark_session()\n"
        "try:\n"
        "    spark.readStream.format('kafka').option('subscribe', 'a').load()\n"
        "except Exception as error:\n"
        "    print('named:', spark_error_of(failure_of(error, phase='plan')).name)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
    )
    assert "named: connector missing" in ran.stdout, ran.stderr[-2000:]


def test_the_words_of_an_aborted_job_are_those_of_its_task(shop: Shop):
    with pytest.raises(Exception) as caught:
        PLANTED["a setting of RocksDB of another type"](shop)
    told = failure_text(failure_of(caught.value, phase="query"))
    assert "Original message: Invalid value for 'spark.sql" in told, told


def test_what_a_table_function_raises_is_told_with_its_step(shop: Shop):
    with pytest.raises(Exception) as caught:
        repartitioned(shop)
    failure = failure_of(caught.value, phase="plan", step=2)
    assert "Spark rejected it when your function was called after step 2." in failure_text(
        failure, "table"
    )
    assert "Spark rejected the query before it ran." in failure_text(failure, "stream")
    own = failure_of(KeyError("value"), phase="plan", step=2)
    assert failure_text(own, "table").startswith(
        "Your function was called after step 2, and an exception"
    )


def test_the_learners_own_line_is_shown_and_never_a_librarys(shop: Shop) -> None:
    told = raised(lambda: processed(lambda processor: processor.count.get()[0])(shop))
    assert "processor.count.get()[0]" in told and "serializers.py" not in told
