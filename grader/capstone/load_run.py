"""A run: start the load and the pipeline, kill it now and then, stop the load, and read all to the end."""

from __future__ import annotations

import random as randoms
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack

from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
from kafka.admin import NewTopic

from grader.capstone.click_load import Clicks
from grader.capstone.outcome import Alarm, Outcome
from grader.capstone.pipeline_process import Pipeline, PipelineError
from grader.capstone.shop_broker import SecuredKafka, Shop
from grader.runtime.scratch_folders import make_scratch, remove_scratch

CLICKS, ALARMS = "clicks", "alarms"
PARTITIONS = 2
DRAIN_SECONDS = 120.0


def run(
    shop: Shop,
    pipeline: str,
    *,
    settings: Mapping[str, str],
    rate: float = 5000,
    seconds: float = 20,
    kills: int = 0,
    limit: int = 5000,
    trigger: str = "5 seconds",
    fast: bool = True,
    random: randoms.Random | None = None,
    watch: Callable[[str], None] = print,
) -> Outcome:
    """Run a pipeline under load: `seconds` without a kill, then each kill at a random moment of a trigger.

    The source text `pipeline` defines `pipeline(spark, kafka)`: a writer, not started, from the topic
    "clicks" to the topic "alarms". The `rate` is clicks per second. A kill is over when the restarted query
    has caught up. The topics stay, so that others can read the same clicks. Raises PipelineError if the
    pipeline ends by itself or does not read everything.
    """
    random = random or randoms.Random()
    kafka = shop.kafka
    outages = []
    with ExitStack() as ends:
        ends.callback(kafka.close)
        _make_topics(kafka)
        folder = make_scratch("checkpoint")
        ends.callback(remove_scratch, folder)
        topics = {name: name for name in (CLICKS, ALARMS)}
        running = Pipeline(shop, pipeline, topics, settings, folder, trigger, fast)
        ends.callback(running.stop)
        load = Clicks(kafka, CLICKS, rate, limit)
        ends.callback(load.abandon)  # its thread would send to the topics of the next run
        watch("the pipeline starts")
        running.start()
        load.start()
        watch(f"{rate:,.0f} clicks a second, for {seconds:g} s")
        running.wait(seconds)
        for number in range(1, kills + 1):
            running.wait(random.uniform(0, 5))
            watch(f"kill {number} of {kills}")
            killed = _now()
            running.kill()
            running.start()
            outages.append((killed, _caught_up(running)))
        load.stop()
        watch("the load is off; the last clicks are read")
        _read_all(running, kafka)
        running.stop()
        alarms = _alarms(kafka)
        return Outcome(alarms, load.counts, load.crossed, running.batches, load.sent, outages)


def _now() -> int:
    return time.time_ns() // 1_000_000


def _make_topics(kafka: SecuredKafka) -> None:
    """Fresh topics; the broker stamps an alarm when it is written, for its latency."""
    stamped = {"message.timestamp.type": "LogAppendTime"}
    kafka.delete_topics([CLICKS, ALARMS])
    admin = kafka.connect(KafkaAdminClient)
    try:
        admin.create_topics(
            [
                NewTopic(CLICKS, PARTITIONS, -1),
                NewTopic(ALARMS, 1, -1, topic_configs=stamped),
            ]
        )
    finally:
        admin.close()


def _caught_up(running: Pipeline) -> int:
    """Wait until two batches of this start are over: the killed one again, then what waited; the moment."""
    before = len(running.batches)
    deadline = time.monotonic() + DRAIN_SECONDS
    while len(running.batches) < before + 2:
        running.wait(0.1)
        if time.monotonic() > deadline:
            raise PipelineError(f"no two batches were over {DRAIN_SECONDS:.0f} s after a restart")
    return _now()


def _read_all(running: Pipeline, kafka: SecuredKafka) -> None:
    """Wait until a committed batch has read the last record."""
    ends = {number: after for number, (_, after) in kafka.offsets(CLICKS).items()}
    deadline = time.monotonic() + DRAIN_SECONDS
    while running.read_up_to() != ends:
        running.wait(0.1)
        if time.monotonic() > deadline:
            raise PipelineError(
                f"read up to {running.read_up_to()} of {ends} in {DRAIN_SECONDS:.0f} s: the pipeline "
                "does not keep up"
            )


def _alarms(kafka: SecuredKafka) -> list[Alarm]:
    """All alarms in the topic, in their order, with the time at which each was written."""
    consumer = kafka.connect(KafkaConsumer, enable_auto_commit=False)
    try:
        partition = TopicPartition(ALARMS, 0)
        consumer.assign([partition])
        consumer.seek_to_beginning(partition)
        end = consumer.end_offsets([partition])[partition]
        found = []
        while consumer.position(partition) < end:
            for records in consumer.poll(timeout_ms=1000).values():
                found += [Alarm.of(r.key, r.value, r.timestamp) for r in records]
        return found
    finally:
        consumer.close()
