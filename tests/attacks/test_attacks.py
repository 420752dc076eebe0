"""Every attack of this folder, played against what a class is graded by."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from catalogue import ATTACKS, PAGE, TEXTS, of, page
from classes import CANARY, HONEST, Class, grade, make_class
from forms import HandedIn, Notebook, Page, Program
from pages import add_page, dangers, page_of
from programs import play_program

from grader.classroom.class_grades import grades_text
from grader.runtime.bubblewrap import NoBubblewrapError, find_bubblewrap
from grader.validity.digest import folder_digest

try:
    find_bubblewrap()
    here = ""
except NoBubblewrapError as problem:
    here = f"no sandbox here: {problem}"
pytestmark = pytest.mark.skipif(bool(here), reason=here)

NOTEBOOKS = [name for name in of(Notebook) if not ATTACKS[name].spark]  # type: ignore[union-attr] # of that form
# but for those that fill the disk, which only a sandbox keeps them from, or say what it told them
LIES = [
    name
    for name in NOTEBOOKS
    if name.startswith("lying/")
    and name not in ("lying/flood_of_progress", "lying/huge_recording", "lying/link_as_recording")
]
ON_SPARK = [name for name in of(Notebook) if name not in NOTEBOOKS]


@pytest.mark.parametrize("name", of(Program))
def test_a_program(name: str, tmp_path: Path) -> None:
    attack: Any = ATTACKS[name]
    play_program(attack, tmp_path)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Class:
    """A class of all attackers that need no Spark."""
    attacks: Any = {name: ATTACKS[name] for name in [*NOTEBOOKS, *of(HandedIn), *of(Page)]}
    return grade(make_class(tmp_path_factory.mktemp("class"), attacks, spark=False))


@pytest.fixture(scope="module")
def graded_on_spark(tmp_path_factory: pytest.TempPathFactory) -> Class:
    """A class of those that do; hidden events decide on their answers."""
    attacks: Any = {name: ATTACKS[name] for name in ON_SPARK}
    made = make_class(tmp_path_factory.mktemp("spark"), attacks, spark=True)
    return grade(made)


@pytest.fixture(scope="module")
def graded_without_a_sandbox(tmp_path_factory: pytest.TempPathFactory) -> Class:
    """A class of those that lie and do no more than that: the judge must not rely on the sandbox."""
    attacks: Any = {name: ATTACKS[name] for name in LIES}
    made = make_class(tmp_path_factory.mktemp("open"), attacks, spark=False)
    return grade(made, sandbox="none")


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook(name: str, graded: Class) -> None:
    deserves(name, graded)


@pytest.mark.slow
@pytest.mark.parametrize("name", LIES)
def test_a_lie_without_a_sandbox(name: str, graded_without_a_sandbox: Class) -> None:
    deserves(name, graded_without_a_sandbox)


@pytest.mark.slow
@pytest.mark.parametrize("name", ON_SPARK)
def test_a_notebook_on_spark(name: str, graded_on_spark: Class) -> None:
    deserves(name, graded_on_spark)


def deserves(name: str, graded: Class) -> None:
    attack: Any = ATTACKS[name]
    student, number = graded.students[name], graded.numbers[name]
    found = graded.graded(student)
    verdicts = {verdict.exercise: verdict for verdict in found.verdicts}
    verdict = verdicts[f"92.{number}"]
    assert (verdict.status, verdict.score) == (attack.status, attack.points), str(verdict)
    assert re.search(attack.says, str(verdict)), str(verdict)
    honest = range(graded.exercises() - HONEST + 1, graded.exercises() + 1)
    assert {verdicts[f"92.{n}"].status for n in honest} == {attack.others}
    assert graded.scores[student, f"check-answer_{number}"] == attack.points
    asked = [reason for reason in found.person if reason.exercise == f"92.{number}"]
    assert bool(asked) == attack.person, found.person
    if attack.shows:
        shown = "\n".join(
            str(output) for cell in _cells(graded, student) for output in cell.get("outputs", [])
        )
        assert re.search(attack.shows, shown), shown


@pytest.mark.slow
@pytest.mark.parametrize("name", of(HandedIn))
def test_a_folder(name: str, graded: Class) -> None:
    attack: Any = ATTACKS[name]
    if not attack.works:
        pytest.skip("this machine withstands it by itself")
    student = graded.students[name]
    assert graded.how(student) == "not_graded"
    (reason,) = graded.graded(student).person
    assert re.search(attack.why, reason.why), reason.why
    assert not graded.page(student).exists()
    assert not [each for each in graded.scores if each[0] == student]


@pytest.mark.slow
@pytest.mark.parametrize("name", of(Page))
def test_a_page(name: str, graded: Class) -> None:
    attack: Any = ATTACKS[name]
    elsewhere = nbformat.v4.new_notebook()
    add_page(elsewhere, name, attack)
    if attack.elsewhere:
        assert dangers(page_of(elsewhere), name), "the attack is none"
    assert dangers(whole_page(graded), name) == []


_pages: dict[Path, str] = {}


def whole_page(graded: Class) -> str:
    """The graded page of the one who tries all of them; all of its cells ran."""
    path = graded.page("pages")
    if path not in _pages:
        cells = _cells(graded, "pages")
        shows = [cell for cell in cells if "alert(" in cell.source and cell.cell_type == "code"]
        assert shows and all(cell.outputs for cell in shows)
        _pages[path] = page_of(nbformat.read(path, 4))
    return _pages[path]


def _cells(graded: Class, student: str) -> list[Any]:
    return list(nbformat.read(graded.page(student), 4).cells)


@pytest.mark.slow
def test_nobody_else_was_harmed(graded: Class) -> None:
    harmed(graded)


@pytest.mark.slow
def test_nobody_else_was_harmed_on_spark(graded_on_spark: Class) -> None:
    harmed(graded_on_spark)


def harmed(graded: Class) -> None:
    """The honest student has all points, what was handed in is as it was, and nobody read of it."""
    scores = {verdict.exercise: verdict.score for verdict in graded.graded("ada").verdicts}
    last = range(graded.exercises() - HONEST + 1, graded.exercises() + 1)
    assert [scores[f"92.{n}"] for n in last] == [2] * HONEST
    root = graded.root
    assert folder_digest(root / "submitted") + folder_digest(root / "course") == graded.before
    pages = [path for path in (root / "autograded").rglob("*") if path.is_file()]
    told = {
        path.relative_to(root / "autograded").parts[0]
        for path in pages
        if CANARY.encode() in path.read_bytes()
    }
    assert told == {"ada"}
    assert graded.grades is not None
    for line in (*graded.told, *grades_text(graded.grades).splitlines()):
        assert line.isprintable(), line
    graded_students = {student for student, _ in graded.scores}
    assert graded_students <= {"ada", *graded.students.values()}


@pytest.mark.parametrize("name", ATTACKS)
def test_a_file_says_what_it_tries_and_what_must_happen(name: str) -> None:
    tries, must = TEXTS[name].strip().split("\n\n")
    assert tries.startswith("Tries ") and must.startswith("Must ")


def test_the_page_lists_every_attack() -> None:
    told = PAGE.read_text(encoding="utf-8")
    assert page(told) == told, "write it anew: PYTHONPATH=. python tests/attacks/catalogue.py"
