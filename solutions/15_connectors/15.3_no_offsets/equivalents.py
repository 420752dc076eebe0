"""Other sources that have offsets of their own, and are right."""

import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from google.cloud.pubsub_v1 import SubscriberClient
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition


@dataclass
class Piece(InputPartition):
    first: int
    end: int


def _client(bus: str) -> Any:
    channel = grpc.insecure_channel(bus)
    return SubscriberClient(transport=SubscriberGrpcTransport(channel=channel))


class _Numbered(DataSourceStreamReader):
    """Offsets count what is kept."""

    def __init__(self, options: Any):
        self.options = options

    def initialOffset(self) -> dict[str, int]:
        return {"at": 0}

    def partitions(self, start: Any, end: Any) -> list[Piece]:
        return [Piece(start["at"], end["at"])]


def a_table_with_a_key(options: Any) -> Any:
    """The journal is a table of SQLite, in which an id can stand once."""

    class Reader(_Numbered):
        def table(self) -> sqlite3.Connection:
            table = sqlite3.connect(f"{self.options['journal']}/orders.db")
            table.execute(
                "CREATE TABLE IF NOT EXISTS orders (n INTEGER PRIMARY KEY, id UNIQUE, body)"
            )
            return table

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            subscription, table = self.options["subscription"], self.table()
            with _client(self.options["bus"]) as client:
                pulled = client.pull(subscription=subscription, max_messages=50).received_messages
                for one in pulled:
                    order = (one.message.message_id, one.message.data.decode())
                    table.execute("INSERT OR IGNORE INTO orders (id, body) VALUES (?, ?)", order)
                table.commit()
                if pulled:
                    ack_ids = [one.ack_id for one in pulled]
                    client.acknowledge(subscription=subscription, ack_ids=ack_ids)
            return {"at": table.execute("SELECT count(*) FROM orders").fetchone()[0]}

        def read(self, piece: Any) -> Iterator[tuple[str]]:
            rows = "SELECT body FROM orders ORDER BY n LIMIT ? OFFSET ?"
            yield from self.table().execute(rows, (piece.end - piece.first, piece.first))

    return Reader(options)


def a_file_for_each_message(options: Any) -> Any:
    """A file for each message, named by its number and its id; new ones are acknowledged in commit."""

    class Reader(_Numbered):
        def __init__(self, options: Any):
            super().__init__(options)
            self.to_acknowledge: list[str] = []

        def files(self) -> list[Path]:
            return sorted(Path(self.options["journal"]).glob("*.order"))

        def acknowledge(self, ack_ids: list[str]) -> None:
            if ack_ids:
                with _client(self.options["bus"]) as client:
                    client.acknowledge(subscription=self.options["subscription"], ack_ids=ack_ids)

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            files = self.files()
            known = {file.name.split("-")[1] for file in files}
            with _client(self.options["bus"]) as client:
                asked = {"subscription": self.options["subscription"], "max_messages": 50}
                pulled = client.pull(**asked).received_messages
            old = [one.ack_id for one in pulled if one.message.message_id in known]
            for one in pulled:
                if one.message.message_id not in known:
                    known.add(one.message.message_id)
                    name = f"{len(known):06d}-{one.message.message_id}-.order"
                    new = Path(self.options["journal"], "new")
                    new.write_text(json.dumps(one.message.data.decode()))
                    os.replace(new, new.with_name(name))
                    self.to_acknowledge.append(one.ack_id)
                else:
                    old.append(one.ack_id)
            self.acknowledge(old)
            return {"at": len(known)}

        def commit(self, end: Any) -> None:
            self.acknowledge(self.to_acknowledge)
            self.to_acknowledge = []

        def read(self, piece: Any) -> Iterator[tuple[str]]:
            for file in self.files()[piece.first : piece.end]:
                yield (json.loads(file.read_text()),)

    return Reader(options)
