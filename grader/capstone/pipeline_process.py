"""The process of a pipeline: started, observed, killed hard, restarted from its checkpoint."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.capstone.shop_broker import Shop
from grader.errors import UserFacingError
from grader.latency.query_process import POLL_SECONDS, QueryProcess

START_SECONDS = 180
SELF_CONTAINED = (
    "Of your cells only the text of the functions is in the program: "
    "write what a function needs inside it."
)


class PipelineError(UserFacingError, RuntimeError):
    """The pipeline did not start, or ended by itself; the message says why."""


@dataclass(frozen=True)
class Batch:
    """One micro-batch as the query reported it: records in, seconds, counts kept, late rows dropped."""

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
    _process: QueryProcess | None = None

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint"

    def start(self) -> None:
        """Start it in its own process; returns when its query runs. Raises PipelineError."""
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
        self._process = QueryProcess(
            "grader.capstone.pipeline_query",
            order,
            self.folder / "pipeline.log",
            self._note,
            {"GRADER_KAFKA_CONF": str(conf)},
        )
        if not self._process.await_start(START_SECONDS):
            self.hold()
            raise PipelineError(f"the pipeline did not start in {START_SECONDS} s")

    def hold(self) -> None:
        """Raise PipelineError if the pipeline has ended by itself."""
        assert self._process is not None
        if self._process.ended():
            said = self._process.last_words()
            fix = f"\n{SELF_CONTAINED}" if "NameError" in said else ""
            raise PipelineError(f"the pipeline ended: {said}{fix}")

    def wait(self, seconds: float) -> None:
        """Let it run for so long; raises PipelineError if it ends meanwhile."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.hold()
            time.sleep(POLL_SECONDS)

    def kill(self) -> None:
        """Kill it and all that it started, as a crash of the machine would."""
        assert self._process is not None
        self._process.kill()
        self._process = None

    def stop(self) -> None:
        """End it properly; fine if it has ended already."""
        if self._process is not None:
            self._process.stop()
        self._process = None

    def read_up_to(self) -> dict[int, int]:
        """By partition, the offset after the last record of a batch that is committed and was reported.

        A batch is committed a moment before its query reports it.
        """
        reported = {batch.batch for batch in self.batches}
        committed = (int(path.name) for path in (self.checkpoint / "commits").glob("[0-9]*"))
        entries = [number for number in committed if number in reported]
        if not entries:
            return {}
        lines = (self.checkpoint / "offsets" / str(max(entries))).read_text().splitlines()
        (partitions,) = json.loads(lines[2]).values()
        return {int(number): offset for number, offset in partitions.items()}

    def _note(self, report: dict[str, Any]) -> None:
        self.batches.append(Batch(**report))
