"""Sources on a message queue that lose messages, repeat them, or never acknowledge them."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from google.cloud.pubsub_v1 import SubscriberClient
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition


@dataclass
class _Piece(InputPartition):
    first: int
    end: int
    orders: list[str] = field(default_factory=list)


class _Journal:
    def __init__(self, folder: str):
        self.folder = Path(folder)

    def messages(self) -> list[tuple[str, str]]:
        files = sorted(self.folder.glob("*.json"))
        return [(id, text) for file in files for id, text in json.loads(file.read_text())]

    def append(self, messages: list[tuple[str, str]]) -> None:
        new = self.folder / "new"
        new.write_text(json.dumps(messages))
        os.replace(new, self.folder / f"{len(list(self.folder.glob('*.json'))):08d}.json")


class _Reader(DataSourceStreamReader):
    """A right one, in steps that a mistake can take the place of."""

    def __init__(self, options: Any):
        self.options = options

    def client(self) -> SubscriberClient:
        channel = grpc.insecure_channel(self.options["bus"])
        return SubscriberClient(transport=SubscriberGrpcTransport(channel=channel))

    def pull(self) -> list[Any]:
        with self.client() as client:
            asked = {"subscription": self.options["subscription"], "max_messages": 100}
            return list(client.pull(**asked).received_messages)

    def acknowledge(self, received: list[Any]) -> None:
        if received:
            with self.client() as client:
                client.acknowledge(
                    subscription=self.options["subscription"],
                    ack_ids=[one.ack_id for one in received],
                )

    def journal(self) -> _Journal:
        return _Journal(self.options["journal"])

    def new_of(self, received: list[Any]) -> list[tuple[str, str]]:
        known = {id for id, _ in self.journal().messages()}
        found = {one.message.message_id: one.message.data.decode() for one in received}
        return [(id, text) for id, text in found.items() if id not in known]

    def initialOffset(self) -> dict[str, int]:
        return {"at": 0}

    def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
        received = self.pull()
        self.journal().append(self.new_of(received))
        self.acknowledge(received)
        return {"at": len(self.journal().messages())}

    def partitions(self, start: Any, end: Any) -> list[_Piece]:
        return [_Piece(start["at"], end["at"])]

    def read(self, piece: Any) -> Iterator[tuple[str]]:
        for _, text in self.journal().messages()[piece.first : piece.end]:
            yield (text,)


def acknowledged_before_it_was_safe(options: Any) -> Any:
    """Acknowledgment before the journal

    The process was killed just after the acknowledgment reached the queue, and those messages are lost: they
    were not in the journal yet. The queue deletes what is acknowledged. Which of the two operations must come
    first?
    """

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            received = self.pull()
            self.acknowledge(received)
            self.journal().append(self.new_of(received))
            return {"at": len(self.journal().messages())}

    return Reader(options)


def kept_in_the_reader(options: Any) -> Any:
    """Messages kept in the reader

    All messages were pulled and acknowledged, and none was read: the journal is empty. The method `read` runs
    in a worker, on a copy of a different reader. What `latestOffset` stores in `self` is not there. What do the
    two readers share? If you do append to the journal: are these the messages that are *not* known yet?
    """

    class Reader(_Reader):
        def __init__(self, options: Any):
            super().__init__(options)
            self.orders: list[str] = []
            self.seen: set[str] = set()

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            received = self.pull()
            for one in received:
                if one.message.message_id not in self.seen:
                    self.seen.add(one.message.message_id)
                    self.orders.append(one.message.data.decode())
            self.acknowledge(received)
            return {"at": max(start["at"], len(self.orders))}

        def read(self, piece: Any) -> Iterator[tuple[str]]:
            for text in self.orders[piece.first : piece.end]:
                yield (text,)

    return Reader(options)


def kept_in_the_piece(options: Any) -> Any:
    """Messages kept in the input partition

    Without a kill all messages came. After a kill, a new reader called `partitions` for the same offsets and
    had no messages to put in. Where can messages be stored so that they outlive the reader?
    """

    class Reader(_Reader):
        def __init__(self, options: Any):
            super().__init__(options)
            self.orders: dict[str, str] = {}
            self.seen: set[str] = set()

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            received = self.pull()
            for one in received:
                if one.message.message_id not in self.seen:
                    self.orders[one.message.message_id] = one.message.data.decode()
            self.seen |= set(self.orders)
            self.acknowledge(received)
            return {"at": start["at"] + len(self.orders)}

        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            orders, self.orders = list(self.orders.values()), {}
            return [_Piece(start["at"], end["at"], orders)]

        def read(self, piece: Any) -> Iterator[tuple[str]]:
            for text in piece.orders:
                yield (text,)

    return Reader(options)


def never_acknowledged(options: Any) -> Any:
    """No acknowledgment

    The rows are right, but every message is still in the queue. It delivers all of them again after each
    deadline. If you do acknowledge: do you use the `ack_id` of the delivery or the `message_id`? The queue
    ignores an id that it does not know.
    """

    class Reader(_Reader):
        def acknowledge(self, received: list[Any]) -> None:
            pass

    return Reader(options)


def acknowledged_in_commit_alone(options: Any) -> Any:
    """Redeliveries acknowledged in `commit` only

    The rows are right. But redelivered messages that were already in the journal wait for `commit`, and are
    still in the queue. Without a new message there is no next micro-batch, and so no commit. When can you
    acknowledge a message that the journal already has?
    """

    class Reader(_Reader):
        def __init__(self, options: Any):
            super().__init__(options)
            self.received: list[Any] = []

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            received = self.pull()
            self.journal().append(self.new_of(received))
            self.received += received
            return {"at": len(self.journal().messages())}

        def commit(self, end: Any) -> None:
            self.acknowledge(self.received)
            self.received = []

    return Reader(options)


def only_what_is_new(options: Any) -> Any:
    """Redeliveries not acknowledged

    The rows are right. But a redelivered message that was already in the journal was not acknowledged, so the
    queue delivers it forever. Which messages of a pull are in the journal when you acknowledge?
    """

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            received = self.pull()
            new = self.new_of(received)
            self.journal().append(new)
            ids = {id for id, _ in new}
            self.acknowledge([one for one in received if one.message.message_id in ids])
            return {"at": len(self.journal().messages())}

    return Reader(options)


def twice_is_twice(options: Any) -> Any:
    """No deduplication

    A message that the queue delivered again was emitted again. The queue delivers at least once. What do two
    deliveries of the same message have in common?
    """

    class Reader(_Reader):
        def new_of(self, received: list[Any]) -> list[tuple[str, str]]:
            return [(one.message.message_id, one.message.data.decode()) for one in received]

    return Reader(options)


def same_text_same_order(options: Any) -> Any:
    """Deduplication by data

    Several orders have the same data, and only one of them was emitted. Two customers can order the same. Which
    field identifies a message?
    """

    class Reader(_Reader):
        def new_of(self, received: list[Any]) -> list[tuple[str, str]]:
            known = {text for _, text in self.journal().messages()}
            found = {one.message.data.decode(): one.message.message_id for one in received}
            return [(id, text) for text, id in found.items() if text not in known]

    return Reader(options)


def twice_in_one_pull(options: Any) -> Any:
    """Duplicates within one pull

    A message that came twice in the same pull was emitted twice. Neither of them was in the journal when you
    looked. How can you remove duplicates within a pull?
    """

    class Reader(_Reader):
        def new_of(self, received: list[Any]) -> list[tuple[str, str]]:
            known = {id for id, _ in self.journal().messages()}
            messages = [one.message for one in received if one.message.message_id not in known]
            return [(message.message_id, message.data.decode()) for message in messages]

    return Reader(options)


def ids_in_memory(options: Any) -> Any:
    """Known ids kept in memory

    A message that was delivered again after a kill was emitted twice. The ids were known only as long as the
    same reader lived. Where can a new reader look them up?
    """

    class Reader(_Reader):
        def __init__(self, options: Any):
            super().__init__(options)
            self.seen: set[str] = set()

        def new_of(self, received: list[Any]) -> list[tuple[str, str]]:
            found = {one.message.message_id: one.message.data.decode() for one in received}
            new = [(id, text) for id, text in found.items() if id not in self.seen]
            self.seen |= set(found)
            return new

    return Reader(options)


def ids_as_offsets(options: Any) -> Any:
    """Ids used as positions

    A message is missing that came later than others, with a smaller id. Everything below the largest id so far
    was left out. An id identifies a message, and says nothing about the order. How can you test whether a
    message is known?
    """

    class Reader(_Reader):
        def new_of(self, received: list[Any]) -> list[tuple[str, str]]:
            largest = max((int(id) for id, _ in self.journal().messages()), default=-1)
            return [(id, text) for id, text in super().new_of(received) if int(id) > largest]

    return Reader(options)


def pulled_in_read(options: Any) -> Any:
    """Pull in `read`

    `read` pulled from the queue and acknowledged. After a kill the same offsets gave different messages, or
    none. Which storage can return the same rows a second time?
    """

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            received = self.pull()
            with self.client() as client:  # only looked at: they are given back at once
                if received:
                    client.modify_ack_deadline(
                        subscription=self.options["subscription"],
                        ack_ids=[one.ack_id for one in received],
                        ack_deadline_seconds=0,
                    )
            return {"at": start["at"] + len({one.message.message_id for one in received})}

        def read(self, piece: Any) -> Iterator[tuple[str]]:
            received = self.pull()
            self.acknowledge(received)
            found = {one.message.message_id: one.message.data.decode() for one in received}
            for text in found.values():
                yield (text,)

    return Reader(options)


def all_of_the_journal(options: Any) -> Any:
    """Input partition from the beginning of the journal

    Messages came again in every micro-batch. From which offset to which offset should an input partition go?
    """

    class Reader(_Reader):
        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            return [_Piece(0, end["at"])]

    return Reader(options)


def a_text_for_a_row(options: Any) -> Any:
    """Row that is not a tuple

    The first micro-batch ended with a `ValueError`. If it mentions columns: a row is a tuple of its columns,
    also with one column, `yield (text,)`. Spark splits a string into one column for each letter, and a pair of
    id and data has two columns. If it mentions values to unpack: a dict yields only its keys, and `.items()`
    yields pairs. Which of the two is it?
    """

    class Reader(_Reader):
        def read(self, piece: Any) -> Iterator[Any]:
            for _, text in self.journal().messages()[piece.first : piece.end]:
                yield text

    return Reader(options)
