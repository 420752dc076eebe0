"""Answers to 15.3: other readers of the bus that keep their promise, and some that break it."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pandas as pd
from google.api_core.exceptions import DeadlineExceeded
from google.cloud.pubsub_v1 import SubscriberClient
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit


@dataclass
class _Piece(InputPartition):
    partition: str
    first: int
    end: int


def _client_of(bus: str) -> SubscriberClient:
    if not bus:
        return SubscriberClient()
    channel = grpc.insecure_channel(bus)
    return SubscriberClient(transport=SubscriberGrpcTransport(channel=channel))


def _pulled(client: SubscriberClient, subscription: str) -> list[Any]:
    try:
        reply = client.pull(subscription=subscription, max_messages=100)
    except DeadlineExceeded:
        return []
    return list(reply.received_messages)


class _Journal:
    """The journal of the lesson."""

    def __init__(self, folder: str):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def messages(self) -> list[tuple[str, str]]:
        files = sorted(self.folder.glob("*.json"))
        return [(id, text) for file in files for id, text in json.loads(file.read_text())]

    def append(self, messages: list[tuple[str, str]]) -> None:
        number = len(list(self.folder.glob("*.json")))
        self.write(messages, f"{number:08d}.json")

    def write(self, messages: list[tuple[str, str]], name: str) -> None:
        new = self.folder / "new"
        with open(new, "w") as file:
            json.dump(messages, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.folder / name)


class _Reader(DataSourceStreamReader):
    """A right one, in steps that others can take the place of."""

    def __init__(self, options: Any):
        self.options = options
        self.subscription = options["subscription"]

    def journal(self) -> _Journal:
        return _Journal(self.options["journal"])

    def pull(self) -> list[Any]:
        with _client_of(self.options["bus"]) as client:
            return _pulled(client, self.subscription)

    def acknowledge(self, received: list[Any]) -> None:
        if received:
            ids = [one.ack_id for one in received]
            with _client_of(self.options["bus"]) as client:
                client.acknowledge(subscription=self.subscription, ack_ids=ids)

    def new_of(self, received: list[Any]) -> list[tuple[str, str]]:
        known = {id for id, _ in self.journal().messages()}
        found = {one.message.message_id: one.message.data.decode() for one in received}
        return [(id, text) for id, text in found.items() if id not in known]

    def initialOffset(self) -> dict[str, Any]:
        return {"at": 0}

    def latestOffset(self, start: Any, limit: Any) -> dict[str, Any]:
        received = self.pull()
        new = self.new_of(received)
        if new:
            self.journal().append(new)
        self.acknowledge(received)
        return {"at": len(self.journal().messages())}

    def partitions(self, start: Any, end: Any) -> Any:
        return [_Piece("journal", start["at"], end["at"])]

    def read(self, piece: Any) -> Any:
        for _, text in self.journal().messages()[piece.first : piece.end]:
            yield (text,)


def right_offsets_name_files(options: Any) -> DataSourceStreamReader:
    """An offset is the name of the newest file of the journal, and a batch the files behind `start`."""

    class Reader(DataSourceStreamReader):
        def initialOffset(self) -> dict:
            return {"file": ""}

        def files(self) -> list[Path]:
            return sorted(Path(options["journal"]).glob("*.json"))

        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            journal, subscription = _Journal(options["journal"]), options["subscription"]
            with _client_of(options["bus"]) as client:
                received = _pulled(client, subscription)
                seen = {id for id, _ in journal.messages()}
                new = []
                for one in received:
                    if one.message.message_id not in seen:
                        seen.add(one.message.message_id)
                        new.append((one.message.message_id, one.message.data.decode("utf-8")))
                if new:
                    journal.append(new)
                if received:
                    ids = [one.ack_id for one in received]
                    client.acknowledge(subscription=subscription, ack_ids=ids)
            files = self.files()
            return {"file": files[-1].name if files else ""}

        def partitions(self, start: dict, end: dict) -> list:
            names = [file.name for file in self.files()]
            return [InputPartition(n) for n in names if start["file"] < n <= end["file"]]

        def read(self, piece: InputPartition) -> Iterator[tuple]:
            for _, text in json.loads(Path(options["journal"], piece.value).read_text()):
                yield (text,)

    return Reader()


def right_pulls_until_nothing_comes(options: Any) -> DataSourceStreamReader:
    """Pulls again as long as something comes, each time into the journal first; offsets as text."""

    class Reader(_Reader):
        def initialOffset(self) -> dict:
            return {"messages": "0"}

        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            while received := self.pull():
                new = self.new_of(received)
                if new:
                    self.journal().append(new)
                self.acknowledge(received)
            return {"messages": str(len(self.journal().messages()))}

        def partitions(self, start: dict, end: dict) -> list:
            return [_Piece("journal", int(start["messages"]), int(end["messages"]))]

    return Reader(options)


def right_texts_travel_in_the_pieces(options: Any) -> DataSourceStreamReader:
    """`partitions` looks the texts up in the journal, a piece for each message: tasks need no journal."""

    class Reader(_Reader):
        def partitions(self, start: dict, end: dict) -> list:
            messages = self.journal().messages()[start["at"] : end["at"]]
            return [InputPartition(text) for _, text in messages]

        def read(self, piece: InputPartition) -> Iterator[tuple]:
            return iter([(piece.value,)])

    return Reader(options)


def right_twins_stay_in_the_journal(options: Any) -> DataSourceStreamReader:
    """Writes all that comes, twins too; offsets count different ids, in the order in which they came first."""

    class Reader(_Reader):
        def texts(self) -> list[str]:
            first: dict[str, str] = {}
            for id, text in self.journal().messages():
                first.setdefault(id, text)
            return list(first.values())

        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            received = self.pull()
            if received:
                found = [(one.message.message_id, one.message.data.decode()) for one in received]
                self.journal().append(found)
                self.acknowledge(received)
            return {"at": len(self.texts())}

        def read(self, piece: _Piece) -> Iterator[tuple]:
            for text in self.texts()[piece.first : piece.end]:
                yield (text,)

    return Reader(options)


def right_known_ones_first(options: Any) -> DataSourceStreamReader:
    """Acknowledges at once what the journal knows, writes the rest, and acknowledges that."""

    class Reader(_Reader):
        def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
            journal, received = self.journal(), self.pull()
            known = {id for id, _ in journal.messages()}
            self.acknowledge([one for one in received if one.message.message_id in known])
            rest = [one for one in received if one.message.message_id not in known]
            if rest:
                journal.append(
                    sorted({(one.message.message_id, one.message.data.decode()) for one in rest})
                )
                self.acknowledge(rest)
            return {"at": len(journal.messages())}

    return Reader(options)


def wrong_start_and_what_is_new(options: Any) -> DataSourceStreamReader:
    """Adds what is new to `start`: what was written down and never planned is not counted any more."""

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            received = self.pull()
            new = self.new_of(received)
            if new:
                self.journal().append(new)
            self.acknowledge(received)
            return {"at": start["at"] + len(new)}

    return Reader(options)


def wrong_counts_for_itself(options: Any) -> DataSourceStreamReader:
    """Counts in a variable how many it has written; after a restart that is 0."""

    class Reader(_Reader):
        def __init__(self, options: Any):
            super().__init__(options)
            self.at = 0

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            received = self.pull()
            new = self.new_of(received)
            if new:
                self.journal().append(new)
                self.at += len(new)
            self.acknowledge(received)
            return {"at": self.at}

    return Reader(options)


def wrong_nothing_to_acknowledge(options: Any) -> DataSourceStreamReader:
    """Acknowledges an empty list, which the bus refuses."""

    class Reader(_Reader):
        def acknowledge(self, received: list[Any]) -> None:
            ids = [one.ack_id for one in received]
            with _client_of(self.options["bus"]) as client:
                client.acknowledge(subscription=self.subscription, ack_ids=ids)

    return Reader(options)


def wrong_acknowledges_if_anything_is_new(options: Any) -> DataSourceStreamReader:
    """Writes and acknowledges only where something new is among it: old ones that come alone stay."""

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            received = self.pull()
            new = self.new_of(received)
            if new:
                self.journal().append(new)
                self.acknowledge(received)
            return {"at": len(self.journal().messages())}

    return Reader(options)


def wrong_looks_at_the_newest_file(options: Any) -> DataSourceStreamReader:
    """Compares with the last pull alone: what is older in the journal comes out again."""

    class Reader(_Reader):
        def new_of(self, received: list[Any]) -> list[tuple[str, str]]:
            files = sorted(self.journal().folder.glob("*.json"))
            known = {id for id, _ in json.loads(files[-1].read_text())} if files else set()
            found = {one.message.message_id: one.message.data.decode() for one in received}
            return [(id, text) for id, text in found.items() if id not in known]

    return Reader(options)


def wrong_known_by_its_ack_id(options: Any) -> DataSourceStreamReader:
    """Takes the ack_id for the identity of a message; it is another one with each delivery."""

    class Reader(_Reader):
        def new_of(self, received: list[Any]) -> list[tuple[str, str]]:
            known = {id for id, _ in self.journal().messages()}
            found = {one.ack_id: one.message.data.decode() for one in received}
            return [(id, text) for id, text in found.items() if id not in known]

    return Reader(options)


def wrong_file_named_by_the_offset(options: Any) -> DataSourceStreamReader:
    """A file is named by `start`: a pull after one that was not planned takes the place of its file."""

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            received = self.pull()
            new = self.new_of(received)
            if new:
                self.journal().write(new, f"{start['at']:08d}.json")
            self.acknowledge(received)
            return {"at": len(self.journal().messages())}

    return Reader(options)


def wrong_read_in_the_order_of_ids(options: Any) -> DataSourceStreamReader:
    """Sorts the journal by id when it reads: a later message moves those with larger ids."""

    class Reader(_Reader):
        def read(self, piece: Any) -> Iterator[tuple[str]]:
            for _, text in sorted(self.journal().messages())[piece.first : piece.end]:
                yield (text,)

    return Reader(options)


def wrong_twins_counted_and_left_out(options: Any) -> DataSourceStreamReader:
    """Leaves twins out when it reads, and counts them in its offsets: after one all places are shifted."""

    class Reader(_Reader):
        def new_of(self, received: list[Any]) -> list[tuple[str, str]]:
            return [(one.message.message_id, one.message.data.decode()) for one in received]

        def read(self, piece: Any) -> Iterator[tuple[str]]:
            texts = list(dict(self.journal().messages()).values())
            for text in texts[piece.first : piece.end]:
                yield (text,)

    return Reader(options)


def wrong_to_the_end_of_the_journal(options: Any) -> DataSourceStreamReader:
    """Reads from `start` to wherever the journal ends by then: the same offsets give more rows later."""

    class Reader(_Reader):
        def read(self, piece: Any) -> Iterator[tuple[str]]:
            for _, text in self.journal().messages()[piece.first :]:
                yield (text,)

    return Reader(options)


def wrong_bytes_made_text(options: Any) -> DataSourceStreamReader:
    """`str` of the bytes, such as b'tea', in place of what they say."""

    class Reader(_Reader):
        def new_of(self, received: list[Any]) -> list[tuple[str, str]]:
            known = {id for id, _ in self.journal().messages()}
            found = {one.message.message_id: str(one.message.data) for one in received}
            return [(id, text) for id, text in found.items() if id not in known]

    return Reader(options)


def wrong_client_made_once(options: Any) -> DataSourceStreamReader:
    """Opens the client in __init__: it cannot go along to a worker."""

    class Reader(_Reader):
        def __init__(self, options: Any):
            super().__init__(options)
            self.client = _client_of(options["bus"])

        def pull(self) -> list[Any]:
            return _pulled(self.client, self.subscription)

        def acknowledge(self, received: list[Any]) -> None:
            if received:
                ids = [one.ack_id for one in received]
                self.client.acknowledge(subscription=self.subscription, ack_ids=ids)

    return Reader(options)


def wrong_rows_in_a_list(options: Any) -> DataSourceStreamReader:
    """`read` returns a list of rows; Spark takes an iterator only, and so does the story."""

    class Reader(_Reader):
        def read(self, piece: Any) -> Any:
            return [(text,) for _, text in self.journal().messages()[piece.first : piece.end]]

    return Reader(options)


def wrong_plain_tuples_for_pieces(options: Any) -> DataSourceStreamReader:
    """Pieces that are tuples; Spark takes an InputPartition only, and so does the story."""

    class Reader(_Reader):
        def partitions(self, start: Any, end: Any) -> Any:
            return [(start["at"], end["at"])]

        def read(self, piece: Any) -> Iterator[tuple[str]]:
            first, end = piece
            for _, text in self.journal().messages()[first:end]:
                yield (text,)

    return Reader(options)


def wrong_knows_the_last_ten(options: Any) -> DataSourceStreamReader:
    """Looks at the last ten ids of the journal only: a message that comes again after ten others is there twice."""

    class Reader(_Reader):
        def new_of(self, received: list[Any]) -> list[tuple[str, str]]:
            known = {id for id, _ in self.journal().messages()[-10:]}
            found = {one.message.message_id: one.message.data.decode() for one in received}
            return [(id, text) for id, text in found.items() if id not in known]

    return Reader(options)


def wrong_a_table_that_guesses(options: Any) -> DataSourceStreamReader:
    """A table in CSV in which pandas guesses what a text is: an order of the text NA or null is no text any more, and
    007 is 7, or 7.0."""
    file = Path(options["journal"], "orders.csv")
    file.parent.mkdir(parents=True, exist_ok=True)

    class Reader(_Reader):
        def table(self) -> pd.DataFrame:
            if not file.exists():
                return pd.DataFrame({"id": [], "text": []}, dtype=str)
            return pd.read_csv(file, dtype={"id": str})

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            received = self.pull()
            came = [(one.message.message_id, one.message.data.decode()) for one in received]
            came_table = pd.DataFrame(came, columns=["id", "text"])
            table = pd.concat([self.table(), came_table]).drop_duplicates("id")
            table.to_csv(file.with_name("new"), index=False)
            os.replace(file.with_name("new"), file)
            self.acknowledge(received)
            return {"at": len(table)}

        def read(self, piece: Any) -> Iterator[tuple[Any]]:
            for text in self.table()["text"].iloc[piece.first : piece.end]:
                yield (text,)

    return Reader(options)


def wrong_bytes_of_another_alphabet(options: Any) -> DataSourceStreamReader:
    """Decodes as Latin-1, which never fails: an order of Käse becomes KÃ¤se."""

    class Reader(_Reader):
        def new_of(self, received: list[Any]) -> list[tuple[str, str]]:
            known = {id for id, _ in self.journal().messages()}
            found = {one.message.message_id: one.message.data.decode("latin-1") for one in received}
            return [(id, text) for id, text in found.items() if id not in known]

    return Reader(options)


def wrong_a_line_of_id_and_text(options: Any) -> DataSourceStreamReader:
    """A line for each message, id and text with a comma between, taken apart at commas: of `tea,milk` the tea is left."""
    file = Path(options["journal"], "orders.csv")
    file.parent.mkdir(parents=True, exist_ok=True)

    class Reader(_Reader):
        def orders(self) -> list[list[str]]:
            lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
            return [line.split(",") for line in lines]

        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            received, orders = self.pull(), self.orders()
            known = {order[0] for order in orders}
            found = {one.message.message_id: one.message.data.decode() for one in received}
            orders += [[id, text] for id, text in found.items() if id not in known]
            new = file.with_name("new")
            new.write_text("".join(",".join(order) + "\n" for order in orders), encoding="utf-8")
            os.replace(new, file)
            self.acknowledge(received)
            return {"at": len(orders)}

        def read(self, piece: Any) -> Iterator[tuple[str]]:
            for order in self.orders()[piece.first : piece.end]:
                yield (order[1],)

    return Reader(options)


def wrong_files_numbered_without_zeros(options: Any) -> DataSourceStreamReader:
    """Files are 0.json, 1.json, …, 10.json, sorted as text: the eleventh comes before the third, and moves all behind it.

    publish tea, batch, eleven times over: at the last one a message of another file is read again, and the new one never.
    """

    class Reader(_Reader):
        def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:
            received = self.pull()
            new, journal = self.new_of(received), self.journal()
            if new:
                number = len(list(journal.folder.glob("*.json")))
                journal.write(new, f"{number}.json")
            self.acknowledge(received)
            return {"at": len(journal.messages())}

    return Reader(options)
