"""Lint refuses an incomplete exercise, and says what to write."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.authoring.exercise_lint import lint
from grader.authoring.lesson_source import read_lessons

SAMPLE = Path(__file__).parent / "sample"


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    shutil.copytree(SAMPLE, tmp_path / "sample")
    return tmp_path / "sample" / "solutions"


def change(file: str, old: str, new: str) -> Callable[[Path], None]:
    def apply(solutions: Path) -> None:
        path = next(p for p in sorted(solutions.rglob(file)) if old in p.read_text())
        path.write_text(path.read_text().replace(old, new))

    return apply


def remove(file: str) -> Callable[[Path], None]:
    return lambda solutions: next(solutions.rglob(file)).unlink()


def test_a_complete_lesson_has_no_findings(sample: Path) -> None:
    assert lint(read_lessons(sample)) == []


@pytest.mark.parametrize(
    ("spoil", "finding"),
    [
        (change("exercise.toml", '"A filter keeps rows.", ', ""), "2 hints; write 3 or more"),
        (change("misconceptions.py", "def null_is_kept", "def _null_is_kept"), "2 misconceptions; write 3"),
        (change("misconceptions.py", "\n\n    Selecting a column keeps every row. What takes rows away?", ""), "a hint"),
        (remove("equivalents.py"), "no equivalent"),
        (remove("hidden.py"), "no hidden scenario"),
        (remove("discussion.md"), "no discussion"),
        (remove("rules.toml"), "no rules.toml"),
        (change("rules.toml", '2 = ["null_is_kept"]', ""), "no mistake that ignores rule 2"),
        (change("rules.toml", "2 =", "3 ="), "rule 3, which the task does not have"),
        (change("rules.toml", "null_is_kept", "null_is_lost"), "null_is_lost is not a function"),
        (change("rules.toml", "2 =", "two ="), "write each rule as 1 ="),
        (change("lesson.py", "Exercise 90.1:", "Exercise 90.2:"), "no heading `## Exercise 90.1"),
        (change("lesson.py", "**Checked**", "Checked"), "the task has no **Checked**"),
        (change("lesson.py", "# 2. A click", "# 3. A click"), "numbered [1, 3]"),
        (change("lesson.py", "# 1. A click that bought nothing is left out.\n# 2. A", "# A"), "no numbered rules"),
        (change("lesson.py", "](90.0.svg)", "](other.svg)"), "worked example's picture"),
        (change("lesson.py", "### BEGIN SOLUTION", "# begin"), "its stub would pass"),
        (change("lesson.py", '"points": 2', '"points": 3'), "the check cell gives 3 points, exercise.toml 2"),
        (change("lesson.py", 'grader.check("90.1"', 'grader.check("90.2"'), "the check cell must say"),
        (change("public.jsonl", '"input": "clicks", "value": {"page": "hats"', '"input": "orders", "value": {"page": "hats"'), "['orders']"),
        (change("exercise.toml", 'id = "90.1"', 'id = "91.1"'), "starts with 90."),
        (change("exercise.toml", "points = 2", "points = 2\nmodes = 3"), "unknown field 'modes'"),
        (change("exercise.toml", "points = 2", "points = "), "exercise.toml"),
        (change("exercise.toml", "points = 2", 'points = 2\ncriteria = ["rows", "step"]'), "no `weights`"),
        (change("exercise.toml", "points = 2", "points = 2\nweights = { row = 1 }"), "`weights` holds each criterion"),
        (change("misconceptions.py", "Selecting a column", "After {steps.9.state} rows, a column"), "steps.9.state"),
    ],
)  # fmt: skip
def test_each_gap_is_found_and_its_fix_is_said(
    sample: Path, spoil: Callable[[Path], None], finding: str
) -> None:
    spoil(sample)
    assert finding in "\n".join(lint(read_lessons(sample)))
