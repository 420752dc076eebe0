"""The lab ends with its terminal, however that ends, and leaves nothing behind."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request

import pytest
from testkit.lab_processes import ROOT, named, processes_of, wait_until

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

KERNEL = """
from grader.runtime.broker import lease_broker
from grader.runtime.spark_session import spark_session
lease, spark = lease_broker(), spark_session()
stream = spark.readStream.format("rate").load().writeStream.format("noop").start()
print("streaming", lease.bootstrap_servers)
"""


class Lab:
    """A lab in a terminal of its own."""

    def __init__(self, *command, **environment):
        terminal, inside = pty.openpty()
        self.terminal = terminal
        self.process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdin=inside,
            stdout=inside,
            stderr=inside,
            preexec_fn=self._take_terminal,
        )
        os.close(inside)
        self.said = ""

    @staticmethod
    def _take_terminal():
        import fcntl
        import termios

        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def read_until(self, pattern, seconds=180):
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self.said):
            assert time.monotonic() < deadline, self.said
            try:
                self.said += os.read(self.terminal, 4096).decode(errors="replace")
            except OSError:  # the other end is closed
                break
        match = re.search(pattern, self.said)
        assert match, self.said
        return match

    def end(self):
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)

    def start_kernel(self):
        """Run a stream in a notebook's kernel, as a learner in the browser does."""
        url, token = self.read_until(r"JupyterLab +(http://\S+)/\?token=(\w+)").groups()
        request = urllib.request.Request(
            f"{url}/api/kernels", b"{}", {"Authorization": f"token {token}"}, method="POST"
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            kernel = json.load(answer)["id"]
        from jupyter_client import BlockingKernelClient
        from jupyter_core.paths import jupyter_runtime_dir

        client = BlockingKernelClient()
        client.load_connection_file(os.path.join(jupyter_runtime_dir(), f"kernel-{kernel}.json"))
        client.start_channels(hb=False)  # a busy machine misses heartbeats, which is no death
        client.wait_for_ready(120)
        output = []
        client.execute_interactive(KERNEL, timeout=240, output_hook=output.append)
        client.stop_channels()
        return "".join(message["content"].get("text", "") for message in output)


@pytest.fixture
def lab(state, tmp_path):
    folder = tmp_path / "course"
    folder.mkdir()
    running = Lab("-c", LAB, str(folder))
    yield running
    running.end()


@pytest.fixture
def lab_without_java(state, monkeypatch):
    """`grader lab` itself, where no Java can be found but the one in the lock."""
    for name in ("JAVA_HOME", "GRADER_JAVA"):
        monkeypatch.delenv(name, raising=False)
    path = os.path.dirname(sys.executable)
    assert shutil.which("java", path=path) is None
    running = Lab("-m", "grader", "lab", "--no-browser", PATH=path)
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
    os.write(lab.terminal, b"\x03")
    lab.read_until(r"The lab has stopped: notebooks, Spark and Kafka\.")
    assert lab.process.wait(120) == 0
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
    os.write(lab_without_java.terminal, b"\x03")
    assert lab_without_java.process.wait(120) == 0
    all_gone(state)
