"""Plays exercise folders as they are, and prints all results: for the author at work.

python -m grader.authoring.exercise_trial solutions/03_watermarks/03.2_late_clicks
"""

from __future__ import annotations

import sys
from pathlib import Path

from grader.authoring.exercise_lint import lint_exercise
from grader.authoring.hidden_diagnosis import prove_elsewhere
from grader.authoring.lesson_source import ExerciseSource, SourceError, read_lessons
from grader.authoring.play_store import open_plays
from grader.authoring.proof import Player, expected_of, fingerprints_of, prove, scenarios_of
from grader.feedback.verdict_text import recording_text, verdict_text
from grader.judging.play import events_of


def main(folders: list[str]) -> int:
    """Try each folder; the exit code is 0 if no exercise has a fault."""
    sources = [_source(Path(folder).resolve()) for folder in folders]
    with open_plays() as plays:
        return max([_try(plays, source) for source in sources], default=0)


def _source(folder: Path) -> ExerciseSource:
    for lesson in read_lessons(folder.parents[1]):
        for source in lesson.parts:
            if source.folder == folder:
                return source
    raise SourceError(f"{folder} is no exercise folder: it needs an exercise.toml.")


def _try(player: Player, source: ExerciseSource) -> int:
    expected = expected_of(player, source)
    for name, scenario in scenarios_of(source).items():
        print(f"\n== {source.exercise.id}: the solution on the {name} scenario")
        recording = expected[name, "as_is"]
        print(recording_text(recording, events_of(recording, scenario)))
    if source.exercise.kind == "example":
        return 0
    known = fingerprints_of(player, source, expected)
    proof = prove(player, source, expected, known)
    prove_elsewhere(player, source, known, proof)
    verdicts = [("solution", proof.solution), ("stub", proof.stub)]
    verdicts += [(f"misconception {id}", verdict) for id, verdict in proof.misconceptions.items()]
    verdicts += [(f"equivalent {id}", verdict) for id, verdict in proof.equivalents.items()]
    for name, verdict in verdicts:
        assert verdict is not None
        print(f"\n== {name}\n{verdict_text(verdict)}")
    print("\n== on hidden events of another seed")
    for name, said in proof.on_hidden.items():
        print(f"misconception {name}: {'named' if said == name else said}")
    faults = lint_exercise(source) + proof.faults
    print("\n== " + ("\n   ".join(["faults", *faults]) if faults else "no faults"))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
