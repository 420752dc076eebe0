"""The process of a pipeline: started, listened to, killed hard, started again on its checkpoint."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from grader.capstone.shop_broker import Shop
from grader.errors import UserFacingError
from grader.runtime.log_tail import last_words

START_SECONDS = 180
POLL_SECONDS = 0.05
STANDS_ALONE = (
    "Of your cells only the text of the functions is in the program: "
    "write what a function needs inside it."
)


class PipelineError(UserFacingError, RuntimeError):
    """The pipeline did not start, or ended by itself; the message says why."""


@dataclass(frozen=True)
class Batch:
    """One micro-batch as the query told of it: records in, seconds, counts kept, rows too late."""

    batch: int
    rows: int
    seconds: float
    state: int
    late: int


@dataclass
class Pipeline:
    """A pipeline's text with its settings; it runs on one checkpoint, however often it is killed.

    `text` defines `pipeline(spark, kafka)`, which returns a writer that is not started.
    """

    shop: Shop
    text: str
    topics: Mapping[str, str]
    settings: Mapping[str, str]
    folder: Path
    trigger: str
    fast: bool
    batches: list[Batch] = field(default_factory=list)
    _process: subprocess.Popen[str] | None = None
    _ready: threading.Event = field(default_factory=threading.Event)
    _failed: str = ""
    _listener: threading.Thread | None = None

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint"

    def start(self) -> None:
        """Start it in a process of its own; returns when its query runs. Raises PipelineError."""
        conf = self.folder / "client.properties"
        conf.write_text("".join(f"{k}={v}\n" for k, v in self.shop.client_settings.items()))
        order = {
            "pipeline": self.text,
            "servers": self.shop.servers,
            "topics": dict(self.topics),
            "settings": dict(self.settings),
            "checkpoint": str(self.checkpoint),
            "trigger": self.trigger,
            "fast": self.fast,
        }
        with self._log.open("w") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "grader.capstone.pipeline_query"],
                env={**os.environ, "GRADER_KAFKA_CONF": str(conf)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self._ready.clear()
        self._listener = threading.Thread(target=self._listen, args=(self._process,), daemon=True)
        self._listener.start()
        assert self._process.stdin is not None
        print(json.dumps(order), file=self._process.stdin, flush=True)
        deadline = time.monotonic() + START_SECONDS
        while not self._ready.wait(POLL_SECONDS):
            self.hold()
            if time.monotonic() > deadline:
                raise PipelineError(f"the pipeline did not start in {START_SECONDS} s")

    def hold(self) -> None:
        """Raise PipelineError if the pipeline has ended by itself."""
        assert self._process is not None
        if self._failed or self._process.poll() is not None:
            said = self._failed or self._last_words()
            fix = f"\n{STANDS_ALONE}" if "NameError" in said else ""
            raise PipelineError(f"the pipeline ended: {said}{fix}")

    def wait(self, seconds: float) -> None:
        """Let it run for so long; raises PipelineError if it ends meanwhile."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.hold()
            time.sleep(POLL_SECONDS)

    def kill(self) -> None:
        """SIGKILL to Java, to Python and to all that they started: nobody gets to say goodbye."""
        assert self._process is not None
        family = psutil.Process(self._process.pid).children(recursive=True)
        for member in [*family, self._process]:
            _kill(member)
        psutil.wait_procs(family, timeout=30)
        self._end()

    def stop(self) -> None:
        """End it as it should be ended; fine if it has ended already."""
        if self._process is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()
        self._end()

    def read_up_to(self) -> dict[int, int]:
        """By partition, the offset after the last record of a batch that is committed and was told of.

        A batch is committed a moment before its query tells of it.
        """
        told = {batch.batch for batch in self.batches}
        committed = (int(path.name) for path in (self.checkpoint / "commits").glob("[0-9]*"))
        entries = [number for number in committed if number in told]
        if not entries:
            return {}
        lines = (self.checkpoint / "offsets" / str(max(entries))).read_text().splitlines()
        (partitions,) = json.loads(lines[2]).values()
        return {int(number): offset for number, offset in partitions.items()}

    def _end(self) -> None:
        if self._process is not None:
            self._process.wait()
            if self._listener is not None:
                self._listener.join()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None and not pipe.closed:
                    pipe.close()
        self._process = None

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if not line.startswith("{") or not line.endswith("}\n"):
                continue
            said: dict[str, Any] = json.loads(line)
            if "batch" in said:
                self.batches.append(Batch(**said))
            self._failed = said.get("failed", self._failed)
            if said.get("ready"):
                self._ready.set()

    @property
    def _log(self) -> Path:
        return self.folder / "pipeline.log"

    def _last_words(self) -> str:
        return last_words(self._log)


def _kill(process: Any) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.kill()
