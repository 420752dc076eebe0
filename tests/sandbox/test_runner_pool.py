"""Runners that wait for a submission: each serves one, and none is left when the class is graded."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from testkit import shoes
from testkit.shoes import LESSON, grade, hand_in, make_course

from grader.runtime.bubblewrap import NoBubblewrapError, find_bubblewrap
from grader.sandbox import runner_process
from grader.sandbox.check_job import Job
from grader.sandbox.runner_pool import RunnerPool
from grader.sandbox.runner_process import RunnerProcess
from grader.sandbox.sandbox_files import COPIED_MB

KINDS = ["none", "bwrap"]
TIME_FACTOR = 20
ECHO = (
    "import json, os, sys; sys.stdin.readline(); job = json.load(open(sys.argv[1] + '/JOB.json')); "
)
SHOWS = "print(sorted(os.listdir(job['handed_in'] or job['folder'])), flush=True); os._exit(7)"


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    if request.param == "bwrap":
        try:
            find_bubblewrap()
        except NoBubblewrapError as problem:
            pytest.skip(f"no sandbox here: {problem}")
    return str(request.param)


@pytest.fixture(autouse=True)
def runner(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that says what was handed in, and ends."""
    monkeypatch.setattr(runner_process, "RUNNER", [shoes.sys.executable, "-c", ECHO + SHOWS])


def wait_for(met: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + TIME_FACTOR
    while not met():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def taken(pool: RunnerPool, folder: Path) -> RunnerProcess:
    found: list[RunnerProcess] = []

    def took() -> bool:
        runner = pool.take(1, folder)
        found.extend([runner] if runner else [])
        return bool(found)

    assert wait_for(took)
    return found[0]


def below() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


def test_each_serves_one_and_sees_what_was_handed_in_after_it_started(
    kind: str, tmp_path: Path
) -> None:
    folder = tmp_path / "submission"
    folder.mkdir()
    (folder / "mine.csv").write_text("1,2")
    (folder / "link").symlink_to("/etc/passwd")
    with RunnerPool(1, most=2, tasks=1, kind=kind) as pool:
        for _ in range(2):
            runner = taken(pool, folder)
            runner.give(Job([], [], str(folder), 1))
            assert wait_for(lambda runner=runner: not runner.alive())  # type: ignore[misc]
            log = (runner._folder / "log").read_text()
            assert "['link', 'mine.csv']" in log, log
            runner.end()
        assert pool.take(1, folder) is None, "no more than `most`"


def test_none_is_left_and_a_dead_one_is_not_handed_out(kind: str, tmp_path: Path) -> None:
    before = below()  # a lab that all tests share may be among them

    def started() -> list[psutil.Process]:
        return [process for process in below() if process not in before]

    with RunnerPool(2, most=4, tasks=1, kind=kind) as pool:
        # in a sandbox one runner is two processes
        assert wait_for(lambda: pool._there.qsize() == 2)
        for process in started():
            with contextlib.suppress(psutil.NoSuchProcess):  # a sandbox ends with its other process
                process.kill()
        assert wait_for(lambda: all(map(_dead, started())))
        runner = taken(pool, tmp_path)
        assert runner.alive()
        runner.end()
    assert wait_for(lambda: not started()), [(p.status(), _words(p)) for p in started()]


def test_one_that_waits_is_not_taken_for_what_it_has_no_room_for(kind: str, tmp_path: Path) -> None:
    with RunnerPool(1, most=1, tasks=1, kind=kind) as pool:
        assert wait_for(lambda: pool._there.qsize() == 1)
        assert pool.take(2, tmp_path) is None
        if kind != "none":
            with open(tmp_path / "large", "wb") as file:
                file.truncate((COPIED_MB + 1) << 20)
            assert pool.take(1, tmp_path) is None
            (tmp_path / "large").unlink()
        taken(pool, tmp_path).end()


@pytest.fixture
def course(tmp_path: Path) -> Iterator[Path]:
    yield make_course(tmp_path)


@pytest.mark.slow
def test_a_class_gets_the_same_grades_from_those_that_wait(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth = {"ada": [2, 2, 2], "ben": [2, 0, 1], "cem": [0, 2, 0], "dua": [0, 2, 2]}
    answers = {
        "ada": ("right", "right", "right"),
        "ben": ("right", "wrong", "late"),
        "cem": ("exit", "right", "exit in play"),
        "dua": ("garbage", "right", "right"),
    }
    for student, cells in answers.items():
        hand_in(course, student, *cells)
    served: list[RunnerProcess | None] = []
    real = RunnerPool.take

    def take(self: RunnerPool, tasks: int, folder: Path) -> RunnerProcess | None:
        served.append(real(self, tasks, folder))
        return served[-1]

    monkeypatch.setattr(RunnerPool, "take", take)
    grades = grade(course, jobs=1, waiting=2)
    assert {
        one.student: [verdict.score for verdict in one.verdicts] for one in grades.submissions
    } == truth
    assert len([runner for runner in served if runner]) >= 3, "all but the first found one"
    assert grades.how[LESSON, "ada"] == "run"
    assert not [p for p in below() if "hostile" in " ".join(_words(p))]


def _dead(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def _words(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except (psutil.Error, subprocess.SubprocessError):
        return []
