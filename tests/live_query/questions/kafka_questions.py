"""Questions about the Kafka source and the Kafka sink: their options, offsets and records."""

from kafka import KafkaConsumer, TopicPartition
from kafka.admin import KafkaAdminClient
from kafka.structs import OffsetAndMetadata
from live_query.questions.question_data import SOON, parsed, raw, run, send_raw
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from testkit.planting import Shop, click

import grader


def topic_cut_off(shop: Shop) -> StreamingQuery:
    topic, checkpoint = shop.topic(click(1)), grader.fresh_checkpoint()
    run(shop, shop.clicks(topic), "kafka", checkpoint=checkpoint)
    shop.send(topic, *map(click, range(2, 7)))
    admin = KafkaAdminClient(bootstrap_servers=shop.running.kafka.bootstrap_servers)
    admin.delete_records({TopicPartition(topic, 0): 4})
    admin.close()
    return run(shop, shop.clicks(topic), "kafka", checkpoint=checkpoint)


def fewer_records_than_the_minimum(shop: Shop) -> StreamingQuery:
    topic = shop.topic(click(1))
    query = run(
        shop, parsed(raw(shop, topic, {"minOffsetsPerTrigger": "100"})), "kafka", every=SOON
    )
    shop.send(topic, click(2), click(3))
    query.processAllAvailable()
    return query


def minimum_above_the_maximum(shop: Shop) -> StreamingQuery:
    options = {"minOffsetsPerTrigger": "100", "maxOffsetsPerTrigger": "10"}
    return run(shop, parsed(raw(shop, shop.topic(click(1)), options)), every=SOON)


def timestamp_after_the_newest_record(shop: Shop) -> StreamingQuery:
    options = {"startingOffsets": None, "startingTimestamp": "4102444800000"}
    return run(shop, parsed(raw(shop, shop.topic(click(1)), options)), every=SOON)


def timestamp_with_the_strategy_latest(shop: Shop) -> StreamingQuery:
    options = {
        "startingOffsets": None,
        "startingTimestamp": "4102444800000",
        "startingOffsetsByTimestampStrategy": "latest",
    }
    return run(shop, parsed(raw(shop, shop.topic(click(1), click(2)), options)), every=SOON)


def commits_by_the_consumer(shop: Shop) -> StreamingQuery:
    frame = raw(shop, shop.topic(click(1)), {"kafka.enable.auto.commit": "true"})
    return run(shop, parsed(frame))


def committed_offsets_of_a_group(shop: Shop) -> StreamingQuery:
    topic = shop.topic(click(1), click(2), click(3))
    consumer = KafkaConsumer(group_id=topic, bootstrap_servers=shop.running.kafka.bootstrap_servers)
    consumer.assign([TopicPartition(topic, 0)])
    consumer.commit({TopicPartition(topic, 0): OffsetAndMetadata(1, "", -1)})
    consumer.close()
    options = {"startingOffsets": None, "kafka.group.id": topic}
    return run(shop, parsed(raw(shop, topic, options)), "kafka", every=SOON)


def source_by_an_unknown_name(shop: Shop) -> StreamingQuery:
    return run(shop, shop.running.spark.readStream.format("hive-streaming").load())


def reader_with_parentheses(shop: Shop) -> StreamingQuery:
    return run(shop, shop.running.spark.readStream().format("kafka").load())


def record_above_the_limit(shop: Shop) -> StreamingQuery:
    clicks = shop.clicks(shop.topic(click(1)))
    return run(shop, clicks.select(F.repeat("page", F.lit(500_000)).alias("text")), "kafka")


def records_without_a_value(shop: Shop) -> StreamingQuery:
    topic = shop.topic()
    send_raw(shop, topic, None, None)
    return run(shop, shop.clicks(topic), "kafka", every=SOON)
