"""What a class hands in beside sound notebooks under their own names: graded as it was meant, or shown to a person."""

from __future__ import annotations

import json
import shutil
from datetime import datetime
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from testkit.counting_lesson import SOLUTIONS
from testkit.shoes import LESSON, grade, hand_in, make_course

from grader.authoring.lesson_source import read_lessons
from grader.classroom.class_grades import ClassGrades, grades_text
from grader.classroom.course import Course
from grader.classroom.grading_backlog import GradingBacklog
from grader.classroom.journal import Journal
from grader.classroom.marks import read_marks
from grader.classroom.report import report_on
from grader.classroom.report_text import report_text
from grader.classroom.submission_result import NO_TIME
from grader.classroom.submissions import misplaced_in, names_lesson
from grader.errors import SetupError
from grader.judging.check_pack import FILE_NAME, Pack, PackedExercise, write_pack
from grader.scenario import Scenario

ALL = ["right"] * 3


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_course(tmp_path)


def people(grades: ClassGrades) -> dict[str, list[str]]:
    return {one.student: [x.why for x in one.person] for one in grades.submissions if one.person}


def points(grades: ClassGrades) -> dict[str, float]:
    return {one.student: sum(v.score for v in one.verdicts) for one in grades.submissions}


def test_a_notebook_of_any_tool_gets_the_points_of_a_sound_one(root: Path) -> None:
    def changed(student: str, change: object) -> None:
        path = hand_in(root, student, *ALL) / f"{LESSON}.ipynb"
        data = json.loads(path.read_text())
        assert callable(change)
        path.write_bytes(change(data))

    def with_ids(data: dict, ids: list[str]) -> bytes:
        for cell, id in zip(data["cells"], ids, strict=False):
            cell["id"] = id
        return json.dumps(data).encode()

    def turned(data: dict) -> bytes:
        for cell in data["cells"]:
            if cell["metadata"].get("nbgrader", {}).get("grade_id") in ("answer_1", "answer_2"):
                cell.update(cell_type="markdown" if "1" in str(cell["metadata"]) else "raw")
                del cell["outputs"], cell["execution_count"]
        return json.dumps(data).encode()

    changed("mark", lambda data: b"\xef\xbb\xbf" + json.dumps(data).encode())
    changed("ids", lambda data: with_ids(data, [f"#VSC-{n}" for n in range(9)]))
    changed("same", lambda data: with_ids(data, ["same"] * 9))
    changed("wide", lambda data: json.dumps(data).encode("utf-16"))
    changed("turned", turned)
    grades = grade(root, jobs=2)
    assert points(grades) == dict.fromkeys(("mark", "ids", "same", "wide", "turned"), 6)
    assert not people(grades)
    assert "same id" not in (root / "grading" / "log").read_text()


def test_a_renamed_cell_a_lost_lab_and_a_copy_are_shown_with_their_cells(root: Path) -> None:
    hand_in(root, "ada", "right", "lose the lab", "right")
    folder = hand_in(root, "ben", "right", "right", "right")
    notebook = nbformat.read(folder / f"{LESSON}.ipynb", 4)
    notebook.cells[3].update(
        cell_type="markdown", source="def answer_2(clicks):\n    return clicks"
    )
    notebook.cells[3].pop("outputs"), notebook.cells[3].pop("execution_count")
    notebook.cells[3].metadata = nbformat.from_dict({})
    nbformat.write(notebook, folder / f"{LESSON}.ipynb")
    grades = grade(root, jobs=2)
    assert points(grades) == {"ada": 4, "ben": 6}
    ((why,),) = (found for student, found in people(grades).items() if student == "ada")
    assert "the lab's Kafka has ended" in why and "cell 4" in why
    assert "1 needs a person:" in grades_text(grades)
    (lesson,) = read_marks(root)
    assert "1 needs a person:" in report_text(report_on(lesson).to_dict())


def test_work_without_a_time_is_mentioned_where_there_is_a_due_date(root: Path) -> None:
    hand_in(root, "ada", *ALL)
    (hand_in(root, "ben", *ALL) / "timestamp.txt").write_text("2026-04-01 08:30:00 UTC")
    assert not people(grade(root))
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        book.update_or_create_assignment(LESSON, duedate=datetime(2026, 4, 2))
    again = grade(root)
    assert set(again.how.values()) == {"unchanged"}
    assert people(again) == {"ada": [NO_TIME]}
    (lesson,) = read_marks(root)
    assert [[x.why for x in mark.person] for mark in lesson.marks] == [[NO_TIME], []]
    (root / "submitted" / "ada" / LESSON / "timestamp.txt").write_text("2026-04-01 08:30:00 UTC")
    assert not people(grade(root))


def test_misnamed_folders_are_shown_when_one_lesson_is_graded(root: Path) -> None:
    hand_in(root, "ada", *ALL)
    for student, name in (("ben", "91_Shoes"), ("cem", "91 shoes (1)"), ("dua", "homework")):
        folder = hand_in(root, student, *ALL)
        folder.rename(folder.parent / name)
    (root / "submitted" / "eva").mkdir()
    shutil.copy(root / "course" / LESSON / f"{LESSON}.ipynb", root / "submitted" / "eva")
    shutil.copy(root / "course" / LESSON / f"{LESSON}.ipynb", root / "submitted" / "fay_91.ipynb")
    (root / "submitted" / "gus").mkdir()
    grades = grade(root, lesson=LESSON)
    assert {student for student, how in grades.how.items() if how == "run"} == {(LESSON, "ada")}
    told = people(grades)
    assert set(told) == {"ben", "cem", "dua", "eva"}
    assert "no folder 91_shoes (there is: 91_Shoes); rename" in told["ben"][0]
    assert "fay_91.ipynb" in grades_text(grades)
    (lesson,) = read_marks(root)
    assert {m.student.id for m in lesson.marks if m.person} == {"ben", "cem", "dua", "eva"}
    (root / "submitted" / "ben" / "91_Shoes").rename(root / "submitted" / "ben" / LESSON)
    assert "ben" not in people(grade(root, lesson=LESSON))


def test_where_only_misnamed_folders_lie_they_are_named(root: Path) -> None:
    folder = hand_in(root, "ada", *ALL)
    folder.rename(folder.parent / "Shoes")
    assert set(people(grade(root, lesson=LESSON))) == {"ada"}
    shutil.rmtree(root / "submitted" / "ada")
    with pytest.raises(SetupError, match="compare the folders' names"):
        grade(root, lesson=LESSON)


@pytest.mark.parametrize(
    ("name", "alike"),
    [
        ("03_Watermarks", True),
        ("03-watermarks", True),
        ("03 watermarks", True),
        ("3_watermarks", True),
        ("03", True),
        ("Lesson 3", True),
        ("watermarks", True),
        ("Watermarks (2)", True),
        ("03_watermarks-Copy1.ipynb", True),
        ("03_watermark", True),
        ("ada_12345_03_watermarks.zip", True),
        ("03_watermraks", True),
        ("13_restart", False),
        ("notes", False),
        ("04_time_windows", False),
        ("data.ipynb", False),
    ],
)
def test_a_name_that_is_nearly_a_lessons_is_known(name: str, alike: bool) -> None:
    assert names_lesson(name, "03_watermarks") is alike


def test_other_lessons_work_is_nobodys_misnamed_folder(tmp_path: Path) -> None:
    for name in ("ada/03_watermarks", "ada/04_windows", "ben/04_windows", "cem/04_windows", "dua"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "cem" / "03 watermarks.ipynb").write_text("{}")
    (tmp_path / "cem" / ".hidden").mkdir()
    (tmp_path / "dua" / "readme.txt").write_text("x")
    found = misplaced_in(tmp_path, "03_watermarks", {"03_watermarks", "04_windows"})
    assert [one.student for one in found] == ["cem"]


def test_a_weight_that_was_changed_in_solutions_is_said_until_it_is_built(root: Path) -> None:
    (source,) = read_lessons(SOLUTIONS)
    target = root / "solutions" / source.name
    shutil.copytree(SOLUTIONS, root / "solutions")
    folder = root / "course" / source.name
    folder.mkdir()
    packed = {
        one.exercise.id: PackedExercise(one.exercise, Scenario([]), {}) for one in source.exercises
    }
    write_pack(
        Pack(source.id, source.name.split("_", 1)[1], "Counting", packed), folder / FILE_NAME
    )
    course = Course.read(root, root / "submitted")

    def notes() -> list[str]:
        grades = ClassGrades("none")
        with Journal(course.grading / "journal.db") as journal:
            GradingBacklog(course, journal, grades, lambda text: None).note_unbuilt(source.name)
        return grades.notes

    assert notes() == []
    changed = source.exercises[0].folder / "exercise.toml"
    path = target / changed.relative_to(source.folder)
    path.write_text(path.read_text().replace("points = 3", "points = 5"))
    (note,) = notes()
    assert "has changed in 90.1" in note and "Fix: grader build" in note
