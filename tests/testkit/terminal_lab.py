"""A lab in a terminal of its own, as a learner starts it."""

import fcntl
import json
import os
import pty
import re
import subprocess
import termios
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from testkit.lab_processes import ROOT

KERNEL = """
from grader.runtime.broker import lease_broker
from grader.runtime.spark_session import spark_session
lease, spark = lease_broker(), spark_session()
stream = spark.readStream.format("rate").load().writeStream.format("noop").start()
print("streaming", lease.bootstrap_servers)
"""


class Lab:
    """A lab in a terminal of its own."""

    def __init__(
        self, *command: str, cwd: Path = ROOT, environment: Mapping[str, str] | None = None
    ) -> None:
        self.terminal, inside = pty.openpty()
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environment,
            stdin=inside,
            stdout=inside,
            stderr=inside,
            preexec_fn=self._take_terminal,
        )
        os.close(inside)
        self.said = ""

    @staticmethod
    def _take_terminal() -> None:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def read_until(self, pattern: str, seconds: float = 180) -> "re.Match[str]":
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

    def press_ctrl_c(self) -> None:
        """Stop it as a learner does; it says so and ends well."""
        os.write(self.terminal, b"\x03")
        self.read_until(r"The lab has stopped: notebooks, Spark and Kafka\.")
        assert self.process.wait(120) == 0

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)

    def start_kernel(self) -> str:
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
