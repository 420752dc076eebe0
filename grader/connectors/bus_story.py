"""A reader on a bus, driven as Spark drives one, through a story of batches, kills and lost calls."""

from __future__ import annotations

import inspect
import json
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import grpc
from google.api_core.exceptions import Aborted
from google.pubsub_v1 import PublisherClient, SubscriberClient, types
from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport
from pyspark import cloudpickle
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable

from grader.connectors.pubsub import LEAST_DEADLINE, ManualClock, PubSub

TOPIC, ORDERS = "projects/shop/topics/orders", "projects/shop/subscriptions/orders"
KILLS = (
    "before its plan",
    "before the acknowledgement",
    "after the acknowledgement",
    "before its commit",
)
ACTS = ["publish WORD …", "again WORD …", "the deadline passes", "batch"]
ACTS += [f"batch, killed {kill}" for kill in KILLS]
UNDONE = "the last commit is undone"
ACTS += [UNDONE]
SEED = 15

MakeReader = Callable[[dict[str, str]], DataSourceStreamReader]


def on_the_bus(make_reader: MakeReader, story: list[str]) -> dict[str, list[str]]:
    """Play a story on a new bus, and return the result.

    `make_reader(options)` gives a reader of the subscription; the options are `bus` (the address),
    `subscription` and `journal` (a folder that outlives the reader). The acts of a story:

    - `publish tea jam`: one message each. The bus decides their order.
    - `again tea`: the bus delivers the message again, acknowledged or not.
    - `the deadline passes`: what was delivered and not acknowledged will be delivered again.
    - `batch`: Spark runs a batch if the reader reports that there is something. After a kill Spark first
      restarts: a batch that was planned and not committed runs again, with the same offsets.
    - `batch, killed` and `before its plan` (in the offset log), `before its commit`, or at the
      reader's first acknowledgment: `before the acknowledgement` has reached the bus, or `after`.
    - `the last commit is undone`: the query stops, and its checkpoint is put back by one commit, as when
      it is restored from a backup. The next `batch` runs that batch again, with the offsets that it had.

    At the end the deadline passes, and there are two more batches. Returns `rows`, the content of a
    sink that writes by batch id, and `left`, what the bus would still deliver; both sorted. Raises
    what the reader raises. Raises TypeError if there is no reader or it gives what Spark does not take,
    and ValueError for any other act.
    """
    clock = ManualClock()
    with PubSub(clock, SEED) as bus, tempfile.TemporaryDirectory() as journal:
        options = {"bus": bus.address, "subscription": ORDERS, "journal": journal}
        publisher = PublisherClient(
            transport=PublisherGrpcTransport(channel=grpc.insecure_channel(bus.address))
        )
        subscriber = SubscriberClient(
            transport=SubscriberGrpcTransport(channel=grpc.insecure_channel(bus.address))
        )
        with publisher, subscriber:
            publisher.create_topic(name=TOPIC)
            subscriber.create_subscription(name=ORDERS, topic=TOPIC)
            query = _Query(make_reader, options, bus)
            for act in story:
                verb, _, words = act.partition(" ")
                killed = act.removeprefix("batch, killed ")
                if act == "the deadline passes":
                    clock.advance(LEAST_DEADLINE)
                elif verb == "publish":
                    messages = [types.PubsubMessage(data=word.encode()) for word in words.split()]
                    publisher.publish(topic=TOPIC, messages=messages)
                elif verb == "again":
                    for word in words.split():
                        bus.deliver_again(word.encode())
                elif act == "batch":
                    query.batch()
                elif killed != act and killed in KILLS:
                    query.killed_batch(killed)
                elif act == UNDONE:
                    query.undo_commit()
                else:
                    raise ValueError(f"no act of a story: {act!r}; there are: {'; '.join(ACTS)}")
            clock.advance(LEAST_DEADLINE)
            query.batch()
            query.batch()
            left = [data.decode() for data in bus.left()]
    rows = [str(_only(row)) for batch in query.sink.values() for row in batch]
    return {"rows": sorted(rows), "left": sorted(left)}


def _only(row: Any) -> Any:
    """The one column of a row; Spark refuses rows that do not fit the schema."""
    if len(row) != 1:
        raise ValueError(f"read gave a row of {len(row)} columns, {row!r}: its schema has one")
    return row[0]


class _Killed(Exception):
    """The process is gone."""


class _Query:
    """A streaming query with its checkpoint and its sink, which outlive the reader."""

    def __init__(self, make_reader: MakeReader, options: dict[str, str], bus: PubSub):
        self._make_reader, self._options, self._bus = make_reader, options, bus
        self._reader: DataSourceStreamReader | None = None
        self._planned: list[str] = []  # the offset log: where each batch ends
        self._committed = 0  # how many batches the commit log has
        self._killed = ""
        self.sink: dict[int, list[tuple[Any, ...]]] = {}

    def batch(self) -> None:
        """Run the batch that was not committed, or else plan one and run it."""
        self._reader = self._reader or self._new_reader()
        if len(self._planned) == self._committed and not self._plan():
            return
        number = self._committed
        self.sink[number] = self._rows(number)
        if self._killed == "before its commit":
            raise _Killed
        self._committed += 1

    def killed_batch(self, killed: str) -> None:
        """A batch in which the process dies; if the batch does not get that far, it dies after it."""
        self._killed = killed
        if killed.endswith("acknowledgement"):
            self._bus.lose("Acknowledge", answer=killed.startswith("after"))
        try:
            self.batch()
        except (_Killed, Aborted):
            pass
        finally:
            self._bus.lose_no_more()
            self._reader, self._killed = None, ""

    def undo_commit(self) -> None:
        """Stop, and forget that the last batch was committed, if it was."""
        self._reader = None
        if self._committed == len(self._planned):
            self._committed = max(0, self._committed - 1)

    def _new_reader(self) -> DataSourceStreamReader:
        reader = self._make_reader(dict(self._options))
        if isinstance(reader, type) or not callable(getattr(reader, "latestOffset", None)):
            what = f"the class {reader.__name__}" if isinstance(reader, type) else repr(reader)
            name = getattr(self._make_reader, "__name__", "the function")
            raise TypeError(
                f"{name} returned {what}, and that is no reader: return an object of its class"
            )
        return reader

    def _plan(self) -> bool:
        """Ask the reader how far it goes; whether there is anything."""
        assert self._reader is not None
        start = self._start(self._committed)
        admits = len(inspect.signature(self._reader.latestOffset).parameters) > 0
        asked = (json.loads(start), ReadAllAvailable()) if admits else ()
        end = json.dumps(self._reader.latestOffset(*asked))
        if end == start:
            return False
        if self._killed == "before its plan":
            raise _Killed
        self._planned.append(end)
        if self._committed:  # as Spark does: when the next batch is planned
            self._reader.commit(json.loads(start))
        return True

    def _start(self, number: int) -> str:
        """Where a batch begins: at the end of the one before; the first one where the reader says."""
        assert self._reader is not None
        return self._planned[number - 1] if number else json.dumps(self._reader.initialOffset())

    def _rows(self, number: int) -> list[tuple[Any, ...]]:
        """The rows of a batch. They are read elsewhere: by a copy of the reader."""
        assert self._reader is not None
        start, end = json.loads(self._start(number)), json.loads(self._planned[number])
        pieces = self._reader.partitions(start, end)
        another = self._new_reader()
        try:
            sent = cloudpickle.dumps((another, pieces))
        except Exception as error:
            raise TypeError(
                "Spark sends the reader and its pieces to its workers, and these cannot be sent: "
                f"{error}. Make the client where you use it, not in __init__."
            ) from error
        reader, copies = cloudpickle.loads(sent)
        return [tuple(row) for piece in copies for row in _read(reader, piece)]


def _read(reader: DataSourceStreamReader, piece: Any) -> Iterator[Any]:
    """The rows of a piece, from a reader and a piece such as Spark's workers take (plan_data_source_read.py)."""
    if not isinstance(piece, InputPartition):
        raise TypeError(
            f"partitions gave the piece {piece!r}, of type {type(piece).__name__}: Spark takes an InputPartition only"
        )
    rows: Any = reader.read(piece)
    if not isinstance(rows, Iterator):
        raise TypeError(
            f"read returned a {type(rows).__name__}: Spark takes an iterator only, as `yield` makes one"
        )
    return rows
