"""What the solutions do on the hidden scenarios: worked out on the teacher's machine, once.

`python -m grader.classroom.hidden LESSON_FOLDER OUT.json` plays them, in a process of its own.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import grader
from grader.judging.criteria import Play
from grader.replay.recording import Recording
from grader.runtime.errors import SetupError
from grader.runtime.paths import cache_dir
from grader.scenario import Variant, scenario_from_lines

# what the played solution and its recording depend on, beside the lesson's own folder
_ROOMS = ("scenario", "replay", "authoring")


def hidden_plays(lesson: Path) -> dict[str, list[Play]]:
    """Exercise id → the plays of its hidden scenario, for a folder such as solutions/03_watermarks.

    The first call plays the solutions (a minute or so), later ones read the cache. Raises
    SetupError if that fails: nobody is graded by half of the checks.
    """
    cached = cache_dir() / "hidden" / f"{lesson.name}-{_fingerprint(lesson)}.json"
    if not cached.exists():
        cached.parent.mkdir(exist_ok=True)
        _work_out(lesson, cached)
    found = json.loads(cached.read_text(encoding="utf-8"))
    return {
        exercise: [
            Play(
                "hidden",
                Variant("as_is", scenario_from_lines(given["scenario"])),
                Recording.from_dict(given["expected"]),
                None,
            )
        ]
        for exercise, given in found.items()
    }


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
    """Play the solutions of a lesson folder on their hidden scenarios and write what they do."""
    from grader.authoring.source import read_lessons
    from grader.replay.kafka import Kafka
    from grader.replay.replay import replay
    from grader.runtime.broker import lease_broker
    from grader.runtime.session import spark_session

    folder, out = Path(sys.argv[1]).absolute(), Path(sys.argv[2])
    lesson = next(lesson for lesson in read_lessons(folder.parent) if lesson.folder == folder)
    found = {}
    with lease_broker() as broker:
        for source in lesson.exercises:
            scenario = source.hidden()
            if scenario is None:
                continue
            recording = replay(
                spark_session(),
                Kafka(broker.bootstrap_servers),
                source.exercise,
                source.solution.function,
                Variant("as_is", scenario),
                subject=source.subject.function if source.subject else None,
            )
            if recording.failure:
                sys.exit(f"{source.exercise.id}: {recording.failure.message}")
            found[source.exercise.id] = {
                "scenario": scenario.to_lines(),
                "expected": recording.lasting().to_dict(),
            }
    new = out.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps(found), encoding="utf-8")
    os.replace(new, out)


if __name__ == "__main__":
    main()
