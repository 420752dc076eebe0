"""Submissions run as tasks of a Spark cluster; tests/docker has one of several machines, and kills one."""

from __future__ import annotations

import io
import pickle
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from testkit.submissions import RIGHT, filled, write

from grader.classroom import spark_grading
from grader.classroom.spark_grading import Parcel, run_parcel
from grader.judging.check_pack import FILE_NAME, read_pack
from grader.judging.verdict import Verdict
from grader.sandbox.observed_run import ExerciseCheck
from grader.sandbox.supervisor import supervise

# a process of its own: Spark takes one master in each
ON_TWO = """
import pickle, sys
from grader.classroom.spark_grading import Cluster
notebook, wanted, folder = pickle.load(sys.stdin.buffer)
with Cluster("local[2]", "auto") as cluster:
    pickle.dump(cluster(notebook, wanted, folder, cell_seconds=60), open(sys.argv[1], "wb"))
"""


@pytest.mark.slow
def test_a_task_sees_what_the_supervisor_sees_here(built: Path, tmp_path: Path) -> None:
    answers = {
        **RIGHT,
        "kept": "def kept(clicks):\n    return clicks",
        "add": "from mine import add",
    }
    notebook = filled(built / f"{built.name}.ipynb", answers)
    folder = write(notebook, tmp_path / built.name / f"{built.name}.ipynb").parent
    (folder / "mine.py").write_text("def add(a, b):\n    return a + b\n")
    wanted = [
        ExerciseCheck(packed, packed.plays()) for packed in read_pack(built / FILE_NAME).graded()
    ]
    here = supervise(notebook, wanted, folder, sandbox="bwrap")
    told = tmp_path / "told"
    given = pickle.dumps((notebook, wanted, folder))
    done = subprocess.run([sys.executable, "-c", ON_TWO, told], input=given, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    there = pickle.loads(told.read_bytes())
    assert lasting(there.verdicts) == lasting(here.verdicts)
    assert [v.status for v in there.verdicts.values()] == ["passed", "failed", "passed"]
    assert {i: (c.how, c.outputs) for i, c in there.cells.items()} == {
        i: (c.how, c.outputs) for i, c in here.cells.items()
    }
    assert there.seconds > 0


def lasting(verdicts: dict[str, Verdict]) -> dict[str, Verdict]:
    return {name: replace(verdict, seconds=0) for name, verdict in verdicts.items()}


def parcel(**changes: object) -> Parcel:
    given = {
        "notebook": "{}",
        "files": b"",
        "checks": [],
        "cell_seconds": 1.0,
        "sandbox": "auto",
        "grader": spark_grading.package_digest(),
        **changes,
    }
    return Parcel(**given)  # type: ignore[arg-type]


def test_a_worker_of_another_version_or_without_a_sandbox_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "another version" in run_parcel(pickle.dumps(parcel(grader="old")))["cannot"]
    assert "no kind of sandbox" in run_parcel(pickle.dumps(parcel(sandbox="jail")))["cannot"]


def test_links_and_folders_come_along_and_nothing_lands_outside(tmp_path: Path) -> None:
    folder = tmp_path / "handed_in"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "data.csv").write_text("1")
    (folder / "link").symlink_to("/etc/passwd")
    (folder / "loop").symlink_to(".")
    spark_grading._unpack(spark_grading._packed(folder), tmp_path / "there")
    there = tmp_path / "there"
    assert (there / "deep" / "data.csv").read_text() == "1"
    assert (there / "link").is_symlink() and (there / "loop").is_symlink()
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as files:
        files.addfile(tarfile.TarInfo("../out"))
    with pytest.raises(ValueError, match="outside"):
        spark_grading._unpack(out.getvalue(), tmp_path / "there")
