"""A JupyterLab with nbgrader's extensions, for as long as a test takes."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.runtime.ports import own_ports

TOKEN = "of-the-test"


@contextmanager
def jupyterlab(root: Path, shown: Path) -> Iterator[str]:
    """JupyterLab started in a clone, showing a folder of it; its address while it runs."""
    (port,) = own_ports(1)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += [f"--port={port}", "--ServerApp.port_retries=0"]
    command += [f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={shown}"]
    with open(root / "log", "wb") as log:
        server = subprocess.Popen(command, cwd=root, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}/"
    try:
        until = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"{address}api", timeout=5).close()
                break
            except OSError:
                assert server.poll() is None, (root / "log").read_text()
                assert time.monotonic() < until, (root / "log").read_text()
                time.sleep(0.2)
        yield address
    finally:
        server.terminate()
        server.wait(30)
