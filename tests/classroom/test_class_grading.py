"""A class graded by `grader grade`, by a runner without Spark that does as the cells of shoes.py say."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook
from testkit import shoes
from testkit.shoes import LESSON, grade, hand_in, make_course

from grader.classroom.class_grades import duration
from grader.classroom.class_grading import grade_class
from grader.classroom.course import Course
from grader.classroom.gradebook import enrol
from grader.classroom.journal import Journal
from grader.classroom.marks import read_marks
from grader.classroom.submissions import cannot_be_graded, submissions_in
from grader.cli import main
from grader.errors import SetupError
from grader.lab import setup
from grader.runtime.file_locks import try_lock
from grader.sandbox import runner_process

TESTS = Path(__file__).parents[1]
SHOES = [sys.executable, "-m", shoes.__name__]  # by its path, its folder would hide other packages
TRUTH = {
    "ada": (("right", "right", "right"), [2, 2, 2]),
    "ben": (("right", "wrong", "late"), [2, 0, 1]),
    "cem": (("exit", "right", "hang in play"), [0, 2, 0]),
    "dua": (("garbage", "invent cells", "right"), [0, 0, 2]),
}


@pytest.fixture(scope="module")
def enrolled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course with a grade book that knows it: nbgrader takes seconds to make one."""
    root = make_course(tmp_path_factory.mktemp("course"))
    enrol(Course.read(root, root / "submitted"), LESSON)
    return root


@pytest.fixture
def root(enrolled: Path, tmp_path: Path) -> Path:
    shutil.copytree(enrolled, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def graded(root: Path) -> Path:
    """A class of two, graded once."""
    hand_in(root, "ada", *TRUTH["ada"][0])
    hand_in(root, "ben", *TRUTH["ben"][0], essay="Shoes.")
    grade(root)
    return root


def scores(root: Path, student: str) -> list[float]:
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        return [
            book.find_grade(f"check-answer_{number}", LESSON, LESSON, student).auto_score
            for number in (1, 2, 3)
        ]


def page(root: Path, student: str) -> Path:
    return root / "autograded" / student / LESSON / f"{LESSON}.ipynb"


def shown(root: Path, student: str) -> list[dict[str, Any]]:
    cells = nbformat.read(page(root, student), 4).cells
    checks = [
        c for c in cells if c.metadata.get("nbgrader", {}).get("grade_id", "").startswith("check")
    ]
    return [cell.outputs[0].metadata["verdict"] for cell in checks]


def no_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on no submission's code can run."""
    monkeypatch.setattr(
        shoes, "RUNNER", [sys.executable, "-c", "raise SystemExit('nothing may run')"]
    )


def test_every_submission_gets_what_it_deserves_several_at_a_time(root: Path) -> None:
    for student, (answers, _) in TRUTH.items():
        hand_in(root, student, *answers)
    grades = grade(root, jobs=3)
    assert {student: scores(root, student) for student in TRUTH} == {
        student: truth for student, (_, truth) in TRUTH.items()
    }
    assert set(grades.how.values()) == {"run"}
    for student, (_, truth) in TRUTH.items():
        assert [verdict["score"] for verdict in shown(root, student)] == truth
    why = {(one.student, reason.exercise) for one in grades.submissions for reason in one.person}
    assert why == {("cem", "91.1"), ("cem", "91.3"), ("dua", "91.1"), ("dua", "91.2")}


def test_what_is_graded_is_left_alone(graded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_runner(monkeypatch)
    before = page(graded, "ada").stat().st_mtime_ns
    again = grade(graded)
    assert set(again.how.values()) == {"unchanged"}
    assert [sum(v.score for v in one.verdicts) for one in again.submissions] == [6, 3]
    assert page(graded, "ada").stat().st_mtime_ns == before


def test_only_what_was_handed_in_anew_runs(graded: Path) -> None:
    hand_in(graded, "ben", "right", "right", "late")
    again = grade(graded)
    assert again.how == {(LESSON, "ada"): "unchanged", (LESSON, "ben"): "run"}
    assert scores(graded, "ben") == [2, 2, 1]


def test_other_points_and_weights_are_given_without_running_anything(
    graded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_runner(monkeypatch)
    make_course(graded, points=4.0, weights={"rows": 3, "step": 1})
    again = grade(graded)
    assert set(again.how.values()) == {"judged"}
    assert (scores(graded, "ada"), scores(graded, "ben")) == ([4, 4, 4], [4, 0, 3])
    assert [verdict["score"] for verdict in shown(graded, "ben")] == [4, 0, 3]
    with Gradebook(f"sqlite:///{graded}/gradebook.db") as book:
        assert book.find_submission(LESSON, "ben").max_score == 3 * 4 + 4
    assert set(grade(graded).how.values()) == {"unchanged"}


def test_a_criterion_less_is_judged_and_one_that_asks_for_more_plays_runs(
    graded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        no_runner(patch)
        make_course(graded, criteria=["rows"])
        assert set(grade(graded).how.values()) == {"judged"}
        assert scores(graded, "ben") == [2, 0, 2]
    make_course(graded, timeout=2)  # the runner is told of it
    assert set(grade(graded).how.values()) == {"run"}


def test_a_page_that_is_gone_is_written_again_from_what_was_kept(
    graded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_runner(monkeypatch)
    before = page(graded, "ada").read_text()
    page(graded, "ada").unlink()
    assert grade(graded).how == {(LESSON, "ada"): "judged", (LESSON, "ben"): "unchanged"}
    assert page(graded, "ada").read_text() == before


def test_a_grade_book_that_is_gone_is_filled_again_from_what_was_kept(
    graded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_runner(monkeypatch)
    (graded / "gradebook.db").unlink()
    assert set(grade(graded).how.values()) == {"judged"}
    assert (scores(graded, "ada"), scores(graded, "ben")) == ([2, 2, 2], [2, 0, 1])


def test_fresh_runs_all_again(graded: Path) -> None:
    assert set(grade(graded, fresh=True).how.values()) == {"run"}


def test_what_a_person_gave_and_said_stays(graded: Path) -> None:
    with Gradebook(f"sqlite:///{graded}/gradebook.db") as book:
        book.find_grade("check-answer_2", LESSON, LESSON, "ben").manual_score = 1.5
        book.find_grade("essay", LESSON, LESSON, "ben").manual_score = 3
        book.find_comment("answer_2", LESSON, LESSON, "ben").manual_comment = "Nearly."
        book.find_submission(LESSON, "ben").student.first_name = "Ben"
        book.db.commit()
    make_course(graded, points=3.0)
    grades = grade(graded)
    with Gradebook(f"sqlite:///{graded}/gradebook.db") as book:
        assert book.find_grade("check-answer_2", LESSON, LESSON, "ben").score == 1.5
        assert book.find_grade("essay", LESSON, LESSON, "ben").score == 3
        assert book.find_comment("answer_2", LESSON, LESSON, "ben").comment == "Nearly."
    reasons = [reason.why for one in grades.submissions for reason in one.person]
    assert "check-answer_2 waits for a grade by hand" in reasons, "to be looked at again"


def test_where_the_lab_cannot_start_nothing_is_graded(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        hand_in(root, f"s{number}", "right")
    with monkeypatch.context() as patch:
        no_runner(patch)
        with pytest.raises(SetupError, match="nothing may run"):
            grade(root, jobs=1)
    assert scores(root, "s0") == [None] * 3
    assert set(grade(root).how.values()) == {"run"}


def test_a_machine_that_starts_java_slowly_says_so_and_grades(
    graded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    assert grade(graded, fresh=True, notify=told.append).ok
    assert not [line for line in told if "make setup" in line]
    monkeypatch.setattr(setup, "cache_path", lambda *_: graded / "no such cache")
    assert grade(graded, fresh=True, notify=told.append).ok
    assert len([line for line in told if "make setup" in line]) == 1
    del told[:]
    assert grade(graded, notify=told.append).ok
    assert not [line for line in told if "make setup" in line], "nothing was left to run"


def test_two_at_a_time_do_not_grade_the_same_class(graded: Path) -> None:
    lock = try_lock(graded / "grading" / "lock")
    assert lock is not None
    try:
        with pytest.raises(SetupError, match="at work"):
            grade(graded)
    finally:
        os.close(lock)


def test_settings_that_let_submissions_run_unjudged_are_refused(graded: Path) -> None:
    config = graded / "nbgrader_config.py"
    config.write_text(
        config.read_text().replace(
            "grader.classroom.preprocessors.Record", "nbgrader.preprocessors.Execute"
        )
    )
    with pytest.raises(SetupError, match="Put them back"):
        grade_class(graded, graded / "submitted", sandbox="none")


def test_the_command_says_who_needs_a_person(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in(root, "ben", "right", "exit", "late", essay="Shoes.")
    monkeypatch.setattr(runner_process, "RUNNER", shoes.RUNNER)
    words = ["grade", str(root / "submitted"), LESSON, "--sandbox", "none", "--jobs", "1"]
    assert main(words) == 0
    told = capsys.readouterr()
    assert "[1/1] ben 91_shoes: 3 of 6 points" in told.err
    assert "essay waits for a grade by hand" in told.out
    assert "graded without a sandbox" in told.out
    words[2] = "91"
    assert main([*words, "--json"]) == 0
    told_json = json.loads(capsys.readouterr().out)
    assert told_json["counts"] == {"run": 0, "judged": 0, "unchanged": 1, "not_graded": 0}
    assert "without a sandbox" in told_json["warning"]
    (ben,) = told_json["submissions"]
    assert [verdict["score"] for verdict in ben["verdicts"]] == [2, 0, 1]
    assert {reason["exercise"] for reason in ben["person"]} == {"91.2", None}
    assert main(["grade", str(root / "submitted"), "92_nothing"]) == 2


def test_a_folder_under_a_wrong_name_leaves_no_trace_once_it_is_renamed(root: Path) -> None:
    hand_in(root, "ada", *TRUTH["ada"][0])
    folder = root / "submitted" / "ada"
    (folder / LESSON).rename(folder / "91_shoe")
    assert set(grade(root).how.values()) == {"not_graded"}
    (folder / "91_shoe").rename(folder / LESSON)
    assert set(grade(root).how.values()) == {"run"}
    (lesson,) = read_marks(root)
    assert [(mark.student.id, mark.score) for mark in lesson.marks] == [("ada", 6)]


def test_what_could_not_be_graded_in_one_folder_stays_while_another_is_graded(root: Path) -> None:
    hand_in(root, "ada", *TRUTH["ada"][0])
    (root / "submitted" / "ada" / LESSON).rename(root / "submitted" / "ada" / "91_shoe")
    grade(root)
    tuesday = root / "tuesday" / "ben" / LESSON
    shutil.copytree(hand_in(root, "ben", *TRUTH["ben"][0]), tuesday)
    shutil.rmtree(root / "submitted" / "ben")
    grade_class(root, root / "tuesday", sandbox="none")
    with Journal(root / "grading" / "journal.db") as journal:
        assert journal.lessons() == ["91_shoe", LESSON]


def test_notebooks_that_lie_beside_the_lessons_own_are_nobodys_business(graded: Path) -> None:
    """New ones and copies, as JupyterLab makes them in course/; the book may know one from before."""
    lesson = graded / "course" / LESSON
    shutil.copy(lesson / f"{LESSON}.ipynb", lesson / f"{LESSON}-Copy1.ipynb")
    with Gradebook(f"sqlite:///{graded}/gradebook.db") as book:
        best = book.find_assignment(LESSON).max_score
        book.add_notebook(f"{LESSON}-Copy1", LESSON)
    assert set(grade(graded).how.values()) == {"judged"}, "the folder is not as it was"
    assert set(grade(graded, fresh=True).how.values()) == {"run"}
    with Gradebook(f"sqlite:///{graded}/gradebook.db") as book:
        assert [notebook.name for notebook in book.find_assignment(LESSON).notebooks] == [LESSON]
        assert book.find_assignment(LESSON).max_score == best


def test_who_was_graded_by_hand_waits_no_more(graded: Path) -> None:
    def waits() -> list[str]:
        why = [reason.why for one in grade(graded).submissions for reason in one.person]
        (lesson,) = read_marks(graded)
        assert [r.why for mark in lesson.marks for r in mark.person] == why
        return why

    assert waits() == ["essay waits for a grade by hand"]
    with Gradebook(f"sqlite:///{graded}/gradebook.db") as book:
        essay = book.find_grade("essay", LESSON, LESSON, "ben")
        essay.manual_score, essay.needs_manual_grade = 3, False
        book.db.commit()
    assert waits() == []


def test_an_answer_graded_by_hand_is_looked_at_again_only_where_it_is_another(
    graded: Path,
) -> None:
    def essay_waits() -> bool:
        with Gradebook(f"sqlite:///{graded}/gradebook.db") as book:
            essay = book.find_grade("essay", LESSON, LESSON, "ben")
            assert essay.score == 3
            return bool(essay.needs_manual_grade)

    with Gradebook(f"sqlite:///{graded}/gradebook.db") as book:
        essay = book.find_grade("essay", LESSON, LESSON, "ben")
        essay.manual_score, essay.needs_manual_grade = 3, False
        book.db.commit()
    make_course(graded, points=3.0)
    assert set(grade(graded).how.values()) == {"judged"}
    assert not essay_waits()
    hand_in(graded, "ben", "right", "right", "right", essay="Shoes.")
    grade(graded)
    assert not essay_waits()
    hand_in(graded, "ben", "right", "right", "right", essay="More shoes.")
    grade(graded)
    assert essay_waits()


def test_who_was_never_graded_to_the_end_has_no_mark(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(root, "ada", *TRUTH["ada"][0])
    grade(root)
    hand_in(root, "ben", "right")
    no_runner(monkeypatch)
    with pytest.raises(SetupError):
        grade(root)
    (lesson,) = read_marks(root)
    ada, ben = lesson.marks
    assert (ada.score, ben.handed_in, ben.score) == (6, True, None)
    assert "did not finish" in ben.person[0].why


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2026-04-02 08:30:00 UTC", True),
        ("2026-04-02 08:30:00.123456 UTC\n", True),
        ("2026-04-02 08:30", True),
        ("2026-04-02 08:30:00 Europe/Berlin", True),
        ("", True),
        ("02.04.2026 08:30", False),
        ("2026-04-02 08:30:00 CEST", False),
        ("2026-04-02 08:30:00 +0200", False),
        ("\ufeff2026-04-02 08:30:00 UTC", False),
        ("2026-04-02 08.30 Uhr", False),
    ],
)
def test_a_time_of_handing_in_is_read_as_it_was_meant_or_not_at_all(
    root: Path, text: str, read: bool
) -> None:
    folder = hand_in(root, "ada", *TRUTH["ada"][0])
    (folder / "timestamp.txt").write_text(text, encoding="utf-8")
    (submission,) = submissions_in(root / "submitted")
    why = cannot_be_graded(submission)
    assert why is None if read else "write it in UTC" in (why or "")


def test_a_database_that_is_none_is_told_without_a_traceback(
    graded: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(graded)
    for name in ("gradebook.db", "grading/journal.db"):
        whole = (graded / name).read_bytes()
        (graded / name).write_bytes(b"no database at all" * 100)
        assert main(["report", LESSON]) == 2
        assert "is the file whole?" in capsys.readouterr().err
        (graded / name).write_bytes(whole)


def test_a_name_that_is_not_utf8_in_a_folder_can_be_reported(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in(root, "ben", *TRUTH["ben"][0])
    notebook = hand_in(root, "ada", *TRUTH["ada"][0]) / f"{LESSON}.ipynb"
    notebook.rename(notebook.parent / os.fsdecode(b"\x9abung.ipynb"))
    grade(root)
    monkeypatch.chdir(root)
    for words in (
        ["report", LESSON],
        ["export", "--format", "csv"],
        ["export", "--format", "json"],
    ):
        assert main(words) == 0, capsys.readouterr().err
    assert "udc9abung" in (root / "grades.json").read_text()


def test_a_name_that_is_not_utf8_stops_nobody_else(root: Path) -> None:
    for student in ("ada", "ben"):
        hand_in(root, student, *TRUTH["ada"][0])
    (root / "submitted" / "ben").rename(root / "submitted" / os.fsdecode(b"b\xe9n"))
    grades = grade(root)
    assert grades.how == {(LESSON, "ada"): "run", (LESSON, "b\\udce9n"): "not_graded"}
    (reason,) = (reason for one in grades.submissions for reason in one.person)
    assert "cannot stand in a grade book: rename it" in reason.why


def test_a_time_that_is_left_is_told_for_a_person() -> None:
    assert [duration(s) for s in (12, 150, 3 * 3600 + 320)] == ["12 s", "2 min", "3 h 5 min"]


@pytest.mark.parametrize(
    ("place", "when", "ran"),
    [
        ("grader.classroom.run_store:KeptRun.keep", "before", {"ada"}),
        ("grader.classroom.run_store:KeptRun.keep", "after", {"ada", "ben"}),
        ("grader.classroom.preprocessors:Grade.preprocess", "after", {"ada", "ben"}),
        ("grader.classroom.grade_writer:_replace", "before", {"ada", "ben"}),
        ("grader.classroom.journal:Journal.finish", "before", {"ada", "ben"}),
        ("grader.classroom.journal:Journal.finish", "after", {"ada", "ben"}),
    ],
)
def test_killed_at_a_step_only_what_was_not_kept_runs_again(
    root: Path, place: str, when: str, ran: set[str]
) -> None:
    for student in ("ada", "ben", "dua"):
        hand_in(root, student, *TRUTH[student][0])
    killed = subprocess.run([*SHOES, str(root), "1", place, when], cwd=TESTS)
    assert killed.returncode == -signal.SIGKILL
    assert set(kept_runs(root)) == ran
    grades = grade(root)
    assert {student for (_, student), how in grades.how.items() if how == "run"} == {
        "ada", "ben", "dua",
    } - ran  # fmt: skip
    for student in ("ada", "ben", "dua"):
        assert scores(root, student) == TRUTH[student][1]
        assert [verdict["score"] for verdict in shown(root, student)] == TRUTH[student][1]


@pytest.mark.parametrize(
    ("place", "when"),
    [
        ("grader.classroom.grade_writer:_replace", "after"),
        ("grader.classroom.preprocessors:write_scores", "after"),
        ("grader.classroom.journal:Journal.finish", "before"),
    ],
)
def test_killed_while_judging_again_and_put_back_all_is_as_before(
    graded: Path, monkeypatch: pytest.MonkeyPatch, place: str, when: str
) -> None:
    make_course(graded, weights={"rows": 3, "step": 1})
    killed = subprocess.run([*SHOES, str(graded), "1", place, when], cwd=TESTS)
    assert killed.returncode == -signal.SIGKILL
    no_runner(monkeypatch)
    make_course(graded)
    assert "judged" in grade(graded).how.values()
    assert (scores(graded, "ada"), scores(graded, "ben")) == ([2, 2, 2], [2, 0, 1])
    assert [verdict["score"] for verdict in shown(graded, "ben")] == [2, 0, 1]


@pytest.mark.slow
def test_killed_at_any_moment_and_started_again_nothing_is_lost_or_run_twice(root: Path) -> None:
    students = {f"s{number}": TRUTH[list(TRUTH)[number % 4]] for number in range(12)}
    for student, (answers, _) in students.items():
        hand_in(root, student, *answers)
    chance = random.Random(15)
    finished: dict[str, int] = {}
    ends: list[int] = []
    for lines in (1, 2, 4, 5, 3, 4):
        with subprocess.Popen(
            [*SHOES, str(root), "2"],
            cwd=TESTS,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as command:
            assert command.stdout is not None
            said = [line for _, line in zip(range(lines), command.stdout, strict=False)]
            time.sleep(chance.uniform(0, 0.5))  # a moment in the middle of something
            command.send_signal(signal.SIGKILL)
            said += command.communicate()[0]
        ends.append(command.returncode)
        for student, kept in kept_runs(root).items():
            assert finished.setdefault(student, kept) == kept, f"{student} ran twice"
        assert "Traceback" not in "".join(said)
    assert -signal.SIGKILL in ends and finished, "killed in the middle of it, at least once"
    grades = grade(root, jobs=2)
    assert len(grades.submissions) == 12 and grades.ok
    assert {s: scores(root, s) for s in students} == {
        s: truth for s, (_, truth) in students.items()
    }
    for student, kept in finished.items():
        assert kept_runs(root)[student] == kept, f"{student} ran twice"
    assert not list((root / "grading" / "staging").rglob("*.ipynb"))


def kept_runs(root: Path) -> dict[str, int]:
    """When each submission's run was kept."""
    found = (root / "grading" / "runs").glob("*/*/*.zst")
    return {path.parents[1].name: path.stat().st_mtime_ns for path in found}
