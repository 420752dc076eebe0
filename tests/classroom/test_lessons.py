"""Every lesson, solved as its author did, runs from top to bottom in a kernel and passes its own checks.

All cells run, those with a check too, as they do for a learner. What a solution does when the events
come in other batches or the query is killed, its proof says (tests/authoring/test_course.py): here
each check plays the events once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

from grader.authoring.build import source_notebook
from grader.authoring.source import read_lessons
from grader.classroom.kinds import choose_kind
from grader.classroom.notebooks import grade_id
from grader.classroom.seen import Checked, Wanted
from grader.classroom.supervise import supervise
from grader.judging.pack import FILE_NAME, Pack, read_pack, write_pack
from grader.learner import progress
from grader.runtime.broker import lease_broker

PROJECT = Path(__file__).resolve().parents[2]
LESSONS = sorted(path.parent.name for path in PROJECT.glob(f"course/*/{FILE_NAME}"))
CELL_SECONDS = 300  # one cell measures latency, with as many partitions as Spark has by default
PLAYED_AGAIN = {"batching", "restart", "exactly_once"}  # the criteria that want other plays


@pytest.fixture(scope="module")
def broker() -> Iterator[str]:
    with lease_broker() as leased:
        yield leased.bootstrap_servers


@pytest.mark.slow
@pytest.mark.parametrize("name", LESSONS)
def test_the_solved_lesson_runs_without_an_error_and_passes(
    name: str, tmp_path: Path, broker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not (PROJECT / "solutions").is_dir():
        pytest.skip("needs solutions/")
    lesson = next(x for x in read_lessons(PROJECT / "solutions") if x.name == name)
    pack = read_pack(PROJECT / "course" / name / FILE_NAME)
    write_pack(played_once(pack), tmp_path / FILE_NAME)
    monkeypatch.setenv("GRADER_STATE", str(tmp_path / "state"))  # a learner who begins
    monkeypatch.setenv("GRADER_KAFKA", broker)
    notebook = source_notebook(lesson)
    NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        allow_errors=True,
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()
    assert shown(notebook, "error") == {}
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")
    assert all(progress.passed(packed.exercise.id) for packed in pack.graded())
    noisy = shown(notebook, "stderr")
    assert not noisy, "a cell that prints to stderr frightens, and nbgrader's Validate refuses it"


def played_once(pack: Pack) -> Pack:
    """The pack with checks that play the events as they are, and no other way."""

    def once(criteria: list[str]) -> list[str]:
        return [name for name in criteria if name not in PLAYED_AGAIN]

    exercises = {
        id: replace(
            packed,
            exercise=replace(
                packed.exercise,
                criteria=once(packed.exercise.criteria),
                weights={},  # they name the others, too
            ),
        )
        for id, packed in pack.exercises.items()
    }
    return replace(pack, exercises=exercises)


def shown(notebook: NotebookNode, what: str) -> dict[str, list[str]]:
    """The sources of the cells that show an error, or print to stderr, and what they say."""
    found: dict[str, list[str]] = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if what in (output.output_type, output.get("name")):
                said = output.get("text") or f"{output.get('ename')}: {output.get('evalue')}"
                found.setdefault(cell.source, []).append(said)
    return found


def kinds() -> dict[str, tuple[str, str]]:
    """What an answer may return → a lesson and an exercise of it."""
    found: dict[str, tuple[str, str]] = {}
    for name in LESSONS:
        for packed in read_pack(PROJECT / "course" / name / FILE_NAME).graded():
            found.setdefault(packed.exercise.returns, (name, packed.exercise.id))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("returns", kinds())
def test_an_answer_of_each_kind_gets_its_points_in_a_class(returns: str, tmp_path: Path) -> None:
    """As handed in: by the supervisor, in a sandbox, and judged again from what is kept of it."""
    if not (PROJECT / "solutions").is_dir():
        pytest.skip("needs solutions/")
    name, id = kinds()[returns]
    lesson = next(x for x in read_lessons(PROJECT / "solutions") if x.name == name)
    packed = played_once(read_pack(PROJECT / "course" / name / FILE_NAME)).exercises[id]
    wanted = [Wanted(packed, packed.plays())]
    notebook = source_notebook(lesson)
    notebook.cells = [
        cell
        for cell in notebook.cells
        if grade_id(cell) == packed.exercise.answer or "given" in cell.metadata.get("tags", [])
    ]
    kind = choose_kind(None, otherwise="auto")
    checked = supervise(notebook, wanted, tmp_path, sandbox=kind)
    verdict = checked.verdicts[id]
    assert verdict.passed, verdict
    assert Checked.from_json(checked.to_json(), wanted).verdicts == checked.verdicts
