"""A query's process is heard batch by batch, and ends with its owner's word or hard."""

from pathlib import Path
from typing import Any

import psutil
import pytest

from grader.latency.query_process import QueryProcess

# stands in for a module that runs a query
MODULE = """
import json, subprocess, sys, time
order = json.loads(sys.stdin.readline())
print("what Java says is no report")
if order["does"] == "fails":
    sys.exit("ValueError: no such topic")
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(json.dumps({"ready": True}), flush=True)
for number in range(order["batches"]):
    print(json.dumps({"batch": number, "rows": 3}), flush=True)
sys.stdin.read()
print(json.dumps({"batch": 99, "rows": 0}), flush=True)
child.kill()
"""


@pytest.fixture
def start(tmp_path: Path) -> Any:
    (tmp_path / "fake_query.py").write_text(MODULE)
    started = []

    def start(**order: Any) -> tuple[QueryProcess, list[dict[str, Any]]]:
        heard: list[dict[str, Any]] = []
        log = tmp_path / "query.log"
        path = {"PYTHONPATH": str(tmp_path)}
        started.append(QueryProcess("fake_query", order, log, heard.append, path))
        return started[-1], heard

    yield start
    for process in started:
        process.stop()


def test_its_batches_are_heard_to_the_last(start: Any) -> None:
    process, heard = start(does="runs", batches=2)
    assert process.await_start(60) and not process.ended()
    process.stop()
    assert [report["batch"] for report in heard] == [0, 1, 99]


def test_one_that_fails_says_why(start: Any) -> None:
    process, heard = start(does="fails")
    assert not process.await_start(60)
    assert process.ended() and process.last_words() == "ValueError: no such topic"
    assert heard == []


def test_a_kill_takes_what_it_has_started_along(start: Any) -> None:
    process, _ = start(does="runs", batches=0)
    assert process.await_start(60)
    family = psutil.Process(process._process.pid).children(recursive=True)
    assert family
    process.kill()
    assert not any(each.is_running() and each.status() != psutil.STATUS_ZOMBIE for each in family)
    assert process.ended()
