"""The lab rehearses while nobody runs anything in the notebook, never beside a cell, and leaves nothing."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from jupyter_client.manager import start_new_kernel

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]

START = """
import threading, time
import grader
from grader.runtime.spark_internals.session_internals import producer_pool
spark, kafka = grader.start()

def rehearsing():
    return any(thread.name == "warming" for thread in threading.enumerate())

def topics():
    return kafka._ask("list_topics")
"""
Run = Callable[[str], str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Run a cell in a kernel of its own; what it printed."""
    monkeypatch.setenv("GRADER_STATE", str(tmp_path))
    monkeypatch.delenv("GRADER_KAFKA", raising=False)
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(ROOT))

    def run_cell(code: str) -> str:
        said: list[str] = []
        reply = client.execute_interactive(
            code,
            timeout=120,
            output_hook=lambda message: said.append(message["content"].get("text", "")),
        )
        assert reply["content"]["status"] == "ok", reply["content"]
        return "".join(said)

    yield run_cell
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def test_a_rehearsal_waits_for_cells_and_ends_without_a_trace(run: Run) -> None:
    run(START)
    busy = "seen = set()\nfor _ in range(30):\n    seen |= set(topics())\n    time.sleep(0.1)\n"
    assert run(busy + "print(sorted(seen), rehearsing())") == "[] True\n"
    deadline = time.monotonic() + 120
    while run("print(rehearsing())") == "True\n":
        assert time.monotonic() < deadline, "the rehearsal does not end"
        time.sleep(5)  # as somebody reads
    assert run("print(topics(), len(spark.streams.active))") == "[] 0\n"
    # a producer that outlived its topic would ask for it again, and so make it anew
    assert run("print(producer_pool(spark).getAsMap().size())") == "0\n"
