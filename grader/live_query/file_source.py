"""The folders that a query's file sources read, compared with what their checkpoint says was read."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from grader.live_query.observation import FileInput

_SOURCE = re.compile(r"^FileStreamSource\[(file:.*)\]$")
_OLDEST_MS = 7 * 24 * 3600 * 1000  # maxFileAge by default
_AGE_OPTIONS = {"maxfileage", "latestfirst"}  # with latestFirst, files of any age may be read


def file_inputs(
    batches: list[dict[str, Any]], checkpoint: Path, options: Collection[str] = ()
) -> list[FileInput]:
    """The local folders of the query's file sources; `batches` are its progress reports, oldest first.

    A source is a folder of Spark's own log: sources/0 in the checkpoint is the first source of the query.
    `options` are the names of the sources' options, in lower case: where one of them changes the age, no file
    counts as too old.
    """
    sources = batches[-1].get("sources", []) if batches else []
    oldest = None if _AGE_OPTIONS & {*options} else _OLDEST_MS
    return [
        _compared(Path(_path(found[1])), checkpoint / "sources" / str(number), oldest)
        for number, source in enumerate(sources)
        if (found := _SOURCE.match(source.get("description", "")))
    ]


def _compared(folder: Path, log: Path, oldest: int | None) -> FileInput:
    read = {_path(one["path"]): int(one["timestamp"]) for one in _entries(log)}
    newest = max(read.values(), default=0)
    there = {
        str(path): path.stat().st_mtime_ns // 1_000_000
        for path in sorted(folder.glob("*"))
        if path.is_file() and path.name[0] not in "._"
    }
    return FileInput(
        str(folder),
        tuple(
            Path(p).name
            for p, at in there.items()
            if oldest is not None and p not in read and at < newest - oldest
        ),
        tuple(Path(p).name for p, at in there.items() if p in read and at > read[p]),
    )


def _entries(log: Path) -> Iterator[dict[str, Any]]:
    """What a source has read: the path and the modification time (ms) of each file."""
    for path in sorted(log.glob("[0-9]*")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("{"):  # the first line is the version of the format
                yield json.loads(line)


def _path(address: str) -> str:
    return unquote(urlparse(address).path)
