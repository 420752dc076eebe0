"""A Prometheus server of this machine's own, for as long as a cell needs it."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import urlopen

from grader.errors import UserFacingError
from grader.runtime.ports import own_ports
from grader.runtime.scratch_folders import make_scratch

SECONDS = 30.0  # for the server to be ready, and for a query to have a result
POLL_SECONDS = 0.2


class PrometheusError(UserFacingError, RuntimeError):
    """Prometheus is not there, did not start, or has no answer."""


@dataclass(frozen=True)
class PrometheusServer:
    """A server that runs."""

    address: str
    process: subprocess.Popen[bytes]

    def query(self, expression: str) -> list[dict[str, Any]]:
        """The first result of an expression in PromQL that is not empty: samples with `metric` and `value`."""
        url = f"{self.address}/api/v1/query?{urlencode({'query': expression})}"
        last = time.monotonic() + SECONDS
        while time.monotonic() < last:
            with suppress(URLError), urlopen(url) as reply:
                result: list[dict[str, Any]] = json.load(reply)["data"]["result"]
                if result:
                    return result
            self._wait()
        raise PrometheusError(
            f"Prometheus has no result for {expression} after {SECONDS:.0f} seconds. {self._failed()}"
        )

    def _failed(self) -> str:
        """The scrapes that fail, as a sentence; empty if all are well."""
        with urlopen(f"{self.address}/api/v1/targets") as reply:
            targets = json.load(reply)["data"]["activeTargets"]
        failed = [f"{t['scrapeUrl']} ({t['lastError']})" for t in targets if t["lastError"]]
        return f"Fix these scrapes: {', '.join(failed)}" if failed else ""

    def until_ready(self) -> None:
        last = time.monotonic() + SECONDS
        while time.monotonic() < last:
            with suppress(URLError), urlopen(f"{self.address}/-/ready"):
                return
            self._wait()
        raise PrometheusError(f"Prometheus was not ready after {SECONDS:.0f} seconds.")

    def _wait(self) -> None:
        """A short while, which ends at once if the server ends."""
        with suppress(subprocess.TimeoutExpired):
            code = self.process.wait(POLL_SECONDS)
            raise PrometheusError(f"Prometheus has stopped with exit code {code}.")


def is_installed() -> bool:
    """Whether there is a command `prometheus`."""
    return shutil.which("prometheus") is not None


@contextmanager
def prometheus_server(
    targets: Iterable[str], scrape_seconds: int = 1
) -> Iterator[PrometheusServer]:
    """A Prometheus that scrapes these addresses until the block ends; raises PrometheusError if it cannot."""
    if not is_installed():
        raise PrometheusError(
            "There is no command prometheus here. Fix: apt-get install prometheus."
        )
    folder = Path(make_scratch("prometheus"))
    config = folder / "prometheus.yml"
    config.write_text(_configuration(targets, scrape_seconds), encoding="utf-8")  # JSON is YAML
    listen = f"127.0.0.1:{own_ports(1)[0]}"
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(
            [
                "prometheus",
                f"--config.file={config}",
                f"--storage.tsdb.path={folder / 'data'}",
                f"--web.listen-address={listen}",
            ],
            stdout=log,
            stderr=log,
        )
    try:
        server = PrometheusServer(f"http://{listen}", process)
        server.until_ready()
        yield server
    finally:
        process.terminate()
        process.wait()


def _configuration(targets: Iterable[str], scrape_seconds: int) -> str:
    jobs = []
    for number, target in enumerate(targets):
        parts = urlsplit(target)
        jobs.append(
            {
                "job_name": f"target-{number}",
                "metrics_path": parts.path,
                "static_configs": [{"targets": [parts.netloc]}],
            }
        )
    every = f"{scrape_seconds}s"
    return json.dumps({"global": {"scrape_interval": every}, "scrape_configs": jobs}, indent=1)
