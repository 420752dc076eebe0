"""nbgrader's exchange between accounts of the system: students submit what a teacher released, and are graded."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from testkit.shoes import LESSON, grade, hand_in, make_course
from testkit.system_accounts import accounts, needs_accounts, opened_to_all

from grader.classroom.marks import read_marks
from grader.judging.check_pack import FILE_NAME

pytestmark = [pytest.mark.slow, needs_accounts]

COURSE = "stateful-streams"


@pytest.fixture
def exchange() -> Iterator[Path]:
    """A folder that all accounts can write to."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        shared = Path(folder, "exchange")
        shared.mkdir()
        shared.chmod(0o777)
        yield shared


def as_student(name: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run nbgrader as this account, in a folder of its home."""
    command = [*opened_to_all(), "runuser", "-u", name, "--", sys.executable, "-m", "nbgrader"]
    return subprocess.run([*command, *words], cwd=folder, capture_output=True, text=True)


def test_what_students_submit_is_collected_and_graded_under_the_accounts_name(
    tmp_path: Path, exchange: Path, nbgrader: Callable[..., Any]
) -> None:
    root = make_course(tmp_path)
    options = (f"--Exchange.root={exchange}", f"--course={COURSE}")
    nbgrader(root, "generate_assignment", LESSON)
    nbgrader(root, "release_assignment", LESSON, *options)
    answers = {
        "exchange-ada": ("right", "right", "right"),
        "exchange-ben": ("wrong", "right", "late"),
    }
    with accounts(*answers):
        for name, given in answers.items():
            folder = hand_in(root, name, *given)
            shutil.copy(root / "course" / LESSON / FILE_NAME, folder)  # as it is in the home folder
            home = Path("/home", name, "course")
            subprocess.run(["install", "-d", "-o", name, home], check=True)
            subprocess.run(["mv", folder, home], check=True)
            subprocess.run(["chown", "-R", name, home], check=True)
            done = as_student(name, home, "submit", LESSON, *options)
            assert done.returncode == 0, done.stderr
        inbound = exchange / COURSE / "inbound"
        assert len(list(inbound.glob("exchange-ada*"))) == 1
        listed = as_student(
            "exchange-ben", Path("/home/exchange-ben"), "list", "--inbound", *options
        )
        assert "exchange-ada" not in listed.stdout + listed.stderr
        nbgrader(root, "collect", LESSON, *options)
    grade(root)
    (lesson,) = read_marks(root)
    assert {mark.student.id: mark.score for mark in lesson.marks} == {
        "exchange-ada": 6, "exchange-ben": 3,
    }  # fmt: skip
    assert not any("timestamp" in reason.why for mark in lesson.marks for reason in mark.person)
