"""The sandbox has all that a check needs, and is chosen by name; tests/attacks tries what it withstands."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from testkit.submissions import RIGHT, filled, write

from grader.classroom.preprocessors import Record
from grader.errors import SetupError
from grader.judging.check_pack import FILE_NAME, read_pack
from grader.lab.setup import start_ups
from grader.runtime import bubblewrap
from grader.runtime.bubblewrap import NoBubblewrapError, find_bubblewrap, fix_for
from grader.runtime.java import find_java
from grader.sandbox import bwrap_sandbox, sandbox_kinds
from grader.sandbox.observed_run import ExerciseCheck
from grader.sandbox.resource_limits import Limits
from grader.sandbox.sandbox_files import COPIED_MB, HANDED_IN, WORK, work_folder
from grader.sandbox.sandbox_kinds import choose_kind
from grader.sandbox.supervisor import supervise
from grader.sandbox.syscall_filter import MACHINES, NAMES

PROJECT = Path(__file__).resolve().parents[2]
TIME_FACTOR = 30

try:
    find_bubblewrap()
    here = ""
except NoBubblewrapError as problem:
    here = f"no sandbox here: {problem}"
needs_sandbox = pytest.mark.skipif(bool(here), reason=here)


# all that a runner needs before it starts anything
NEEDED = """
import getpass, socket
import grader.sandbox.runner
from grader.learner.notebook_lab import events, fresh_checkpoint
from grader.runtime.jars import missing_jars
from grader.runtime.java import find_java
from grader.runtime.paths import log_dir
from grader.runtime.spark_session import session_settings
from grader.lab.setup import start_ups
print([(each.kind, each.misfit()) for each in start_ups(find_java())])
print(session_settings()['spark.local.dir'], fresh_checkpoint(), log_dir())
print(getpass.getuser(), socket.gethostbyname(socket.gethostname()), len(events('page_clicks')) > 0)
print('missing', [*missing_jars('broker'), *missing_jars('connector')])
"""


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A job's folder and what was handed in."""
    job, handed_in = tmp_path / "job", tmp_path / "submitted" / "ada" / "03_watermarks"
    job.mkdir()
    handed_in.mkdir(parents=True)
    return job, handed_in


# the whole of it


@pytest.mark.slow
@needs_sandbox
def test_all_that_a_check_needs_is_there(folders: tuple[Path, Path]) -> None:
    """Java with its start-up caches, jars, datasets, names of user and host, folders to write in."""
    job, handed_in = folders
    with open(job / "log", "wb") as log:
        command = [sys.executable, "-c", NEEDED]
        code = bwrap_sandbox.start(command, job=job, handed_in=handed_in, log=log).end(TIME_FACTOR)
    said = (job / "log").read_text()
    assert code == 0, said
    assert str([(each.kind, each.misfit()) for each in start_ups(find_java())]) in said
    assert "learner 127.0.0.1 True" in said and "missing []" in said


@needs_sandbox
@pytest.mark.slow
def test_a_submission_gets_the_same_verdicts_as_outside(built: Path, tmp_path: Path) -> None:
    prying = (
        "import os\n"
        f"seen = [os.path.exists(path) for path in ({str(PROJECT / 'solutions')!r}, '/etc/shadow')]\n"
        "open('made-by-a-cell', 'w').close()\n"
        "print(seen, os.getcwd(), os.uname().nodename)\n"
    )
    answers = {**RIGHT, "kept": "def kept(clicks):\n    return clicks", "add": prying}
    notebook = filled(built / f"{built.name}.ipynb", answers)
    folder = write(notebook, tmp_path / built.name / f"{built.name}.ipynb").parent
    wanted = [
        ExerciseCheck(packed, packed.plays()) for packed in read_pack(built / FILE_NAME).graded()
    ]
    found = {kind: supervise(notebook, wanted, folder, sandbox=kind) for kind in ("bwrap", "none")}
    told = {
        kind: {name: replace(v, seconds=0).to_dict() for name, v in checked.verdicts.items()}
        for kind, checked in found.items()
    }
    assert told["bwrap"] == told["none"]
    assert [v["status"] for v in told["bwrap"].values()] == ["passed", "failed", "passed"]
    said = {
        kind: [o["text"] for cell in checked.cells.values() for o in cell.outputs if "text" in o]
        for kind, checked in found.items()
    }
    assert said["bwrap"] == [f"[False, False] {WORK} localhost\n"]
    assert said["none"] == [f"[True, True] {folder} {os.uname().nodename}\n"]


# the choice


def no_sandbox() -> Path:
    raise NoBubblewrapError("the kernel says no", "ask it nicely")


def test_where_no_sandbox_can_be_made_nothing_is_graded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(sandbox_kinds.VARIABLE, raising=False)
    monkeypatch.setattr(sandbox_kinds, "find_bubblewrap", no_sandbox)
    with pytest.raises(
        SetupError, match=r"kernel says no(.|\n)*ask it nicely(.|\n)*GRADER_SANDBOX=none"
    ):
        Record().preprocess(nbformat.v4.new_notebook(), {})


def test_without_a_sandbox_only_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(sandbox_kinds.VARIABLE, raising=False)
    assert choose_kind("none", otherwise="auto") == "none"
    assert choose_kind(None, otherwise="none") == "none", "a learner at home"
    monkeypatch.setenv(sandbox_kinds.VARIABLE, "none")
    assert choose_kind(None, otherwise="auto") == "none"
    monkeypatch.setattr(sandbox_kinds, "find_bubblewrap", lambda: Path("/usr/bin/bwrap"))
    assert choose_kind("auto", otherwise="auto") == "bwrap"
    monkeypatch.setenv(sandbox_kinds.VARIABLE, "jail")
    with pytest.raises(SetupError, match="no kind of sandbox"):
        choose_kind(None, otherwise="auto")


def test_a_large_folder_is_not_copied_and_one_with_your_own_files_not_shown(tmp_path: Path) -> None:
    assert work_folder(tmp_path) == WORK
    with open(tmp_path / "data", "wb") as file:
        file.truncate((COPIED_MB + 1) << 20)
    assert work_folder(tmp_path) == HANDED_IN
    with pytest.raises(SetupError, match="folder of its own"):
        work_folder(Path.home())


@pytest.mark.parametrize(
    ("path", "text", "fix"),
    [
        (".dockerenv", "", "--security-opt"),
        ("proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n", "apparmor_parser"),
        ("proc/sys/kernel/unprivileged_userns_clone", "0\n", "unprivileged_userns_clone=1"),
        ("proc/sys/user/max_user_namespaces", "0\n", "max_user_namespaces"),
        ("nothing", "", "user namespaces"),
    ],
)
def test_the_mend_fits_the_kernel(tmp_path: Path, path: str, text: str, fix: str) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text(text)
    assert fix in fix_for(Path("/usr/bin/bwrap"), tmp_path)


def test_a_system_without_namespaces_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "sys", SimpleNamespace(platform="darwin"))
    find_bubblewrap.cache_clear()
    try:
        with pytest.raises(NoBubblewrapError, match="Linux"):
            find_bubblewrap()
    finally:
        find_bubblewrap.cache_clear()


@needs_sandbox
@pytest.mark.skipif(not shutil.which("false"), reason="no program `false`")
def test_a_bwrap_that_does_not_work_is_not_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken, good = Path(str(shutil.which("false"))), find_bubblewrap()
    monkeypatch.setattr(bubblewrap, "_programs", lambda: [broken, good])
    find_bubblewrap.cache_clear()
    try:
        assert find_bubblewrap() == good
    finally:
        find_bubblewrap.cache_clear()


def test_the_documents_name_the_limits_that_hold() -> None:
    limits = Limits()
    teach, attacks = ((PROJECT / "docs" / name).read_text() for name in ("teach.md", "attacks.md"))
    assert f"processes and threads ({limits.tasks})" in teach
    assert f"{limits.files_together} files and connections open" in teach
    assert f"use {limits.memory_mb >> 10} GB of memory" in teach
    assert f"in `/tmp` ({limits.tmp_mb >> 10} GB, gone afterward)" in teach
    assert f"(at {limits.files_together}; here" in attacks
    assert f"(at {limits.open_files} a process; here" in attacks


def test_every_refused_call_has_a_number() -> None:
    assert {len(machine.refused) for machine in MACHINES.values()} == {len(NAMES)}
