"""Questions about joins of two streams, and of a stream with a table."""

from live_query.questions.question_data import SOON, run
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from testkit.planting import Shop, click

import grader

NEAR = "page = tapped AND at BETWEEN event_time AND event_time + INTERVAL 2 MINUTES"


def taps(frame: DataFrame) -> DataFrame:
    return frame.select(F.col("page").alias("tapped"), F.col("event_time").alias("at"))


def both(shop: Shop) -> tuple[DataFrame, DataFrame]:
    left = shop.topic(click(60), click(65, "hats"), click(3600, "coats"), name="left")
    right = shop.topic(click(70), click(3600, "shoes"), name="right")
    return shop.timed(left), taps(shop.timed(right))


def watermark_on_the_right_alone(shop: Shop) -> StreamingQuery:
    left = shop.topic(click(60), click(65, "hats"), click(3600, "coats"), name="left")
    _, right = both(shop)
    frame = shop.clicks(left).join(right, F.expr(NEAR), "left_outer")
    return run(shop, frame, "kafka", every=SOON)


def anti_join_of_streams(shop: Shop) -> StreamingQuery:
    left, right = both(shop)
    return run(shop, left.join(right, F.expr(NEAR), "left_anti"), "kafka")


def outer_join_by_a_key_alone(shop: Shop) -> StreamingQuery:
    left, right = both(shop)
    return run(shop, left.join(right, F.expr("page = tapped"), "left_outer"), "kafka")


def inner_join_without_a_watermark(shop: Shop) -> StreamingQuery:
    left = shop.clicks(shop.topic(click(60), click(65, "hats"), name="left"))
    right = taps(shop.clicks(shop.topic(click(70), click(75), name="right")))
    return run(shop, left.join(right, F.expr("page = tapped")), "kafka", every=SOON)


def joined_with_itself(shop: Shop) -> StreamingQuery:
    clicks = shop.clicks(shop.topic(click(60), click(65)))
    long = clicks.where("page <> ''")
    pairs = clicks.join(long, clicks.page == long.page)
    return run(shop, pairs.select(clicks.page, long.event_time), "kafka")


def table_on_the_left(shop: Shop) -> StreamingQuery:
    prices = shop.running.spark.createDataFrame([("home", 3)], "page STRING, price INT")
    return run(shop, prices.join(shop.clicks(shop.topic(click(5))), "page", "left_outer"))


def click_before_its_row_of_the_table(shop: Shop) -> StreamingQuery:
    prices = shop.running.spark.createDataFrame([("hats", 3)], "page STRING, price INT")
    frame = shop.clicks(shop.topic(click(5), click(6))).join(prices, "page")
    return run(shop, frame, "kafka", every=SOON)


def files_of_the_table_added_later(shop: Shop) -> StreamingQuery:
    spark, folder = shop.running.spark, grader.fresh_checkpoint()
    schema = "page STRING, price INT"
    spark.createDataFrame([("hats", 3)], schema).write.parquet(folder, mode="overwrite")
    topic = shop.topic(click(5))
    frame = shop.clicks(topic).join(spark.read.parquet(folder), "page")
    query = run(shop, frame, "kafka", every=SOON)
    spark.createDataFrame([("home", 4)], schema).write.parquet(folder, mode="append")
    shop.send(topic, click(6))
    query.processAllAvailable()
    return query


def deduplicated_after_a_join(shop: Shop) -> StreamingQuery:
    left, right = both(shop)
    pairs = left.join(right, F.expr(NEAR)).dropDuplicates(["page"])
    return run(shop, pairs, "kafka")
