"""The lab's broker, and Spark's producers, which must not outlive the topics that they write to."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from grader.replay.kafka import Kafka
from grader.runtime.spark_internals.session_internals import close_idle_producers


class LabKafka(Kafka):
    """A broker with a Spark session: before it deletes topics, it closes the producers that nothing uses.

    On a loaded machine, a producer may know little about its next topic. Then it requests all topics of its
    last five minutes. By default a Kafka broker creates topics on request, so it would recreate topics that
    were deleted meanwhile. Spark itself closes idle producers once a minute (`PRODUCERS_IDLE`, in
    grader.runtime.spark_session).
    """

    def __init__(self, bootstrap_servers: str, spark: SparkSession):
        super().__init__(bootstrap_servers)
        self._spark = spark

    def delete_topics(self, names: Iterable[str]) -> None:
        """Delete topics; topics that are gone already cause no error. Waits until they are gone."""
        with contextlib.suppress(Py4JError):  # Spark was stopped, and its producers with it
            close_idle_producers(self._spark)
        super().delete_topics(names)
