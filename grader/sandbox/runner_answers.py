"""What a runner leaves in its folder, read as untrusted: one event per line, and recordings."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path
from typing import Any

# what an event must hold; the rest of what a runner may write there is not read
_FIELDS: dict[str, dict[str, Any]] = {
    "setup_failed": {"message": str},
    "ready": {},
    "cell": {"cell": int},
    "predicted": {"exercise": str, "answers": dict},
    "cell_ended": {"cell": int, "how": str, "message": str, "count": int, "outputs": list},
    "exercise": {"exercise": str, "found": bool},
    "play": {"exercise": str},
    "recorded": {"exercise": str},
    "lab_lost": {"message": str},
    "done": {},
}
SPOILT = "its progress file is spoilt"


class RunnerEnded(Exception):
    """The runner cannot go on: it was too slow and must be killed, or it died or wrote nonsense."""

    def __init__(self, killed: bool, message: str):
        super().__init__(message)
        self.killed = killed


def read_event(line: bytes) -> dict[str, Any]:
    """The event that a line holds; raises RunnerEnded for any other line."""
    try:
        event = _loaded(line)
        fields = _FIELDS[event["event"]]
        if all(isinstance(event[name], kind) for name, kind in fields.items()):
            return event  # type: ignore[no-any-return]
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    raise RunnerEnded(False, SPOILT)


def read_recording(path: Path, number: int, megabytes: int) -> dict[str, Any]:
    """The line of this number (from 0) of a file of recordings that may have so many megabytes.

    Raises RunnerEnded if that is not a JSON object.
    """
    try:
        # neither a link nor a pipe that was put there meanwhile
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise RunnerEnded(False, "its recording is not a file")
            text = file.read((megabytes << 20) + 1)
        if len(text) > megabytes << 20:
            raise RunnerEnded(False, f"its recordings are larger than {megabytes} MB")
        found = _loaded(text.splitlines()[number])
    except (OSError, ValueError, IndexError, RecursionError) as error:
        link = isinstance(error, OSError) and error.errno == errno.ELOOP
        said = "is not a file" if link else "cannot be read"
        raise RunnerEnded(False, f"its recording {said}") from error
    if not isinstance(found, dict):
        raise RunnerEnded(False, "its recording cannot be read")
    return found


def _loaded(text: bytes) -> Any:
    """What a line of JSON holds; half a character (a lone surrogate), which no file can hold, becomes a `?`."""
    found = json.loads(text)
    if rb"\ud" in text.lower():
        found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    return found
