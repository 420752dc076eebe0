"""The topics of a Kafka source as their broker knows them now, with a short limit for its answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from py4j.java_gateway import JavaObject
from pyspark.sql import SparkSession

from grader.live_query.observation import LIMIT_SECONDS
from grader.runtime.spark_internals.java_gateway import java

_DESCRIPTION = re.compile(r"^KafkaV2\[(Subscribe|SubscribePattern|Assign)\[(.*)\]\]$", re.DOTALL)
_KINDS = {"subscribe": "Subscribe", "subscribepattern": "SubscribePattern", "assign": "Assign"}


@dataclass(frozen=True)
class Span:
    """A partition: its first offset, the next one, and `stable`, before which no transaction is open."""

    first: int
    stable: int
    after: int


@dataclass(frozen=True)
class KafkaSource:
    """The options of one Kafka source, names in lower case, and the topics that it reads.

    `topics` has the partitions of each topic by number; None while its broker has not answered.
    """

    options: dict[str, str]
    topics: dict[str, dict[int, Span]] | None = None

    @property
    def servers(self) -> str:
        return self.options.get("kafka.bootstrap.servers", "")

    @property
    def given(self) -> tuple[str, str]:
        """How the topics are chosen, with Spark's name in a source's description, and the value."""
        for option, kind in _KINDS.items():
            if option in self.options:
                return kind, self.options[option]
        return "", ""

    @property
    def name(self) -> str:
        kind, value = self.given
        if kind == "SubscribePattern":
            return ", ".join(sorted(self.topics)) if self.topics else value
        if kind == "Assign":
            return ", ".join(sorted(_assigned(value)))
        return ", ".join(_names(value)) if kind else "kafka"

    def is_described(self, description: str) -> bool:
        """Whether a source in a progress report is this one."""
        found = _DESCRIPTION.match(description)
        kind, value = self.given
        if found is None or found[1] != kind:
            return False
        if kind == "Subscribe":
            return _names(found[2]) == _names(value)
        if kind == "Assign":
            parts = {f"{name}-{part}" for name, many in _assigned(value).items() for part in many}
            return set(_names(found[2])) == parts
        return found[2] == value


def asked(spark: SparkSession, source: KafkaSource) -> KafkaSource:
    """The source with its topics. Raises Py4JJavaError if the broker gives no answer within the limit."""
    jvm = java(spark)
    limit = LIMIT_SECONDS * 1000
    settings = jvm.java.util.Properties()
    for name, value in source.options.items():
        if name.startswith("kafka."):
            settings.put(name.removeprefix("kafka."), value)
    settings.put("default.api.timeout.ms", str(limit))
    settings.put("request.timeout.ms", str(limit - 500))
    admin = jvm.org.apache.kafka.clients.admin.AdminClient.create(settings)
    try:
        return KafkaSource(source.options, _topics(jvm, admin, source))
    finally:
        admin.close(jvm.java.time.Duration.ofMillis(0))


def _topics(jvm: Any, admin: JavaObject, source: KafkaSource) -> dict[str, dict[int, Span]]:
    kind, value = source.given
    there = {str(name) for name in _answer(jvm, admin.listTopics().names())}
    assigned: Mapping[str, Iterable[int]] = _assigned(value) if kind == "Assign" else {}
    if kind == "SubscribePattern":
        wanted = {name for name in there if jvm.java.util.regex.Pattern.matches(value, name)}
    else:
        wanted = set(assigned) if kind == "Assign" else set(_names(value))
    names = jvm.java.util.ArrayList()
    for name in wanted & there:
        names.add(name)
    described = _answer(jvm, admin.describeTopics(names).allTopicNames())
    partitions = [
        (str(entry.getKey()), int(part.partition()))
        for entry in described.entrySet()
        for part in entry.getValue().partitions()
    ]
    if kind == "Assign":
        partitions = [(name, part) for name, part in partitions if part in assigned[name]]
    spec, levels = jvm.org.apache.kafka.clients.admin.OffsetSpec, jvm.org.apache.kafka.common
    first = _offsets(jvm, admin, partitions, spec.earliest(), None)
    after = _offsets(jvm, admin, partitions, spec.latest(), None)
    stable = _offsets(jvm, admin, partitions, spec.latest(), levels.IsolationLevel.READ_COMMITTED)
    found: dict[str, dict[int, Span]] = {name: {} for name in wanted}
    for name, part in sorted(partitions):
        key = name, part
        found[name][part] = Span(first[key], stable[key], after[key])
    return found


def _offsets(
    jvm: Any, admin: JavaObject, partitions: list[tuple[str, int]], spec: JavaObject, level: Any
) -> dict[tuple[str, int], int]:
    wanted = jvm.java.util.HashMap()
    for name, part in partitions:
        wanted.put(jvm.org.apache.kafka.common.TopicPartition(name, part), spec)
    options = jvm.org.apache.kafka.clients.admin.ListOffsetsOptions
    listed = admin.listOffsets(wanted, options(level) if level is not None else options())
    return {
        (str(entry.getKey().topic()), int(entry.getKey().partition())): int(
            entry.getValue().offset()
        )
        for entry in _answer(jvm, listed.all()).entrySet()
    }


def _answer(jvm: Any, future: JavaObject) -> Any:
    return future.get(LIMIT_SECONDS, jvm.java.util.concurrent.TimeUnit.SECONDS)


def _names(given: str) -> list[str]:
    return sorted(name.strip() for name in given.split(",") if name.strip())


def _assigned(value: str) -> dict[str, list[int]]:
    """Partitions by topic, as the option `assign` names them; none if it is not a JSON object."""
    try:
        read = json.loads(value)
    except ValueError:
        return {}
    return (
        {str(name): list(parts) for name, parts in read.items()} if isinstance(read, dict) else {}
    )
