"""What the solutions and the known mistakes do on hidden events: computed once, by the trusted side.

`python -m grader.classroom.hidden_scenarios LESSON_FOLDER < DRAWS.json` plays them, in its own process. A
seed is as secret as the events made from it, so neither is on a command line.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from grader.authoring.exercise_digests import exercise_digest
from grader.authoring.lesson_source import ExerciseSource, LessonSource, read_lessons
from grader.authoring.play_store import open_plays, side_by_side
from grader.authoring.proof import Player, expected_on, hidden_runs
from grader.errors import SetupError
from grader.judging.check_pack import PackedExercise
from grader.judging.judge import judge
from grader.judging.play import Play
from grader.judging.wording.failure_text import failure_in_short
from grader.runtime.paths import cache_dir
from grader.sandbox.observed_run import ExerciseCheck
from grader.scenario import Variant, scenario_from_lines
from grader.scenario.recording import Recording
from grader.validity.digest import digest_of
from grader.validity.stored_results import HIDDEN_DRAW
from grader.validity.versions import installed_versions, locked_versions

DRAWS = 5  # if a right answer fails on events, they are drawn again, so often at most


@dataclass(frozen=True)
class Hidden:
    """The play that a hidden scenario requires, and the prints of the known mistakes' runs there by id."""

    play: Play
    runs: dict[str, str]


def hidden_of(lesson: Path, seed: int) -> dict[str, Hidden]:
    """Exercise id → its hidden events and what is expected on them, for a folder such as solutions/03_watermarks.

    The first call with a seed plays the solutions, other right answers and the mistakes. That takes a
    few minutes; what was played before is taken from disk. Later calls read the cache. Raises SetupError
    if a play fails: no student is graded by half of the checks.
    """
    path = work_out(lesson, [seed])[seed]
    found = json.loads(path.read_text(encoding="utf-8"))
    return {exercise: Hidden(_play(given), given["runs"]) for exercise, given in found.items()}


def exercise_check(packed: PackedExercise, hidden: Hidden | None) -> ExerciseCheck:
    """What an exercise is judged by: its public plays, and the hidden one if there is one."""
    plays, runs = ([hidden.play], hidden.runs) if hidden else ([], {})
    return ExerciseCheck(packed, [*packed.plays(), *plays], runs)


def work_out(lesson: Path, seeds: Sequence[int]) -> dict[int, Path]:
    """Compute what is not there yet for all of these seeds, in one process: seed → its file."""
    paths = cache_paths(lesson, seeds)
    missing = {str(seed): str(path) for seed, path in paths.items() if not path.exists()}
    if not missing:
        return paths
    (cache_dir() / "hidden").mkdir(mode=0o700, exist_ok=True)
    command = [sys.executable, "-m", "grader.classroom.hidden_scenarios", str(lesson)]
    done = subprocess.run(command, input=json.dumps(missing), capture_output=True, text=True)
    if done.returncode != 0:
        raise SetupError(
            f"The hidden scenarios of {lesson.name} could not be played, so nothing is graded:\n"
            f"{(done.stdout + done.stderr).strip()[-2000:]}\n"
            f"Look with `grader verify {lesson.name.split('_', 1)[0]}`."
        )
    return paths


def _play(given: dict[str, Any]) -> Play:
    variant = Variant("as_is", scenario_from_lines(given["scenario"]))
    return Play("hidden", variant, Recording.from_dict(given["expected"]), None)


def cache_paths(lesson: Path, seeds: Sequence[int]) -> dict[int, Path]:
    """Where the results for these seeds are kept; the lesson is read once for all of them."""
    start = cache_dir() / "hidden" / f"{lesson.name}-{_rests_on(lesson)}"
    of_seed = {seed: hashlib.sha256(str(seed).encode()).hexdigest()[:16] for seed in seeds}
    return {seed: Path(f"{start}-{digest}.json") for seed, digest in of_seed.items()}


def _rests_on(lesson: Path) -> str:
    """A digest of what a lesson's hidden draws depend on: its exercises, the code that draws and judges, versions."""
    sources = _lesson(lesson).exercises
    engine = [HIDDEN_DRAW.code(), locked_versions(), *installed_versions()]
    return digest_of([*map(exercise_digest, sources), *engine])[:16]


def _lesson(folder: Path) -> LessonSource:
    return next(x for x in read_lessons(folder.absolute().parent) if x.folder == folder.absolute())


def main() -> None:
    """Play a lesson folder's answers on the hidden scenarios of each seed and write what they do.

    Standard input is JSON: seed → the file to write.
    """
    lesson, wanted = _lesson(Path(sys.argv[1])), json.load(sys.stdin)

    def worked_out(player: Player, seed: int, source: ExerciseSource) -> dict[str, Any]:
        for draw in range(DRAWS):
            events = source.hidden(seed + draw)
            assert events is not None
            variant = Variant("as_is", events)
            expected = expected_on(player, source, variant)
            if expected.failure:
                sys.exit(f"{source.exercise.id}: {failure_in_short(expected.failure)}")
            answers = [source.solution, *(other.answer for other in source.equivalents)]
            plays = [
                Play("hidden", variant, expected, player.record(source, answer, variant))
                for answer in answers
            ]
            if all(judge(source.exercise, [play]).passed for play in plays):
                return {
                    "scenario": events.to_lines(),
                    "expected": expected.to_dict(),
                    "runs": hidden_runs(player, source, events, expected),
                }
        sys.exit(f"{source.exercise.id}: a right answer fails on {DRAWS} draws of hidden events.")

    drawn = [source for source in lesson.exercises if (source.folder / "hidden.py").exists()]
    with open_plays() as plays:
        for seed, path in wanted.items():
            work = partial(worked_out, plays, int(seed))
            found = side_by_side(plays, work, drawn)
            results = {source.exercise.id: one for source, one in zip(drawn, found, strict=True)}
            new = Path(path).with_suffix(f".{os.getpid()}")
            new.write_text(json.dumps(results), encoding="utf-8")
            os.replace(new, path)


if __name__ == "__main__":
    main()
