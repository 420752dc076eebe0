"""Topics, records in and records out, over kafka-python; for lessons and for replays."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic
from kafka.errors import (
    KafkaConnectionError,
    KafkaError,
    NodeNotReadyError,
    TopicAlreadyExistsError,
    UnknownTopicOrPartitionError,
)

from grader.errors import UserFacingError
from grader.runtime.kafka_settings import login_fix, python_settings
from grader.scenario import Event


class BrokerUnreachable(UserFacingError, RuntimeError):
    """No broker answers; the message says what to do."""


@dataclass(frozen=True)
class Record:
    """One record read back from a topic."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: dict[str, bytes]


class Kafka:
    """A broker as a lesson sees it.

    >>> clicks = kafka.create_topic("clicks")
    >>> kafka.send(clicks, [{"page": "/home"}])
    >>> kafka.read(clicks)
    [{'page': '/home'}]
    """

    def __init__(self, bootstrap_servers: str):
        self.bootstrap_servers = bootstrap_servers
        self._lock = threading.Lock()
        self._admin: KafkaAdminClient | None = None

    def __repr__(self) -> str:
        return f"Kafka({self.bootstrap_servers!r})"

    def create_topic(self, name: str, partitions: int = 1, *, fresh: bool = True) -> str:
        """Create a topic and return its name. With `fresh`, an existing topic is emptied."""
        if fresh and name in self._ask("list_topics"):
            self.delete_topics([name])
        with contextlib.suppress(TopicAlreadyExistsError):
            self._create({name: partitions})
        return name

    def unique_topic(self, stem: str, partitions: int = 1) -> str:
        """Create a topic with a unique name that begins with `stem`."""
        return self.unique_topics({stem: partitions})[stem]

    def unique_topics(self, partitions: Mapping[str, int]) -> dict[str, str]:
        """The same for several at once, given the number of partitions by stem: names by stem."""
        names = {stem: f"{stem}-{uuid.uuid4().hex[:12]}" for stem in partitions}
        self._create({names[stem]: count for stem, count in partitions.items()})
        return names

    def _create(self, partitions: Mapping[str, int]) -> None:
        # as many copies as the broker makes by default: a class's may insist on three
        topics = [NewTopic(name, count, -1) for name, count in partitions.items()]
        self._ask("create_topics", topics)

    def delete_topics(self, names: Iterable[str]) -> None:
        """Delete topics; topics that are gone already cause no error. Waits until they are gone."""
        names = list(names)
        try:
            self._ask("delete_topics", names)
        except UnknownTopicOrPartitionError:  # one of them is: the others each by itself
            for name in names:
                with contextlib.suppress(UnknownTopicOrPartitionError):
                    self._ask("delete_topics", [name])

    def send(
        self,
        topic: str,
        values: Iterable[Any],
        *,
        key: str | None = None,
        partition: int | None = None,
    ) -> None:
        """Send values: dicts as JSON text, strings and bytes as they are. Returns when acknowledged.

        `key` names the field of a dict that becomes the record's key; without it, or if the field
        is null, a record has none.
        """
        with self.line() as line:
            line.send(
                {
                    "topic": topic,
                    "value": _encode(value),
                    "key": _key(value, key),
                    "partition": partition,
                }
                for value in values
            )

    def records(self, topic: str) -> list[Record]:
        """All records that are in a topic now."""
        with self.line() as line:
            return line.records(topic)

    def read(self, topic: str) -> list[Any]:
        """The values in a topic: parsed if they are JSON, text otherwise."""
        return [decode(record.value) for record in self.records(topic)]

    def offsets(self, topic: str) -> dict[int, tuple[int, int]]:
        """By partition, the first offset that a topic holds and the next one that it will give."""
        consumer = self.connect(KafkaConsumer, enable_auto_commit=False)
        try:
            numbers = consumer.partitions_for_topic(topic) or ()
            partitions = [TopicPartition(topic, number) for number in sorted(numbers)]
            first, after = consumer.beginning_offsets(partitions), consumer.end_offsets(partitions)
            return {p.partition: (first[p], after[p]) for p in partitions}
        finally:
            consumer.close()

    @contextlib.contextmanager
    def line(self) -> Iterator[Line]:
        """A producer and a consumer for a few topics; close it before the topics are deleted.

        If a topic is gone, kafka-python 3.0's clients request it without a pause, which takes a whole core.
        So they must not outlive their topics.
        """
        line = Line(self)
        try:
            yield line
        finally:
            line.close()

    def close(self) -> None:
        with self._lock:
            if self._admin is not None:
                self._admin.close()
            self._admin = None

    def _ask(self, request: str, *arguments: Any) -> Any:
        """One request of the admin client, repeated on a new client if the broker was restarted."""
        try:
            return getattr(self._admin_client(), request)(*arguments)
        except (KafkaConnectionError, NodeNotReadyError):
            self.close()
            return getattr(self._admin_client(), request)(*arguments)

    def _admin_client(self) -> KafkaAdminClient:
        with self._lock:
            if self._admin is None:
                self._admin = self.connect(KafkaAdminClient)
            return self._admin

    def connect(self, client: Any, **settings: Any) -> Any:
        """A kafka-python client of this broker; raises BrokerUnreachable with the fix."""
        try:
            return client(bootstrap_servers=self.bootstrap_servers, **settings, **python_settings())
        except KafkaError as error:
            raise BrokerUnreachable(
                f"No Kafka broker answers at {self.bootstrap_servers} ({type(error).__name__}). {_fix()}"
            ) from error


def _fix() -> str:
    if os.environ.get("GRADER_KAFKA"):
        return f"Correct the address in GRADER_KAFKA; if it is right, {login_fix()}."
    return "Restart the kernel and run grader.start() again; `grader doctor` looks for the cause."


class Line:
    """Records to and from a few topics, over clients that are made when they are first needed."""

    def __init__(self, kafka: Kafka):
        self._kafka = kafka
        self._producer = _Client(kafka, KafkaProducer)
        self._consumer = _Client(
            kafka, KafkaConsumer, fetch_max_wait_ms=10, enable_auto_commit=False
        )
        self._read_up_to: dict[TopicPartition, int] = {}

    def get_ready(self, to: Iterable[str], back: Iterable[str]) -> None:
        """Connect during other work, for sending `to` topics and reading others `back`.

        A new client waits a tenth of a second for the metadata of its first topic.
        """
        self._producer.get_ready(lambda producer: [producer.partitions_for(name) for name in to])
        self._consumer.get_ready(
            lambda consumer: [consumer.partitions_for_topic(name) for name in back]
        )

    def feed(self, events: Iterable[Event], topics: dict[str, str]) -> None:
        """Send a scenario's events, in order, to the topics of their inputs."""
        self.send(
            {
                "topic": topics[event.input],
                "value": event.payload(),
                "key": None if event.key is None else event.key.encode(),
                "partition": event.partition,
                "timestamp_ms": event.timestamp_ms(),
            }
            for event in events
        )

    def send(self, records: Iterable[dict[str, Any]]) -> None:
        """Send records (kafka-python's fields) and wait until all are acknowledged."""
        with self._producer.connected() as producer:
            waiting = [producer.send(**record) for record in records]
            producer.flush()
            for sent in waiting:
                sent.get(timeout=30)

    def records(self, topic: str) -> list[Record]:
        """The records in a topic that this line has not returned before."""
        with self._consumer.connected() as consumer:
            found = consumer.partitions_for_topic(topic)
            partitions = [TopicPartition(topic, number) for number in sorted(found or ())]
            if not partitions:
                return []
            consumer.assign(partitions)
            ends = consumer.end_offsets(partitions)
            for partition in partitions:
                consumer.seek(partition, self._read_up_to.get(partition, 0))
            records: list[Record] = []
            while any(consumer.position(p) < ends[p] for p in partitions):
                for polled in consumer.poll(timeout_ms=200).values():
                    records += [
                        Record(r.topic, r.partition, r.offset, r.key, r.value, dict(r.headers))
                        for r in polled
                    ]
        self._read_up_to.update(ends)
        return sorted(records, key=lambda record: (record.partition, record.offset))

    def close(self) -> None:
        self._producer.close()
        self._consumer.close()


class _Client:
    """One kafka-python client, made when it is first needed, used by one thread at a time."""

    def __init__(self, kafka: Kafka, kind: Any, **settings: Any):
        self._connect = partial(kafka.connect, kind, **settings)
        self._lock = threading.Lock()
        self._client: Any = None
        self._closed = False

    @contextlib.contextmanager
    def connected(self) -> Iterator[Any]:
        """The client, this thread's alone for a while; None once it was closed."""
        with self._lock:
            if self._client is None and not self._closed:
                self._client = self._connect()
            yield self._client

    def get_ready(self, ask: Callable[[Any], object]) -> None:
        """Connect and `ask` something in a thread; an error there comes again when one is waited for."""

        def work() -> None:
            with contextlib.suppress(BrokerUnreachable, KafkaError), self.connected() as client:
                if client is not None:
                    ask(client)

        threading.Thread(target=work, daemon=True).start()

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.close()
            self._client, self._closed = None, True


def decode(value: bytes | None) -> Any:
    """A record's value: parsed if it is JSON, text if it is UTF-8, otherwise `{"base64": …}`."""
    if value is None:
        return None
    try:
        return json.loads(value)
    except ValueError:
        pass
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode()}


def _key(value: Any, field: str | None) -> bytes | None:
    found = value.get(field) if field is not None and isinstance(value, dict) else None
    return None if found is None else str(found).encode()


def _encode(value: Any) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    return json.dumps(value, ensure_ascii=False, default=str).encode()
