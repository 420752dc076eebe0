"""The lab's broker, and Spark's producers, which must not outlive the topics that they write to."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from grader.replay.kafka import Kafka

# Spark looks once a minute for producers to close. Its own ten minutes are longer than Kafka's five
# after which a producer asks for all its topics.
PRODUCERS_IDLE = {"spark.kafka.producer.cache.timeout": "1ms"}
_POOL = "org.apache.spark.sql.kafka010.producer.InternalKafkaProducerPool"


class LabKafka(Kafka):
    """A broker beside a Spark session: before topics go, the producers go that nothing uses.

    A producer that knows little of its next topic, as on a loaded machine, asks for all topics of its
    last five minutes; a broker that makes topics when they are asked for (Kafka's default) makes those
    anew that were deleted meanwhile. The session must have been started with PRODUCERS_IDLE.
    """

    def __init__(self, bootstrap_servers: str, spark: SparkSession):
        super().__init__(bootstrap_servers)
        self._spark = spark

    def delete_topics(self, names: Iterable[str]) -> None:
        """Delete topics; those that are gone already are no error. Waits until they are gone."""
        with contextlib.suppress(Py4JError):  # Spark was stopped, and its producers with it
            close_idle_producers(self._spark)
        super().delete_topics(names)


def close_idle_producers(spark: SparkSession) -> None:
    """Close the Kafka producers that Spark keeps for later and no query uses now."""
    pool = producer_pool(spark)
    _opened(pool.getClass().getDeclaredMethod("evictExpired", None)).invoke(pool, None)


def producer_pool(spark: SparkSession) -> Any:
    """Spark's own pool of producers; it has no public way to it."""
    jvm = spark._jvm
    assert jvm is not None
    pools = jvm.org.apache.spark.util.Utils.classForName(f"{_POOL}$", True, False)
    single = pools.getField("MODULE$").get(None)
    return _opened(pools.getDeclaredMethod("pool", None)).invoke(single, None)


def _opened(method: Any) -> Any:
    method.setAccessible(True)
    return method
