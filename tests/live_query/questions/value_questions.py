"""Questions about values and expressions: parsing, numbering, types of time."""

from live_query.questions.question_data import SOON, parsed, raw, run, send_raw
from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from testkit.planting import Shop, by_minute, click


def bad_record_in_failfast_mode(shop: Shop) -> StreamingQuery:
    topic = shop.topic(click(1))
    send_raw(shop, topic, b'{"page": "home", "event_time"')
    return run(shop, parsed(raw(shop, topic), options={"mode": "FAILFAST"}), "kafka", every=SOON)


def numbered_by_row(shop: Shop) -> StreamingQuery:
    newest = Window.partitionBy("page").orderBy(F.desc("event_time"))
    clicks = shop.clicks(shop.topic(click(1), click(2)))
    return run(shop, clicks.withColumn("n", F.row_number().over(newest)).where("n = 1"))


def watermark_on_a_string(shop: Shop) -> StreamingQuery:
    clicks = shop.clicks(shop.topic(click(1)), schema="page STRING, event_time STRING")
    return run(shop, by_minute(clicks.withWatermark("event_time", "10 seconds")))


def nanoseconds_since_1970(shop: Shop) -> StreamingQuery:
    topic = shop.topic(
        {"page": "home", "nanos": 1424686735175000000},
        {"page": "home", "nanos": 1424686835175000000},
    )
    clicks = shop.clicks(topic, schema="page STRING, nanos BIGINT")
    timed = clicks.select("page", F.timestamp_micros("nanos").alias("event_time"))
    return run(
        shop, by_minute(timed.withWatermark("event_time", "10 seconds")), "kafka", every=SOON
    )
