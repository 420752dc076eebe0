"""A reader led through a story: asked in Spark's order, by Spark's means, and killed where the story says."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.pubsub_v1 import SubscriberClient
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from grader.connectors.bus_story import on_the_bus


class Told(DataSourceStreamReader):
    """Writes down every call; each batch has one row, the offset that it ends at."""

    def __init__(self, options: dict[str, str]):
        self.options = options
        self.notify("made")

    def notify(self, *words: object) -> None:
        with open(self.options["calls"], "a") as file:
            print(*words, file=file)

    def initialOffset(self) -> dict[str, int]:  # noqa: N802  (Spark's name)
        return {"at": 0}

    def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:  # noqa: N802  (Spark's name)
        self.notify("latest", start["at"], type(limit).__name__)
        return {"at": start["at"] + 1}

    def partitions(self, start: Any, end: Any) -> list[InputPartition]:
        self.notify("partitions", start["at"], end["at"])
        return [InputPartition(end["at"])]

    def read(self, piece: Any) -> Iterator[tuple[int]]:
        yield (piece.value,)

    def commit(self, end: Any) -> None:
        self.notify("commit", end["at"])


def play(folder: Path, story: list[str], kind: type[Told] = Told) -> dict[str, list[str]]:
    """A story with a reader of this kind, which writes its calls into `folder`."""
    return on_the_bus(lambda options: kind({**options, "calls": str(folder / "calls")}), story)


def calls_in(folder: Path, story: list[str]) -> list[str]:
    """What a reader is asked in a story, and in the two batches that follow on each."""
    play(folder, story)
    return (folder / "calls").read_text().splitlines()


def test_it_is_asked_in_sparks_order(tmp_path: Path) -> None:
    told = calls_in(tmp_path, ["batch", "batch"])
    asked = [call for call in told if call != "made"]
    assert asked[:5] == [
        "latest 0 ReadAllAvailable",
        "partitions 0 1",
        "latest 1 ReadAllAvailable",
        "commit 1",
        "partitions 1 2",
    ]


def test_after_a_kill_before_the_commit_a_new_reader_runs_the_same_batch(tmp_path: Path) -> None:
    told = calls_in(tmp_path, ["batch, killed before its commit", "batch"])
    asked = [call for call in told if call != "made"]
    assert asked[:3] == ["latest 0 ReadAllAvailable", "partitions 0 1", "partitions 0 1"]


def test_after_a_kill_before_the_plan_the_reader_is_asked_again(tmp_path: Path) -> None:
    told = calls_in(tmp_path, ["batch, killed before its plan", "batch"])
    asked = [call for call in told if call != "made"]
    assert asked[:3] == ["latest 0 ReadAllAvailable", "latest 0 ReadAllAvailable", "partitions 0 1"]


def test_a_batch_that_is_run_again_is_in_the_sink_once(tmp_path: Path) -> None:
    killed = play(tmp_path, ["batch, killed before its commit", "batch"])
    assert killed["rows"] == ["1", "2", "3"]  # two more batches follow on every story


def test_a_batch_whose_commit_is_undone_runs_again_with_its_offsets(tmp_path: Path) -> None:
    story = ["batch", "batch, killed before its plan", "the last commit is undone", "batch"]
    told = [call for call in calls_in(tmp_path, story) if call != "made"]
    assert told[:6] == [
        "latest 0 ReadAllAvailable",
        "partitions 0 1",
        "latest 1 ReadAllAvailable",  # and nobody writes down what it says
        "partitions 0 1",
        "latest 1 ReadAllAvailable",
        "commit 1",
    ]


def test_a_batch_without_a_commit_has_none_to_be_undone(tmp_path: Path) -> None:
    story = ["batch", "batch, killed before its commit", "the last commit is undone", "batch"]
    told = calls_in(tmp_path, story)
    assert told.count("partitions 0 1") == 1
    assert told.count("partitions 1 2") == 2
    assert play(tmp_path, ["the last commit is undone"])["rows"] == ["1", "2"]


class Careless(Told):
    """Acknowledges whatever it pulls, and keeps nothing."""

    def latestOffset(self, start: Any, limit: Any) -> dict[str, int]:  # noqa: N802  (Spark's name)
        channel = grpc.insecure_channel(self.options["bus"])
        with SubscriberClient(transport=SubscriberGrpcTransport(channel=channel)) as client:
            subscription = self.options["subscription"]
            pulled = client.pull(subscription=subscription, max_messages=9).received_messages
            if pulled:
                client.acknowledge(subscription=subscription, ack_ids=[p.ack_id for p in pulled])
        return {"at": start["at"] + len(pulled)}


@pytest.mark.parametrize(("kill", "rows"), [("before", ["1"]), ("after", [])])
def test_a_kill_at_the_acknowledgement_strikes_there(
    tmp_path: Path, kill: str, rows: list[str]
) -> None:
    story = ["publish tea", f"batch, killed {kill} the acknowledgement", "the deadline passes"]
    assert play(tmp_path, [*story, "batch"], Careless) == {"rows": rows, "left": []}


def test_a_kill_that_finds_no_acknowledgement_strikes_after_the_batch(tmp_path: Path) -> None:
    told = calls_in(tmp_path, ["batch, killed before the acknowledgement", "batch"])
    # one reads, one is new
    assert told[: told.index("latest 1 ReadAllAvailable")].count("made") == 3


def test_what_spark_could_not_send_to_a_worker_is_said(tmp_path: Path) -> None:
    class Locked(Told):
        def __init__(self, options: dict[str, str]):
            super().__init__(options)
            self.lock = threading.Lock()

    with pytest.raises(TypeError, match="Make the client where you use it"):
        play(tmp_path, ["batch"], Locked)


def test_what_spark_takes_from_no_reader_is_said(tmp_path: Path) -> None:
    class Tuples(Told):
        def partitions(self, start: Any, end: Any) -> Any:
            return [(start["at"], end["at"])]

    class Lists(Told):
        def read(self, piece: Any) -> Any:
            return [(piece.value,)]

    with pytest.raises(TypeError, match=r"the piece \(0, 1\), of type tuple: Spark takes an Input"):
        play(tmp_path, ["batch"], Tuples)
    with pytest.raises(TypeError, match="read returned a list: Spark takes an iterator only"):
        play(tmp_path, ["batch"], Lists)


@pytest.mark.parametrize(
    ("made", "said"), [(None, "returned None"), (Told, "returned the class Told")]
)
def test_what_is_no_reader_is_said(made: Any, said: str) -> None:
    def bus_reader(options: dict[str, str]) -> Any:
        return made

    with pytest.raises(TypeError, match=f"bus_reader {said}, and that is no reader"):
        on_the_bus(bus_reader, ["batch"])


def test_what_the_reader_raises_comes_through_where_nobody_is_killed(tmp_path: Path) -> None:
    class Broken(Told):
        def partitions(self, start: Any, end: Any) -> list[InputPartition]:
            raise KeyError("at")

    with pytest.raises(KeyError):
        play(tmp_path, ["batch"], Broken)


def test_another_act_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there are: publish WORD …; .*killed before its plan"):
        play(tmp_path, ["batch, killed by hand"])
