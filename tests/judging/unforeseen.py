"""Wrong answers that no author foresaw, by exercise; NAMED says which known mistake each one is, if any.

Those of lessons 04 to 08 stand in `unforeseen_later`.
"""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

CLICK = "event_id STRING, user_id STRING, page STRING, ms_on_page INT, event_time TIMESTAMP"
POLICY = "spark.sql.streaming.multipleWatermarkPolicy"
# what is made in one play and still there in the next
_FOLDER = tempfile.TemporaryDirectory(prefix="unforeseen-")
FOLDER = Path(_FOLDER.name)

ANSWERS: dict[str, dict[str, Callable[..., Any]]] = {}
NAMED: dict[str, str] = {}


def of(exercise: str, named: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def keep(answer: Callable[..., Any]) -> Callable[..., Any]:
        ANSWERS.setdefault(exercise, {})[answer.__name__] = answer
        if named:
            NAMED[answer.__name__] = named
        return answer

    return keep


def in_windows(clicks: DataFrame, *by: Any) -> DataFrame:
    return counted(clicks, F.window("event_time", "5 minutes"), *by)


def counted(clicks: DataFrame, *by: Any) -> DataFrame:
    return clicks.groupBy(*by).agg(F.count("*").alias("clicks"))


@of("00.3")
def asks_whether_it_is_empty(clicks: DataFrame) -> DataFrame | None:
    short = clicks.filter("ms_on_page < 2000")
    if short.isEmpty():
        return None
    return short.selectExpr("event_id", "page", "ms_on_page / 1000 AS seconds")


@of("00.3", named="whole_seconds")
def casts_to_int(clicks: DataFrame) -> DataFrame:
    short = clicks.filter("ms_on_page < 2000")
    return short.selectExpr("event_id", "page", "INT(ms_on_page / 1000) AS seconds")


@of("00.3")
def keeps_all_columns(clicks: DataFrame) -> DataFrame:
    return clicks.filter("ms_on_page < 2000").withColumn("seconds", F.col("ms_on_page") / 1000)


def routed(clicks: DataFrame, topic: Column, kafka: Any) -> DataStreamWriter:
    rows = clicks.select("key", "value", topic.alias("topic")).writeStream.format("kafka")
    return rows.option("kafka.bootstrap.servers", kafka.bootstrap_servers)


def readable() -> Column:
    click = F.from_json(F.col("value").cast("string"), CLICK)
    there = [click[name].isNotNull() for name in ("event_id", "page", "event_time")]
    return there[0] & there[1] & there[2] & click["page"].startswith("/")


@of("01.1")
def topics_by_their_plain_names(clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    return routed(clicks, F.when(readable(), "valid").otherwise("dead"), kafka)


@of("01.1")
def topics_swapped(clicks: DataFrame, kafka: Any) -> DataStreamWriter:
    good = F.coalesce(readable(), F.lit(False))
    topic = F.when(good, kafka.topic("dead")).otherwise(kafka.topic("valid"))
    return routed(clicks, topic, kafka)


def unpaid(orders: DataFrame, kafka: Any) -> DataFrame:
    """The orders of a batch that have no record in the topic."""
    source = orders.sparkSession.read.format("kafka").option("subscribe", kafka.topic("payments"))
    written = source.option("kafka.bootstrap.servers", kafka.bootstrap_servers).load()
    keys = written.select(F.col("key").cast("string").alias("order_id")).distinct()
    return orders.join(keys, "order_id", "left_anti")


def pay(orders: DataFrame, kafka: Any) -> None:
    value = F.to_json(F.struct("order_id", "amount_cents")).alias("value")
    sink = orders.select(F.col("order_id").alias("key"), value).write.format("kafka")
    sink = sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    sink.option("topic", kafka.topic("payments")).save()


@of("01.5", named="asks_the_topic_alone")
def twice_in_one_batch(orders: DataFrame, kafka: Any) -> DataStreamWriter:
    return orders.writeStream.foreachBatch(lambda batch, _id: pay(unpaid(batch, kafka), kafka))


@of("01.5")
def ids_in_a_file(orders: DataFrame, kafka: Any) -> DataStreamWriter:
    path = FOLDER / "ids"

    def write(batch: DataFrame, _id: int) -> None:
        known = path.read_text().split() if path.exists() else []
        new = batch.dropDuplicates(["order_id"]).filter(~F.col("order_id").isin(known)).collect()
        pay(batch.sparkSession.createDataFrame(new, batch.schema), kafka)
        path.write_text(" ".join([*known, *[row.order_id for row in new]]))

    return orders.writeStream.foreachBatch(write)


@of("02.1")
def the_first_click(clicks: DataFrame) -> DataFrame:
    last = F.first("event_time").alias("last_click")
    return clicks.groupBy("page").agg(F.count("*").alias("clicks"), last)


@of("02.1", named="counts_visitors")
def a_set_of_visitors(clicks: DataFrame) -> DataFrame:
    visitors = F.size(F.collect_set("visitor")).alias("clicks")
    return clicks.groupBy("page").agg(visitors, F.max("event_time").alias("last_click"))


@of("02.2")
def asks_for_the_average(spark: SparkSession, checkpoint: str) -> DataFrame:
    state = spark.read.format("statestore").load(checkpoint)
    return state.selectExpr("key.page", "value.count AS clicks", "value.avg AS avg_seconds")


def stamped(spark: SparkSession, kafka: Any, path: Path) -> DataStreamWriter:
    """The counts of a query that keeps them in a file."""
    orders = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", kafka.topic("orders"))
        .option("startingOffsets", "earliest")
        .load()
        .select(F.from_json(F.col("value").cast("string"), "customer STRING").alias("o"))
    )

    def write(batch: DataFrame, _id: int) -> None:
        cards = json.loads(path.read_text()) if path.exists() else {}
        rows = [row.customer for row in batch.select("o.customer").collect()]
        cards |= {customer: cards.get(customer, 0) + rows.count(customer) for customer in rows}
        path.write_text(json.dumps(cards))
        told = [(c, json.dumps({"customer": c, "orders": cards[c]})) for c in set(rows)]
        if told:
            sink = batch.sparkSession.createDataFrame(told, "key STRING, value STRING").write
            sink = sink.format("kafka").option("topic", kafka.topic("cards"))
            sink.option("kafka.bootstrap.servers", kafka.bootstrap_servers).save()

    return orders.writeStream.foreachBatch(write)


@of("02.3")
def counts_in_a_file_that_stays(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    return stamped(spark, kafka, FOLDER / "cards.json")


@of("02.3", named="adds_to_what_it_wrote")
def counts_in_a_file_of_its_own(spark: SparkSession, kafka: Any) -> DataStreamWriter:
    return stamped(spark, kafka, FOLDER / kafka.topic("cards"))


def by_hour(clicks: DataFrame, count: Column) -> DataFrame:
    hours = clicks.groupBy(F.window("event_time", "1 hour"), "page").agg(count.alias("clicks"))
    return hours.select(F.col("window.start").alias("hour"), "page", "clicks")


@of("02.4")
def ids_counted_roughly(clicks: DataFrame) -> DataFrame:
    late = clicks.withWatermark("event_time", "10 minutes")
    return by_hour(late, F.approx_count_distinct("event_id"))


@of("02.4")
def two_hours_of_patience(clicks: DataFrame) -> DataFrame:
    late = clicks.withWatermark("event_time", "2 hours")
    return by_hour(late.dropDuplicatesWithinWatermark(["event_id"]), F.count("*"))


def by_minute(clicks: DataFrame, delay: str) -> DataFrame:
    return counted(clicks.withWatermark("event_time", delay), F.window("event_time", "1 minute"))


for delay in ("8", "9", "20", "30", "190"):
    name = f"seconds_{delay}"
    ANSWERS.setdefault("03.1", {})[name] = lambda c, d=delay: by_minute(c, f"{d} seconds")


@of("03.2")
def windows_of_ten_minutes(clicks: DataFrame) -> DataFrame:
    late = clicks.withWatermark("event_time", "10 seconds")
    return counted(late, F.window("event_time", "10 minutes"), "page")


@of("03.2", named="windows_that_overlap")
def windows_that_slide(clicks: DataFrame) -> DataFrame:
    late = clicks.withWatermark("event_time", "10 seconds")
    return counted(late, F.window("event_time", "5 minutes", "1 minute"), "page")


@of("03.2", named="no_watermark")
def grouped_by_the_page_alone(clicks: DataFrame) -> DataFrame:
    return counted(clicks.withWatermark("event_time", "10 seconds"), "page")


@of("03.2")
def five_seconds(clicks: DataFrame) -> DataFrame:
    return in_windows(clicks.withWatermark("event_time", "5 seconds"), "page")


def both(web: DataFrame, kiosk: DataFrame, delays: tuple[str, str]) -> DataFrame:
    late = (
        stream.withWatermark("event_time", d)
        for stream, d in zip((web, kiosk), delays, strict=True)
    )
    return next(late).unionByName(next(late))


@of("03.3", named="delays_swapped")
def delays_the_other_way_round(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    spark.conf.set(POLICY, "max")
    return in_windows(both(web, kiosk, ("1 minute", "10 seconds")))


@of("03.3", named="only_the_web_tells_time")
def an_hour_for_the_kiosk(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    spark.conf.set(POLICY, "max")
    return in_windows(both(web, kiosk, ("10 seconds", "1 hour")))


@of("03.3", named="ten_seconds_for_both")
def ten_seconds_each(spark: SparkSession, web: DataFrame, kiosk: DataFrame) -> DataFrame:
    spark.conf.set(POLICY, "max")
    return in_windows(both(web, kiosk, ("10 seconds", "10 seconds")))


@of("03.4", named="one_watermark_for_both")
def one_watermark_after_the_union(
    spark: SparkSession, app: DataFrame, kiosk: DataFrame
) -> DataFrame:
    clicks = app.withColumn("event_time", F.timestamp_millis("sent"))
    taps = kiosk.withColumn("event_time", F.timestamp_seconds("sent"))
    return in_windows(clicks.unionByName(taps).withWatermark("event_time", "10 seconds"))


@of("03.4", named="kiosk_by_time_of_arrival")
def received_for_the_kiosk(spark: SparkSession, app: DataFrame, kiosk: DataFrame) -> DataFrame:
    clicks = app.withColumn("event_time", F.timestamp_millis("sent"))
    taps = kiosk.withColumn("event_time", F.col("received"))
    return in_windows(both(clicks, taps, ("10 seconds", "1 minute")))
