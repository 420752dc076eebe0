"""`grader forget STUDENT`: nothing of a student stays in a course's folder, and nothing of others goes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from testkit.shoes import LESSON, grade, hand_in, make_course

from grader.classroom.exports import A_FOLDER, ONE_FILE, export
from grader.classroom.marks import read_marks
from grader.cli import main
from grader.errors import SetupError

GONE = "ada.lovelace"


def mentions(root: Path, name: str) -> list[str]:
    """The files and folders of a course that hold a name, or are called so."""
    found = []
    for path in sorted(root.rglob("*")):
        holds = path.is_file() and name.encode() in path.read_bytes()
        if holds or name in path.name:
            found.append(str(path.relative_to(root)))
    return found


def test_a_student_is_gone_from_all_that_the_course_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = make_course(tmp_path)
    for student in (GONE, "ben"):
        hand_in(root, student, "right", "wrong", "right")
    (root / "submitted" / "cem").mkdir()
    folder = hand_in(root, "cem", "right")
    folder.rename(folder.parent / "Shoes")  # known to the journal alone
    grade(root, lesson=LESSON)
    monkeypatch.chdir(root)
    for name, (place, _) in {**ONE_FILE, **A_FOLDER}.items():
        export(read_marks(root), name, root / place)
    shutil.copytree(root / "autograded" / GONE, root / "feedback" / GONE)
    assert main(["report", "91"]) == 0
    capsys.readouterr()
    assert main(["forget", GONE]) == 1
    said = capsys.readouterr().out
    assert "grading/journal.db" in said and f"submitted/{GONE}" in said and "--yes" in said
    assert len(mentions(root, GONE)) > 10, "nothing is deleted yet"
    assert main(["forget", GONE, "--yes"]) == 0
    assert mentions(root, GONE) == []
    assert {mark.student.id for mark in read_marks(root)[0].marks} == {"ben", "cem"}
    for file in ("grades.csv", f"moodle/{LESSON}.csv"):
        assert "ben" in (root / file).read_text()
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        assert [found.id for found in book.students] == ["ben"]
    assert set(grade(root, lesson=LESSON).how.values()) == {"unchanged", "not_graded"}
    assert main(["forget", "cem", "--yes"]) == 0
    assert {mark.student.id for mark in read_marks(root)[0].marks} == {"ben"}
    assert main(["forget", "ben", "--yes"]) == 0
    assert not (root / "grades.csv").exists(), "nobody is left"
    with pytest.raises(SetupError):
        read_marks(root)


def test_what_is_no_student_deletes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_course(tmp_path)
    (root / "submitted" / "ada").mkdir(parents=True)
    monkeypatch.chdir(root)
    for name in ("nobody", "../course", "", ".", "..", "ada/.."):
        assert main(["forget", name, "--yes"]) != 0
    assert (root / "course" / LESSON / f"{LESSON}.ipynb").is_file()
    assert (root / "submitted" / "ada").is_dir()
