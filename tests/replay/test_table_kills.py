"""The solutions of 17.5 to 17.7, killed hard at random moments: no row is lost, and none is there twice.

`TABLE_KILLS=100 pytest -s tests/replay/test_table_kills.py` kills them a hundred times; it takes half an hour.
"""

import json
import os
import random
import threading
import time
from collections import Counter
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaProducer
from testkit.lab_processes import ROOT
from testkit.table_queries import QUERIES

from grader.authoring.proof import Bench
from grader.latency.query_process import QueryProcess
from grader.replay.delta_log import commits

pytestmark = [pytest.mark.slow, pytest.mark.timeout(0)]
KILLS = int(os.environ.get("TABLE_KILLS", "2"))
BEGIN = datetime(2026, 3, 1, tzinfo=timezone.utc)
BETWEEN = timedelta(seconds=5)  # between two events, by their own times
PAUSE = 0.02  # seconds between two events, by the clock
CUSTOMERS = [*(f"customer {number}" for number in range(20)), None]
PAGES = ["home", "hats", "shoes", None]
DELAY = 60  # seconds: the watermark delay of 17.5
# seconds by the clock to a kill, from the time when each query has committed a micro-batch
LONGEST = 6
END = 120  # seconds by the clock, for that and for all that is left at the end


class Events:
    """Clicks and orders, sent to the topics of all queries until they are told to stop."""

    def __init__(self, servers: str, topics: dict[str, str], seed: int):
        self.clicks: list[dict[str, Any]] = []
        self.orders: list[dict[str, Any]] = []
        self._topics = topics
        self._random = random.Random(seed)
        self._producer = KafkaProducer(bootstrap_servers=servers)
        self._enough = threading.Event()
        self._sender = threading.Thread(target=self._send)
        self._sender.start()

    def stop(self) -> None:
        self._enough.set()
        self._sender.join()
        self._producer.close()

    def _send(self) -> None:
        while not self._enough.wait(PAUSE):
            self._one(len(self.clicks))
        self._one(len(self.clicks) + 1000)  # closes every window before it

    def _one(self, number: int) -> None:
        at = (BEGIN + number * BETWEEN).isoformat()
        self.clicks.append({"page": self._random.choice(PAGES), "event_time": at})
        city = self._random.choice(["Oslo", "Rome", None])
        customer = self._random.choice(CUSTOMERS)
        self.orders.append({"customer": customer, "city": city, "order_time": at})
        for name, topic in self._topics.items():
            of_it = self.orders if name == "customer_table" else self.clicks
            self._producer.send(topic, json.dumps(of_it[-1]).encode())


def windows(events: Events) -> list[tuple[Any, ...]]:
    """Each closed window of 5 minutes and each page, with its clicks; the last click closes all but its own."""
    counts = Counter(
        (_time(click["event_time"]) // 300 * 300, click["page"]) for click in events.clicks[:-1]
    )
    return [(start, page, clicks) for (start, page), clicks in counts.items()]


def customers(events: Events) -> list[tuple[Any, ...]]:
    """Each customer with the number of orders, and the city and the time of the newest one."""
    counts = Counter(order["customer"] for order in events.orders)
    newest = {order["customer"]: order for order in events.orders}
    return [
        (customer, orders, newest[customer]["city"], _time(newest[customer]["order_time"]))
        for customer, orders in counts.items()
    ]


def pages(events: Events) -> dict[str, int]:
    return dict(Counter(click["page"] for click in events.clicks if click["page"]))


def _time(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())


def last_batch(folder: Path) -> tuple[int, int]:
    """The numbers of the last micro-batch that was planned, and of the last that was committed."""
    found = []
    for log in ("offsets", "commits"):
        files = (folder / "checkpoint" / log).glob("[0-9]*")
        found.append(max((int(path.name) for path in files), default=-1))
    return found[0], found[1]


def last_write(folder: Path) -> int:
    """The highest number of a micro-batch in the log of a table."""
    lines = [
        json.loads(line)
        for path in commits(folder / "table")
        for line in path.read_text().splitlines()
    ]
    return max((line["txn"]["version"] for line in lines if "txn" in line), default=-1)


def read_to_the_end(folder: Path, events: Events) -> bool:
    """Whether every record is in a committed micro-batch, the last one with the watermark that follows from them."""
    planned, committed = last_batch(folder)
    if planned != committed or planned < 0:
        return False
    lines = (folder / "checkpoint" / "offsets" / str(planned)).read_text().splitlines()
    watermark = json.loads(lines[1])["batchWatermarkMs"] / 1000
    (partitions,) = json.loads(lines[2]).values()
    closes = folder.name == "page_windows"
    wanted = _time(events.clicks[-1]["event_time"]) - DELAY if closes else 0
    return sum(partitions.values()) == len(events.clicks) and watermark >= wanted


def test_no_row_is_lost_and_none_is_there_twice(bench: Bench, tmp_path: Path) -> None:
    seed = random.randrange(1_000_000)
    print("seed", seed)
    moments = random.Random(seed)
    topics = bench.kafka.unique_topics(dict.fromkeys(QUERIES, 1))
    order = {
        "topics": topics,
        "servers": bench.kafka.bootstrap_servers,
        "folder": str(tmp_path),
    }
    events = Events(bench.kafka.bootstrap_servers, topics, seed)
    seen: Counter[str] = Counter()

    def start() -> QueryProcess:
        started = QueryProcess(
            "testkit.table_queries",
            order,
            tmp_path / "queries.log",
            lambda report: None,
            {"PYTHONPATH": str(ROOT / "tests")},
        )
        assert started.await_start(180), started.last_words()
        return started

    try:
        for kill in range(KILLS):
            before = {name: last_batch(tmp_path / name)[1] for name in QUERIES}
            running = start()
            until = time.monotonic() + END
            while any(last_batch(tmp_path / name)[1] <= last for name, last in before.items()):
                assert not running.ended(), running.last_words()
                assert time.monotonic() < until, "a query has committed nothing"
                time.sleep(0.05)
            time.sleep(moments.uniform(0, LONGEST))
            running.kill()
            for name in QUERIES:
                planned, committed = last_batch(tmp_path / name)
                seen[f"{name}: killed in a micro-batch"] += planned > committed
                if name != "customer_table":  # MERGE writes no number
                    written = last_write(tmp_path / name)
                    seen[f"{name}: written and not committed"] += written > committed
            print("kill", kill + 1, "of", KILLS, "after", len(events.clicks), "events", flush=True)
    finally:
        events.stop()
    running = start()
    until = time.monotonic() + END
    while not all(read_to_the_end(tmp_path / name, events) for name in QUERIES):
        assert not running.ended(), running.last_words()
        assert time.monotonic() < until, "the queries did not read all"
        time.sleep(0.2)
    running.stop()
    print(*seen.items(), sep="\n")

    def rows(name: str, *columns: str) -> list[tuple[Any, ...]]:
        table = bench.spark.read.format("delta").load(str(tmp_path / name / "table"))
        return [tuple(row) for row in table.selectExpr(*columns).collect()]

    def same(found: list[tuple[Any, ...]], expected: list[tuple[Any, ...]]) -> bool:
        return Counter(found) == Counter(expected)

    found = rows("page_windows", "unix_timestamp(window_start)", "page", "clicks")
    assert same(found, windows(events))
    last = ("customer", "orders", "city", "unix_timestamp(last_order)")
    assert same(rows("customer_table", *last), customers(events))
    history = rows("count_history", "page", "clicks")
    assert len(set(history)) == len(history)
    newest: dict[str, int] = {}
    for page, clicks in history:
        newest[page] = max(clicks, newest.get(page, 0))
    assert newest == pages(events)
    print(len(events.clicks), "events;", len(found), "windows;", len(history), "rows of history")
