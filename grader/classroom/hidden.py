"""What the solutions and the known mistakes do on the hidden scenarios: worked out once, for a class.

`python -m grader.classroom.hidden LESSON_FOLDER OUT.json` plays them, in a process of its own.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grader
from grader.judging.criteria import Play
from grader.runtime.errors import SetupError
from grader.runtime.paths import cache_dir
from grader.scenario import Scenario, Variant, scenario_from_lines
from grader.scenario.recording import Recording

# what is played and kept depends on these, beside the lesson's own folder
_ROOMS = ("scenario", "replay", "judging", "authoring")


@dataclass(frozen=True)
class Hidden:
    """The play that a hidden scenario asks for, and the prints of the known mistakes' runs there by id."""

    play: Play
    runs: dict[str, str]


def hidden_of(lesson: Path) -> dict[str, Hidden]:
    """Exercise id → what it has of hidden events, for a folder such as solutions/03_watermarks.

    The first call plays the solutions and the mistakes (a few minutes; what was played before is
    taken from disk), later ones read the cache. Raises SetupError if that fails: nobody is
    graded by half of the checks.
    """
    cached = cache_dir() / "hidden" / f"{lesson.name}-{_fingerprint(lesson)}.json"
    if not cached.exists():
        cached.parent.mkdir(exist_ok=True)
        _work_out(lesson, cached)
    found = json.loads(cached.read_text(encoding="utf-8"))
    return {exercise: Hidden(_play(given), given["runs"]) for exercise, given in found.items()}


def _play(given: dict[str, Any]) -> Play:
    variant = Variant("as_is", scenario_from_lines(given["scenario"]))
    return Play("hidden", variant, Recording.from_dict(given["expected"]), None)


def _work_out(lesson: Path, cached: Path) -> None:
    command = [sys.executable, "-m", "grader.classroom.hidden", str(lesson), str(cached)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise SetupError(
            f"The hidden scenarios of {lesson.name} could not be played, so nothing is graded:\n"
            f"{(done.stdout + done.stderr).strip()[-2000:]}\n"
            f"Look with `grader verify {lesson.name.split('_', 1)[0]}`."
        )


def _fingerprint(lesson: Path) -> str:
    package = Path(grader.__file__).parent
    files = [path for path in sorted(lesson.rglob("*")) if path.suffix in (".py", ".toml")]
    files += [path for room in _ROOMS for path in sorted((package / room).glob("*.py"))]
    hashed = hashlib.sha256()
    for path in files:
        hashed.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return hashed.hexdigest()[:16]


def main() -> None:
    """Play a lesson folder's solutions and mistakes on its hidden scenarios and write what they do."""
    from grader.authoring.plays import open_plays, side_by_side
    from grader.authoring.prove import Player, expected_on, hidden_runs
    from grader.authoring.source import ExerciseSource, read_lessons

    folder, out = Path(sys.argv[1]).absolute(), Path(sys.argv[2])
    lesson = next(lesson for lesson in read_lessons(folder.parent) if lesson.folder == folder)

    def worked_out(player: Player, source: ExerciseSource, events: Scenario) -> dict[str, Any]:
        expected = expected_on(player, source, Variant("as_is", events))
        if expected.failure:
            sys.exit(f"{source.exercise.id}: {expected.failure.message}")
        runs = hidden_runs(player, source, events, expected)
        return {"scenario": events.to_lines(), "expected": expected.to_dict(), "runs": runs}

    hidden = [(source, events) for source in lesson.exercises if (events := source.hidden())]
    with open_plays() as plays:
        found = side_by_side(plays, lambda given: worked_out(plays, *given), hidden)
    told = {source.exercise.id: one for (source, _), one in zip(hidden, found, strict=True)}
    new = out.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps(told), encoding="utf-8")
    os.replace(new, out)


if __name__ == "__main__":
    main()
