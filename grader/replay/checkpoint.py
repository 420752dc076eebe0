"""A query's checkpoint folder: what is in it, what it pins, and how a crash leaves it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from grader.scenario.recording import Batch


def files_in(checkpoint: Path) -> dict[str, int]:
    """Relative file name → bytes, checksum files left out."""
    return {
        str(path.relative_to(checkpoint)): path.stat().st_size
        for path in sorted(checkpoint.rglob("*"))
        if path.is_file() and not path.name.endswith(".crc")
    }


def pinned_conf(checkpoint: Path) -> dict[str, str]:
    """The settings that the newest offset-log entry pins for the life of the checkpoint."""
    entries = _offset_log(checkpoint)
    return dict(_about_batch(entries[max(entries)]).get("conf", {})) if entries else {}


def batch_times(checkpoint: Path, batches: Iterable[int]) -> dict[int, int]:
    """When each of these batches began, from the offset log: milliseconds → batch id."""
    entries = _offset_log(checkpoint)
    return {_about_batch(entries[id])["batchTimestampMs"]: id for id in batches if id in entries}


def _offset_log(checkpoint: Path) -> dict[int, Path]:
    """Batch id → its entry."""
    return {int(p.name): p for p in (checkpoint / "offsets").glob("*") if p.name.isdigit()}


def _about_batch(entry: Path) -> dict[str, Any]:
    """What an offset-log entry says about its batch besides the offsets: time, watermark, settings."""
    lines = entry.read_text(encoding="utf-8").splitlines()
    return json.loads(lines[1]) if len(lines) > 1 else {}  # type: ignore[no-any-return]


def rewind(checkpoint: Path, run: list[Batch]) -> None:
    """Leave the checkpoint as a process does that dies between sink and commit of `run`'s data.

    The first batch of the run keeps its offset-log entry and loses its commit; what came
    after it never happened. Spark must then run that batch again.
    """
    if not run:
        return
    first = min(batch.id for batch in run)
    for log, keep_first in (("offsets", True), ("commits", False)):
        for path in (checkpoint / log).iterdir():
            number = path.name.strip(".").removesuffix(".crc")
            if number.isdigit() and (
                int(number) > first or (int(number) == first and not keep_first)
            ):
                path.unlink()
