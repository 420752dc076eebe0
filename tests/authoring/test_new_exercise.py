"""From `grader new exercise` to a folder that is proved, one part after the other."""

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from testkit.grader_command import run_grader

from grader.authoring.lesson_source import read_lessons
from grader.authoring.todo_list import PARTS
from grader.commands.option_types import RETURNS, SANDBOXES
from grader.sandbox.sandbox_kinds import KINDS
from grader.scenario import Event, Exercise, Fact, Input
from grader.scenario.answer_kinds import ANSWER_KINDS
from grader.scenario.exercise import CRITERIA

CONFIG = Path(__file__).parents[2] / "pyproject.toml"


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=500)


def files_of(project: Path) -> dict[Path, str]:
    return {path: path.read_text() for path in project.rglob("*") if path.is_file()}


def write_part(project: Path, place: str) -> None:
    """Do as an author does: look at the place that is named, and delete the TODO."""
    name, line = place.split(":")
    lines = (project / name).read_text().splitlines(keepends=True)
    here = lines[int(line) - 1]
    assert "TODO" in here
    whole_line = re.match(r"#? ?TODO|    # TODO", here)
    lines[int(line) - 1] = "" if whole_line else re.sub(r"TODO[^\"\n]*", "Written", here)
    (project / name).write_text("".join(lines))


def test_verify_leads_through_a_new_exercise_part_by_part(project: Path) -> None:
    made = run_grader("new", "exercise", "90.2")
    assert made.code == 0, made.err
    assert "Next: grader verify 90.2" in made.out
    parts = []
    while (verified := run_grader("verify", "90.2")) and "lacks its own" in verified.err:
        (line,) = verified.err.splitlines()
        assert verified.code == 1
        assert "Fix: " in line and line.endswith("Then delete the TODO.")
        part, place = re.match(r"90\.2 lacks its own ([a-z ]+) \((\S+);", line).groups()
        parts.append(part)
        write_part(project, place)
    without_subject = [part for part in PARTS if part != "subject"]
    assert parts == ["title", *without_subject], "the title also heads the cell of the task"
    assert "1 misconceptions; write 3 or more" in verified.err, "then lint goes on"


def test_an_exercise_that_is_not_chosen_need_not_be_written(project: Path) -> None:
    run_grader("new", "exercise", "90.2", "--title", "Clicks per minute")
    assert "90.2 lacks its own task" in run_grader("build").err
    assert "lacks its own" not in run_grader("verify", "90.1").err


@pytest.mark.parametrize("returns", RETURNS)
def test_what_is_new_is_laid_out_as_the_rest_is(project: Path, returns: str) -> None:
    before = files_of(project)
    title = 'Clicks "per" minute'
    made = run_grader("new", "exercise", "90.2", "--title", title, "--returns", returns)
    lesson = project / "solutions" / "90_sample"
    folder = lesson / "90.2_clicks_per_minute"
    listed = {project / line for line in made.out.splitlines()[:-1]}
    assert listed == {lesson / "lesson.py", *folder.iterdir()}
    changed = {path for path, text in before.items() if path.read_text() != text}
    assert changed == {lesson / "lesson.py"}
    assert before[lesson / "lesson.py"].rstrip() in (lesson / "lesson.py").read_text()
    (source,) = [
        s for s in read_lessons(project / "solutions")[0].exercises if "2" in s.exercise.id
    ]
    assert (source.exercise.title, source.exercise.returns) == (title, returns)
    for check in (["format", "--check"], ["check"]):
        looked = run(project, "-m", "ruff", *check, "--config", str(CONFIG), "solutions")
        assert looked.returncode == 0, looked.stdout


def test_the_cells_stand_before_the_closing_section(project: Path) -> None:
    text = project / "solutions" / "90_sample" / "lesson.py"
    closing = (
        "\n# %% [markdown]\n# ## What you can now do\n#\n# - filter\n\n# %%\ngrader.progress()\n"
    )
    text.write_text(text.read_text() + closing)
    run_grader("new", "exercise", "90.2", "--title", "Clicks per minute")
    headings = re.findall(r"^# #+ (.*)|^(grader\.\w+)", text.read_text(), re.M)
    assert [max(pair) for pair in headings][-5:] == [
        "grader.check",
        "Exercise 90.2: Clicks per minute",
        "grader.check",
        "What you can now do",
        "grader.progress",
    ]


def test_the_cells_are_not_in_part_a_of_a_lesson_for_two_sittings(project: Path) -> None:
    text = project / "solutions" / "90_sample" / "lesson.py"
    frame = (
        "# Part {} · Read",
        "## Recap of part {}: the facts",
        "## What you can now do after part {}",
    )
    headings = [heading.format(part) for part in ("A", "B") for heading in frame]
    text.write_text(text.read_text() + "".join(f"\n# %% [markdown]\n# {x}\n" for x in headings))
    run_grader("new", "exercise", "90.2", "--title", "Clicks per minute")
    assert re.findall(r"^# (#+ .*)", text.read_text(), re.M)[-7:] == [
        "# Part A · Read",
        "## Recap of part A: the facts",
        "## What you can now do after part A",
        "# Part B · Read",
        "## Exercise 90.2: Clicks per minute",
        "## Recap of part B: the facts",
        "## What you can now do after part B",
    ]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["44.1"], "there is no lesson 44. Fix: take one of 90, or begin a lesson"),
        (["90"], "'90' is no exercise number. Fix: write lesson and number, such as 04.6."),
        (["90.1"], "90.1 is taken by 90.1_purchases. Fix: take the next free number, 90.2."),
        (
            ["90.2", "--title", "9 lives"],
            "no function can be named after the title '9 lives'. Fix:",
        ),
        (["90.2", "--title", "Import"], "no function can be named after the title 'Import'. Fix:"),
        (["90.2", "--title", "a\nb"], "no function can be named after the title"),
        (["90.2", "--title", "Purchases"], "lesson.py has the name purchases already. Fix:"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    project: Path, words: list[str], why: str
) -> None:
    before = files_of(project)
    refused = run_grader("new", "exercise", *words)
    assert refused.code == 2
    assert why in refused.err
    assert files_of(project) == before


def test_what_is_there_is_never_overwritten(project: Path) -> None:
    folder = project / "solutions" / "90_sample" / "90.2_clicks_per_minute"
    folder.mkdir()
    (folder / "notes.md").write_text("begun by hand")
    before = files_of(project)
    refused = run_grader("new", "exercise", "90.2", "--title", "Clicks per minute")
    assert refused.code == 2
    assert "90.2_clicks_per_minute" in refused.err
    assert files_of(project) == before


def test_the_options_are_those_of_the_rooms_that_they_are_for() -> None:
    assert list(RETURNS) == list(ANSWER_KINDS)
    assert SANDBOXES == KINDS


def test_the_guide_names_every_field() -> None:
    guide = (CONFIG.parent / "docs" / "write-an-exercise.md").read_text()
    named = [f.name for kind in (Exercise, Fact, Input, Event) for f in fields(kind)]
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`\n]+)`", guide))))
    assert {*named, *CRITERIA} - words == set()
    assert set(PARTS) <= set(re.findall(r"^\| ([a-z ]+) \|", guide, re.M))


@pytest.mark.slow
def test_every_template_is_an_exercise_whose_check_works(project: Path) -> None:
    for number, returns in enumerate(RETURNS, start=2):
        run_grader("new", "exercise", f"90.{number}", "--title", returns, "--returns", returns)
    folders = [str(path) for path in sorted(project.rglob("90.[2-9]_*"))]
    tried = run(project, "-m", "grader.authoring.exercise_trial", *folders)
    faults = re.findall(r"^== faults\n((?:   .+\n)+)", tried.stdout, re.M)
    only_more_mistakes = "   1 misconceptions; write 3 or more in misconceptions.py.\n"
    assert faults == [only_more_mistakes] * len(RETURNS), tried.stdout + tried.stderr
