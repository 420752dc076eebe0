"""How far a learner is, in one small local file that survives upgrades."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from grader.judging.verdict import Verdict
from grader.runtime.file_locks import file_lock
from grader.runtime.paths import state_dir

FILE_NAME = "progress.json"
LOOK_SECONDS = 1


def read() -> dict[str, Any]:
    """The progress file: `{"version": 1, "exercises": {id: {...}}}`. A damaged one is kept aside."""
    path = state_dir() / FILE_NAME
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(data, dict) and isinstance(data.get("exercises"), dict):
            return data
    except FileNotFoundError:
        return {"version": 1, "exercises": {}}
    except ValueError:
        pass
    kept = path.with_suffix(f".damaged-{time.strftime('%Y%m%d-%H%M%S')}.json")
    with contextlib.suppress(FileNotFoundError):  # a different kernel was quicker
        path.replace(kept)
    print(f"Your progress file was damaged. It is kept as {kept}, and you start from scratch.")
    return {"version": 1, "exercises": {}}


def remember(verdict: Verdict, *, title: str) -> None:
    """Note a verdict: the newest status, the best score, the number of attempts."""
    if verdict.status == "not_attempted":
        return

    def note(data: dict[str, Any]) -> None:
        entry = data["exercises"].setdefault(verdict.exercise, {})
        entry["title"] = title
        entry["status"] = "passed" if entry.get("status") == "passed" else verdict.status
        entry["score"] = max(entry.get("score", 0), verdict.score)
        entry["max_score"] = verdict.max_score
        entry["attempts"] = entry.get("attempts", 0) + 1
        entry["when"] = datetime.now(timezone.utc).isoformat(timespec="seconds")

    _note(note)


def passed(exercise: str) -> bool:
    return read()["exercises"].get(exercise, {}).get("status") == "passed"


def hints_seen(exercise: str) -> int:
    return int(read()["exercises"].get(exercise, {}).get("hints", 0))


def remember_hint(exercise: str, number: int) -> None:
    _note(lambda data: data["exercises"].setdefault(exercise, {}).update(hints=number))


def remember_prediction(exercise: str, name: str, right: bool) -> None:
    """Note whether the first answer to a question was right; later ones change nothing."""

    def note(data: dict[str, Any]) -> None:
        entry = data["exercises"].setdefault(exercise, {})
        entry.setdefault("predictions", {}).setdefault(name, right)

    _note(note)


def drilled() -> dict[str, Any]:
    """What is known about each topic that was drilled; see mastery.py."""
    return dict(read().get("drill", {}))


def remember_drill(topic: str, standing: dict[str, Any]) -> None:
    _note(lambda data: data.setdefault("drill", {}).update({topic: standing}))


def placement() -> list[tuple[str, bool]]:
    """The answers of the last placement test: the lesson of each question, and whether it was right."""
    return [(lesson, right) for lesson, right in read().get("placement", {}).get("answers", [])]


def remember_placement(answers: list[tuple[str, bool]], when: datetime | None = None) -> None:
    """Note the answers of a placement test that was taken now, or `when`."""
    time = (when or datetime.now(timezone.utc)).isoformat(timespec="seconds")
    _note(lambda data: data.update(placement={"when": time, "answers": answers}))


def forget(exercise: str) -> bool:
    """Take one exercise out of the file; says whether it was there."""
    return _change(lambda data: data["exercises"].pop(exercise, None)) is not None


def follow(draw: Callable[[], None], wanted: Callable[[], bool] = lambda: True) -> None:
    """Call `draw` now and, in a thread of its own, after each change of the file as long as it is `wanted`."""
    seen = _changed()
    draw()
    threading.Thread(target=_follow, args=(draw, wanted, seen), daemon=True).start()


def _follow(draw: Callable[[], None], wanted: Callable[[], bool], seen: int) -> None:
    while wanted():
        time.sleep(LOOK_SECONDS)
        if _changed() != seen:
            seen = _changed()
            # a file that is being replaced; the next change draws
            with contextlib.suppress(Exception):
                draw()


def _changed() -> int:
    path = state_dir() / FILE_NAME
    return path.stat().st_mtime_ns if path.exists() else 0


def _note(note: Callable[[dict[str, Any]], object]) -> None:
    """Change the file; if it cannot be written, the learner's work goes on."""
    try:
        _change(note)
    except OSError as error:
        print(
            f"Your progress could not be kept ({error.strerror}). Make room in {state_dir()}, or name another "
            "folder in GRADER_STATE."
        )


def _change(change: Callable[[dict[str, Any]], Any]) -> Any:
    """Change the file, one process at a time: kernels of two notebooks may be at it. What `change` gave."""
    with file_lock(state_dir() / "progress.lock"):
        data = read()
        result = change(data)
        _write(data)
    return result


def _write(data: dict[str, Any]) -> None:
    """Replace the file in one go: a kernel killed meanwhile leaves the old one whole."""
    folder = state_dir()
    handle, name = tempfile.mkstemp(dir=folder, prefix="progress-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(data, file, indent=1, ensure_ascii=False)
        os.replace(name, folder / FILE_NAME)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
