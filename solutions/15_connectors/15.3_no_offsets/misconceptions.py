"""Sources on a bus that lose orders, bring them twice, or leave them lying there."""

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
    """Acknowledged, and then gone

    The process was killed when its acknowledgement had reached the bus, and those orders are nowhere: they were not
    written down yet. The bus forgets what is acknowledged. Write first.
    """

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            received = self.pull()
            self.acknowledge(received)
            self.journal().append(self.new_of(received))
            return {"at": len(self.journal().messages())}

    return Reader(options)


def kept_in_the_reader(options: Any) -> Any:
    """No order came out at all

    All were pulled and acknowledged, and none was read: the journal is empty. If you keep them in `self`: `read` runs in
    a worker, on a copy of another reader, and what latestOffset puts there is not in it. The two have the options, the
    offsets, the pieces and the journal in common. If you append to the journal: is it what is *not* known yet?
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
    """The batch that was run again was empty

    Without a kill all orders came. After one `partitions` was called for the same offsets by a new reader, which had
    nothing to put into the pieces. Write the orders down where they outlive the reader, in the journal.
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
    """Every order is still on the bus

    The rows are right, and the bus will deliver all of them again, each time that a deadline passes. What is safe
    in the journal has to be acknowledged. If you do so: by the `ack_id` of the delivery, or by the `message_id`?
    The bus makes no error of an id that it does not know.
    """

    class Reader(_Reader):
        def acknowledge(self, received: list[Any]) -> None:
            pass

    return Reader(options)


def acknowledged_in_commit_alone(options: Any) -> Any:
    """Where nothing is new, no commit follows

    The rows are right. But what came again and was in the journal already was left for `commit`, and is still on the bus:
    without a new message there is no next batch, and so no commit. Acknowledge what the journal knows as soon as it is
    pulled.
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
    """What came again stays on the bus

    The rows are right. But a message that the journal knew already was not acknowledged when it came once more, so it
    will come for ever.
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
    """Delivered twice, ordered twice

    An order that the bus delivered again came out again. A bus delivers at least once; a message that comes again has
    the id that it had.
    """

    class Reader(_Reader):
        def new_of(self, received: list[Any]) -> list[tuple[str, str]]:
            return [(one.message.message_id, one.message.data.decode()) for one in received]

    return Reader(options)


def same_text_same_order(options: Any) -> Any:
    """Two customers, one tea

    Of several orders with the same text one came out. What makes a message the same is its id.
    """

    class Reader(_Reader):
        def new_of(self, received: list[Any]) -> list[tuple[str, str]]:
            known = {text for _, text in self.journal().messages()}
            found = {one.message.data.decode(): one.message.message_id for one in received}
            return [(id, text) for text, id in found.items() if text not in known]

    return Reader(options)


def twice_in_one_pull(options: Any) -> Any:
    """Twice in one pull

    An order that came twice in the same pull came out twice. Neither of the two was in the journal when it was looked up.
    """

    class Reader(_Reader):
        def new_of(self, received: list[Any]) -> list[tuple[str, str]]:
            known = {id for id, _ in self.journal().messages()}
            messages = [one.message for one in received if one.message.message_id not in known]
            return [(message.message_id, message.data.decode()) for message in messages]

    return Reader(options)


def ids_in_memory(options: Any) -> Any:
    """After a restart nothing was known

    An order that was delivered again after a kill came out twice. As long as the same reader lived it knew which ids it
    had seen. Look them up in the journal: it outlives the reader.
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
    """A later message with a smaller id

    An order is missing that came later than others. Ids were taken for places: what has a smaller one than the largest
    so far was left out. The ids of a bus tell messages apart, and say nothing of their order.
    """

    class Reader(_Reader):
        def new_of(self, received: list[Any]) -> list[tuple[str, str]]:
            largest = max((int(id) for id, _ in self.journal().messages()), default=-1)
            return [(id, text) for id, text in super().new_of(received) if int(id) > largest]

    return Reader(options)


def pulled_in_read(options: Any) -> Any:
    """What was read once could not be read again

    `read` pulled from the bus and acknowledged: after a kill the same offsets gave other orders, or none. Only the
    journal can give a batch its rows a second time.
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
    """Each batch read the journal from its beginning

    Orders came again with every batch. A piece goes from `start` to `end`.
    """

    class Reader(_Reader):
        def partitions(self, start: Any, end: Any) -> list[_Piece]:
            return [_Piece(0, end["at"])]

    return Reader(options)


def a_text_for_a_row(options: Any) -> Any:
    """A ValueError, and nothing was read

    The first batch ended with a `ValueError`. If it speaks of columns: a row is a tuple of its columns, also where there
    is one, `yield (text,)`. A text that stands for a row is taken apart, a letter for each column, and a pair of id and
    text is a row of two. If it speaks of values to unpack: a dict gives its keys alone, its `.items()` gives pairs.
    """

    class Reader(_Reader):
        def read(self, piece: Any) -> Iterator[Any]:
            for _, text in self.journal().messages()[piece.first : piece.end]:
                yield text

    return Reader(options)
