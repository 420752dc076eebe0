"""The lab ends with its terminal, however that ends, and leaves nothing behind."""

import json
import os
import re
import shutil
import signal
import sys

import pytest
from testkit.lab_processes import named, processes_of, wait_until
from testkit.terminal_lab import Lab

from grader.runtime.broker import broker_registry

pytestmark = pytest.mark.slow

LAB = """
import sys
from pathlib import Path
from grader.lab.local_lab import run_lab

def self_check():
    from grader.runtime.spark_session import spark_session
    return f"{spark_session().range(3).count()} rows came through"

sys.exit(run_lab(self_check, Path(sys.argv[1]), open_browser=False))
"""


@pytest.fixture
def lab(state, tmp_path):
    folder = tmp_path / "course"
    folder.mkdir()
    running = Lab(sys.executable, "-c", LAB, str(folder))
    yield running
    running.end()


@pytest.fixture
def lab_without_java(state, monkeypatch):
    """`grader lab` itself, where no Java can be found but the one in the lock."""
    for name in ("JAVA_HOME", "GRADER_JAVA"):
        monkeypatch.delenv(name, raising=False)
    path = os.path.dirname(sys.executable)
    assert shutil.which("java", path=path) is None
    running = Lab(
        *(sys.executable, "-m", "grader", "lab", "--no-browser"),
        environment={**os.environ, "PATH": path},
    )
    yield running
    running.end()


def all_gone(state):
    wait_until(lambda: not processes_of(state), "broker, Spark, kernels and JupyterLab have ended")
    assert not broker_registry().exists()


def test_killing_the_terminal_leaves_nothing_behind(lab, state):
    said = lab.start_kernel()
    address = lab.read_until(r"Kafka +(\S+),").group(1)
    assert said == f"streaming {address}\n"  # the notebook uses the lab's broker, and is quiet
    assert named(state, "kafka.Kafka") and named(state, "PythonGatewayServer")
    data = json.loads(broker_registry().read_text())["data"]
    os.killpg(lab.process.pid, signal.SIGKILL)
    all_gone(state)
    assert not os.path.exists(data)


def test_closing_the_terminal_stops_everything(lab, state):
    lab.start_kernel()
    os.killpg(lab.process.pid, signal.SIGHUP)
    assert lab.process.wait(120) == 0
    all_gone(state)


def test_ctrl_c_stops_everything_and_says_so(lab, state):
    lab.start_kernel()
    lab.press_ctrl_c()
    all_gone(state)
    assert "Traceback" not in lab.said


def test_ctrl_c_while_the_broker_starts_leaves_nothing_behind(lab, state):
    wait_until(lambda: named(state, "kafka.Kafka"), "the broker's process is there")
    os.write(lab.terminal, b"\x03")
    assert lab.process.wait(120) == 0
    all_gone(state)
    assert "Traceback" not in lab.said


def test_the_lab_says_what_it_does_and_what_the_self_check_found(lab, state):
    lab.read_until(r"Ctrl-C here stops everything")
    assert re.search(r"Kafka +127\.0\.0\.1:\d+, up in \d", lab.said)
    assert re.search(r"3 rows came through; \d+\.\d s with the start of Spark", lab.said)
    assert not named(state, "PythonGatewayServer")  # each notebook starts its own


def test_the_lab_needs_no_java_but_its_own(lab_without_java, state):
    lab_without_java.read_until(r"graded: passed \(\d+\.\d s\); \d+\.\d s with the start of Spark")
    lab_without_java.read_until(r"JupyterLab +http://\S+/\?token=\w+")
    lab_without_java.press_ctrl_c()
    all_gone(state)
