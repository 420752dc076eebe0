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

from grader.feedback.display import Display
from grader.feedback.drill_standing import drills_of
from grader.feedback.progress_page import progress_html, progress_text
from grader.judging.check_pack import FILE_NAME as FILE_OF_CHECKS
from grader.judging.check_pack import find_packs, read_pack
from grader.judging.verdict import Verdict
from grader.runtime.file_locks import file_lock
from grader.runtime.paths import state_dir

FILE_NAME = "progress.json"
LOOK_SECONDS = 1
_shown: Display | None = None  # the page that follows the file


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
    with contextlib.suppress(FileNotFoundError):  # another kernel was quicker
        path.replace(kept)
    print(f"Your progress file was damaged. It is kept as {kept}, and you start anew.")
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
    """What is known of each topic that was drilled; see mastery.py."""
    return dict(read().get("drill", {}))


def remember_drill(topic: str, standing: dict[str, Any]) -> None:
    _note(lambda data: data.setdefault("drill", {}).update({topic: standing}))


def forget(exercise: str) -> bool:
    """Take one exercise out of the file; says whether it was there."""
    return _change(lambda data: data["exercises"].pop(exercise, None)) is not None


def show(*, live: bool = False) -> None:
    """Show the page (text outside a notebook); `live` keeps it up to date while the kernel runs."""
    global _shown
    display = Display()
    _draw(display)
    if live and display.lasting:
        _shown = display
        threading.Thread(target=_follow, args=(display,), daemon=True).start()


def _draw(display: Display) -> None:
    packs = [read_pack(path) for _, path in sorted(find_packs(Path.cwd()).items())]
    if not packs:
        display.text(
            "No lesson is near this folder. Open a notebook in course/, or type this in the project's folder."
        )
        return
    done, drills = read()["exercises"], drills_of(drilled())
    up = "../" if (Path.cwd() / FILE_OF_CHECKS).exists() else ""
    display.rich(progress_text(packs, done, drills), progress_html(packs, done, up, drills))


def _follow(display: Display) -> None:
    """Draw again whenever the file changes, until the page is shown anew."""
    seen = _changed()
    while display is _shown:
        time.sleep(LOOK_SECONDS)
        if _changed() != seen:
            seen = _changed()
            # a pack that is being replaced; the next change draws
            with contextlib.suppress(Exception):
                _draw(display)


def _changed() -> int:
    path = state_dir() / FILE_NAME
    return path.stat().st_mtime_ns if path.exists() else 0


def _note(note: Callable[[dict[str, Any]], object]) -> None:
    """Change the file; where it cannot be written, what the learner was doing goes on."""
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
