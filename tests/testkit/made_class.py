"""A class made up from a seed: right, wrong, mixed and hostile notebooks, and what each deserves.

An answer is one of the lesson's own: the solution or another right one, a known mistake, the stub as it
was handed out, or an attack. What it deserves is known before anything grades it: from the exercise's
proof, and of an attack from what it does.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat

from grader.authoring.lesson_source import ExerciseSource, LessonSource
from grader.authoring.proof_store import read_proof

CONFIG = "nbgrader_config.py"


@dataclass(frozen=True)
class Answer:
    """A cell for an exercise: its source (None: the stub stays), and what it deserves.

    `named` is the mistake that the verdict names; None where it names none, "" where that is not known.
    """

    name: str
    source: str | None
    status: str
    named: str | None = None


# Attacks that cost their own exercise and nothing else; {answer} is the function's name.
ATTACKS = {
    "exits": ('import sys\nsys.exit("done")', "error"),
    "ends_the_process": ("import os\nos._exit(0)", "error"),
    "kills_what_it_sees": (
        "import os, signal\nfor p in sorted(int(p) for p in os.listdir('/proc') if p.isdecimal()):\n"
        "    try:\n        os.kill(p, signal.SIGKILL)\n    except OSError:\n        pass",
        "error",
    ),
    "takes_all_memory": (
        "def {answer}(*given):\n    hoard = []\n    while True:\n        hoard.append(bytearray(1 << 28))",
        "error",
    ),
    "raises": ("def {answer}(*given):\n    raise ValueError('no')", "error"),
    "ends_it_in_a_play": ("import os\ndef {answer}(*given):\n    os._exit(1)", "error"),
    "patches_the_grader": (
        "import json, grader\nfrom grader.replay import replay as module\n"
        "from grader.scenario.recording import Recording\n"
        "grader.check = module.replay = lambda *given, **more: None\n"
        "json.dumps = lambda *given, **more: '{{}}'\n"
        "def {answer}(*given):\n    return 1 / 0",
        "error",
    ),
    "loops": ("def {answer}(*given):\n    while True:\n        pass", "timeout"),
}
LOOPS = ("loops",)  # each takes its exercise's whole time


def answers_for(source: ExerciseSource) -> dict[str, list[Answer]]:
    """The answers to an exercise by kind: right, wrong, stub, hostile. Needs its proof."""
    name = source.exercise.answer
    proof = read_proof(source)
    own = source.lesson.cell(name)
    right = [Answer("solution", own, "passed")]
    right += [
        Answer(other.id, _cell(other.answer.text, other.id, name), "passed")
        for other in source.equivalents
    ]
    wrong = [
        Answer(
            other.id,
            _cell(other.answer.text, other.id, name),
            proof["misconceptions"][other.id]["status"],
            other.id,
        )
        for other in source.misconceptions
    ]
    hostile = [
        Answer(attack, text.format(answer=name), status)
        for attack, (text, status) in ATTACKS.items()
    ]
    return {
        "right": right,
        "wrong": wrong,
        "stub": [Answer("stub", None, "not_attempted")],
        "hostile": hostile,
    }


# kinds of students: how often each, and what kinds of answers they give
STUDENTS = {
    "right": (6, ["right"]),
    "wrong": (3, ["wrong", "wrong", "stub"]),
    "mixed": (8, ["right", "right", "wrong", "stub"]),
    "hostile": (2, ["right", "wrong", "hostile"]),
}

Deserved = dict[str, dict[str, Answer]]  # student → exercise → what was answered


def make_class(
    root: Path, lesson: LessonSource, count: int, seed: int, *, loops: int = 2
) -> Deserved:
    """Fill a folder as `grader grade` wants it, with so many submissions; what each deserves.

    root/ gets nbgrader's settings, course/, solutions/ and submitted/. At most `loops` answers never end.
    """
    project = lesson.folder.parents[1]
    shutil.copy(project / CONFIG, root)
    shutil.copytree(project / "course" / lesson.name, root / "course" / lesson.name)
    shutil.copytree(lesson.folder, root / "solutions" / lesson.name)
    given = {source.exercise.id: answers_for(source) for source in lesson.exercises}
    made: Deserved = {}
    for number in range(count):
        dice = random.Random(f"{seed}/{number}")
        kinds, weights = list(STUDENTS), [often for often, _ in STUDENTS.values()]
        kind = dice.choices(kinds, weights)[0]
        chosen = {
            exercise: dice.choice(answers[dice.choice(STUDENTS[kind][1])])
            for exercise, answers in given.items()
        }
        for exercise, answer in chosen.items():
            if answer.name in LOOPS:
                loops -= 1
                if loops < 0:
                    chosen[exercise] = given[exercise]["stub"][0]
        student = f"s{number:03d}"
        made[student] = chosen
        hand_in(root, lesson, student, [chosen[s.exercise.id].source for s in lesson.exercises])
    return made


def hand_in(root: Path, lesson: LessonSource, student: str, sources: Sequence[str | None]) -> Path:
    """A submission with these answers, in the order of the lesson's exercises (None: the stub stays)."""
    name = lesson.name
    notebook = nbformat.read(root / "course" / name / f"{name}.ipynb", as_version=4)
    cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in notebook.cells}
    for source, text in zip(lesson.exercises, sources, strict=True):
        if text is not None:
            cells[source.exercise.answer].source = text
    folder = root / "submitted" / student / name
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / f"{name}.ipynb")
    return folder


def _cell(text: str, function: str, answer: str) -> str:
    return f"{text}\n\n{answer} = {function}\n"
