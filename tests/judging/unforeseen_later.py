"""Wrong answers that no author foresaw, of lessons 04 to 08; what they are for stands in `unforeseen`."""

from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter
from unforeseen import of


def half_hours(orders: DataFrame) -> DataFrame:
    windows = orders.groupBy(F.window("order_time", "30 minutes", startTime="10 minutes"))
    return windows.agg(F.count("*").alias("orders"), F.sum("cents").alias("revenue"))


@of("04.1")
def copies_taken_out(orders: DataFrame) -> DataFrame:
    late = orders.withWatermark("order_time", "5 minutes")
    return half_hours(late.dropDuplicates(["order_time", "cents"]))


@of("04.1")
def returns_left_out(orders: DataFrame) -> DataFrame:
    return half_hours(orders.withWatermark("order_time", "5 minutes").where("cents > 0"))


@of("04.1")
def named_by_their_start(orders: DataFrame) -> DataFrame:
    late = half_hours(orders.withWatermark("order_time", "5 minutes"))
    return late.withColumn("window", F.col("window.start"))


def minutes_of(sales: DataFrame, delay: str) -> DataFrame:
    late = sales.withWatermark("sold_at", delay).groupBy(F.window("sold_at", "1 minute"), "till")
    return late.agg(F.sum("cents").alias("cents"))


@of("04.4")
def twenty_minutes(sales: DataFrame) -> DataFrame:
    return minutes_of(sales, "20 minutes").selectExpr("window.start AS minute", "till", "cents")


@of("04.4")
def minutes_as_text(sales: DataFrame) -> DataFrame:
    minute = F.date_format("window.start", "HH:mm").alias("minute")
    return minutes_of(sales, "20 seconds").select(minute, "till", "cents")


@of("04.4")
def tills_without_a_name_left_out(sales: DataFrame) -> DataFrame:
    named = sales.where(F.col("till").isNotNull())
    return minutes_of(named, "20 seconds").selectExpr("window.start AS minute", "till", "cents")


def tens_of(events: DataFrame) -> DataFrame:
    late = events.withWatermark("event_time", "1 minute")
    return late.groupBy(F.window("event_time", "10 minutes"), "user_id").count()


def by_hour(counts: DataFrame, hour: Column) -> DataFrame:
    return counts.groupBy(hour, "user_id").agg(F.avg("count").alias("average"))


@of("05.1", named="a_second_watermark")
def a_watermark_for_the_second_level(events: DataFrame) -> DataFrame:
    counts = tens_of(events).withWatermark("window", "1 minute")
    return by_hour(counts, F.window("window", "1 hour"))


@of("05.1", named="a_second_watermark")
def a_watermark_at_the_end(events: DataFrame) -> DataFrame:
    hours = by_hour(tens_of(events), F.window("window", "1 hour"))
    return hours.withWatermark("window", "1 minute")


@of("05.1", named="window_of_the_start")
def the_hour_cut_off(events: DataFrame) -> DataFrame:
    hour = F.date_trunc("hour", F.col("window.start")).alias("window")
    return by_hour(tens_of(events), hour)


def hours_of(orders: DataFrame, hour: Column) -> DataFrame:
    minutes = (
        orders.withWatermark("order_time", "1 minute")
        .groupBy(F.window("order_time", "1 minute"))
        .agg(F.sum("amount").alias("revenue"))
    )
    return minutes.groupBy(hour).agg(
        F.count("*").alias("minutes"),
        F.sum("revenue").alias("revenue"),
        F.max("revenue").alias("best"),
    )


def sent(rows: DataFrame, kafka: Any, topic: str, key: str | None = None) -> DataStreamWriter:
    value = F.to_json(F.struct("*"), {"ignoreNullFields": "false"}).alias("value")
    columns = [F.col(key).alias("key"), value] if key else [value]
    writer = rows.select(*columns).writeStream.format("kafka")
    writer = writer.option("kafka.bootstrap.servers", kafka.bootstrap_servers)
    return writer.option("topic", kafka.topic(topic))


@of("05.4")
def minutes_with_revenue_alone(
    spark: SparkSession, kafka: Any, orders: DataFrame
) -> DataStreamWriter:
    hours = hours_of(orders.where("amount IS NOT NULL"), F.window("window", "1 hour"))
    return sent(hours, kafka, "hours").outputMode("append")


@of("05.4")
def the_start_of_the_hour_told(
    spark: SparkSession, kafka: Any, orders: DataFrame
) -> DataStreamWriter:
    hours = hours_of(orders, F.window("window", "1 hour"))
    told = hours.withColumn("window", F.col("window.start"))
    return sent(told, kafka, "hours").outputMode("append")


@of("05.4")
def started_by_itself(spark: SparkSession, kafka: Any, orders: DataFrame) -> Any:
    hours = hours_of(orders, F.window("window", "1 hour"))
    return sent(hours, kafka, "hours").outputMode("append").start()


def clicked(impressions: DataFrame, clicks: DataFrame, until: str) -> DataFrame:
    late = impressions.withWatermark("impression_time", "2 hours")
    condition = f"clicked_ad_id = ad_id AND click_time >= impression_time AND {until}"
    joined = late.join(
        clicks.withWatermark("click_time", "3 hours"), F.expr(condition), "leftOuter"
    )
    hours = joined.groupBy(F.window("impression_time", "1 hour"), "ad_id")
    return hours.agg(F.count("click_time").alias("clicks"))


@of("06.1")
def exactly_an_hour_left_out(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    until = "click_time < impression_time + INTERVAL 1 HOUR"
    return clicked(impressions, clicks, until)


@of("06.1", named="open_ended")
def in_the_hour_of_the_clock(impressions: DataFrame, clicks: DataFrame) -> DataFrame:
    until = "DATE_TRUNC('hour', click_time) = DATE_TRUNC('hour', impression_time)"
    return clicked(impressions, clicks, until)


def paid(orders: DataFrame, payments: DataFrame, between: str) -> DataFrame:
    accepted = payments.where("status = 'ok'").withWatermark("paid_time", "2 minutes")
    condition = F.expr(f"paid_order_id = order_id AND {between}")
    late = orders.withWatermark("order_time", "1 minute")
    return late.join(accepted, condition, "leftOuter").select("order_id", "paid_time")


@of("06.2")
def a_quarter_of_an_hour_left_out(orders: DataFrame, payments: DataFrame) -> DataFrame:
    until = "paid_time >= order_time AND paid_time < order_time + INTERVAL 15 MINUTES"
    return paid(orders, payments, until)


@of("06.2")
def orders_without_an_id_left_out(orders: DataFrame, payments: DataFrame) -> DataFrame:
    until = "paid_time >= order_time AND paid_time <= order_time + INTERVAL 15 MINUTES"
    return paid(orders.where("order_id IS NOT NULL"), payments, until)


@of("07.1")
def all_columns_compared(orders: DataFrame) -> DataFrame:
    late = orders.withWatermark("sent_at", "5 minutes").dropDuplicatesWithinWatermark()
    return late.select("order_id", "item")


@of("07.1")
def twice_as_patient(orders: DataFrame) -> DataFrame:
    late = orders.withWatermark("sent_at", "10 minutes")
    return late.dropDuplicatesWithinWatermark(["order_id"]).select("order_id", "item")


@of("07.1")
def surprises_left_out(orders: DataFrame) -> DataFrame:
    late = orders.where("item IS NOT NULL").withWatermark("sent_at", "5 minutes")
    return late.dropDuplicatesWithinWatermark(["order_id"]).select("order_id", "item")


def totals(bookings: DataFrame, count: str) -> DataFrame:
    once = bookings.withWatermark("booked_at", "10 minutes").dropDuplicatesWithinWatermark(
        ["order_id", "kind"]
    )
    counts = once.groupBy("method").agg(
        F.expr(count).alias("bookings"), F.sum("cents").alias("cents")
    )
    return counts.select("method", "bookings", "cents")


def on_the_screen(counts: DataFrame, kafka: Any, mode: str) -> DataStreamWriter:
    return sent(counts, kafka, "screen", key="method").outputMode(mode)


@of("07.5")
def amounts_that_are_known(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    return on_the_screen(totals(bookings, "COUNT(cents)"), kafka, "update")


@of("07.5")
def in_append_mode(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    return on_the_screen(totals(bookings, "COUNT(*)"), kafka, "append")


@of("07.5", named="refund_for_its_sale")
def sales_alone(bookings: DataFrame, kafka: Any) -> DataStreamWriter:
    return on_the_screen(totals(bookings.where("kind = 'sale'"), "COUNT(*)"), kafka, "update")


def visits_with(events: DataFrame, gap: Column, count: str = "*") -> DataFrame:
    late = events.withWatermark("event_time", "10 minutes")
    sessions = late.groupBy(F.session_window("event_time", gap), "user_id")
    return sessions.agg(F.count(count).alias("events"))


def gap_of(first: str, second: str, other: str) -> Column:
    kind = F.col("event_type")
    return F.when(kind == 1, first).when(kind == 2, second).otherwise(other)


@of("08.1")
def types_that_are_known(events: DataFrame) -> DataFrame:
    return visits_with(events, gap_of("5 seconds", "20 seconds", "5 minutes"), "event_type")


@of("08.1")
def gaps_the_other_way_round(events: DataFrame) -> DataFrame:
    return visits_with(events, gap_of("20 seconds", "5 seconds", "5 minutes"))


@of("08.1")
def minutes_for_seconds(events: DataFrame) -> DataFrame:
    return visits_with(events, gap_of("5 minutes", "20 minutes", "5 minutes"))


def taps_of(taps: DataFrame, user: Column) -> DataFrame:
    late = taps.withColumn("user", user).withWatermark("event_time", "10 minutes")
    sessions = late.groupBy(F.session_window("event_time", "30 minutes"), "device", "user")
    told = sessions.agg(
        F.min("event_time").alias("began"),
        F.max("event_time").alias("last_tap"),
        F.count("*").alias("taps"),
    )
    return told.select("device", "user", "began", "last_tap", "taps")


@of("08.3")
def guests_by_a_name(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    told = taps_of(taps, F.coalesce("user", F.lit("guest")))
    return sent(told, kafka, "sessions", key="device").outputMode("append")


@of("08.3")
def the_user_is_the_key(taps: DataFrame, kafka: Any) -> DataStreamWriter:
    told = taps_of(taps, F.col("user"))
    return sent(told, kafka, "sessions", key="user").outputMode("append")
