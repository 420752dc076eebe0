"""Beyond one machine: a Spark cluster runs the submissions of a class, one task each.

A worker runs a submission's code in its own sandbox and returns what was seen; it keeps nothing.
The result is judged here, as if it had run here. A task whose worker is lost runs on a different worker.
"""

from __future__ import annotations

import ctypes
import io
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from grader.errors import SetupError
from grader.runtime.scratch_folders import make_scratch, remove_scratch
from grader.sandbox.observed_run import ExerciseCheck, ObservedRun
from grader.sandbox.sandbox_kinds import choose_kind
from grader.sandbox.supervisor import supervise
from grader.validity.digest import package_digest

AT_ONCE = 64  # submissions that the cluster knows of: as many run as it has cores, the rest wait
# of the file docker/spark.conf or a cluster's own: what a notebook's session is held to is not for a class
SETTINGS = {"spark.cores.max": "100000", "spark.app.name": "grader grade"}
MASTER = "GRADER_SPARK_MASTER"
PR_SET_PDEATHSIG = 1  # linux/prctl.h


@dataclass(frozen=True)
class Parcel:
    """A submission on its way to a worker: its notebook, its files as a tar, the exercises to judge.

    `grader` is the digest of the package that packed it.
    """

    notebook: str
    files: bytes
    checks: list[ExerciseCheck]
    cell_seconds: float
    sandbox: str
    grader: str


@dataclass
class Cluster:
    """A Spark cluster that runs submissions; used by several threads. A context, in which it is connected.

    Raises SetupError, with the fix, if the master does not answer or gives no executor.
    """

    master: str
    sandbox: str

    def __enter__(self) -> Cluster:
        from py4j.protocol import Py4JError

        from grader.runtime.spark_session import spark_session

        try:
            with _master(self.master):
                self._context = spark_session(extra_conf=SETTINGS).sparkContext
        except Py4JError as error:
            raise SetupError(
                f"Spark does not start on {self.master}: {_first_line(error)}\n"
                "Is the master up, and is this the address that its own page shows?"
            ) from error
        return self

    def __exit__(self, *_: object) -> None:
        from grader.runtime.spark_session import stop_spark

        stop_spark()

    def __call__(
        self,
        notebook: NotebookNode,
        checks: list[ExerciseCheck],
        folder: Path,
        *,
        cell_seconds: float,
    ) -> ObservedRun:
        """The result of a notebook in its folder, run by a worker. Raises SetupError if none can."""
        text, files, version = nbformat.writes(notebook), _packed(folder), package_digest()
        parcel = Parcel(text, files, checks, cell_seconds, self.sandbox, version)
        try:
            one = self._context.parallelize([pickle.dumps(parcel)], 1)
            (response,) = one.map(run_elsewhere).collect()
        except Exception as error:
            lacking = "No module named 'grader'" in str(error)
            said = "its workers' Python has no grader" if lacking else _last_line(error)
            raise SetupError(
                f"{self.master} could not run a submission: {said}.\nFix: docs/teach.md, "
                "“Past one machine”."
            ) from error
        if "cannot" in response:
            raise SetupError(
                f"A worker of {self.master} cannot run submissions. {response['cannot']}"
            )
        return ObservedRun.from_json(response["run"], checks)


def run_elsewhere(data: bytes) -> dict[str, Any]:
    """What a task does: `run_parcel` in its own process.

    Spark gives its own Python workers another PySpark to import, without jars.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "grader.classroom.spark_grading"]
    done = subprocess.run(command, input=data, capture_output=True, env=environment)
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace").strip()[-2000:])
    return dict(json.loads(done.stdout))


def run_parcel(data: bytes) -> dict[str, Any]:
    """The result of a parcel: its "run", as ObservedRun.to_json gives it, or why it "cannot" be run."""
    parcel: Parcel = pickle.loads(data)
    if parcel.grader != package_digest():
        return {"cannot": "It has another version of the course: install the same one everywhere."}
    folder = make_scratch("submission")
    try:
        kind = choose_kind(parcel.sandbox, otherwise="auto")
        _unpack(parcel.files, folder)
        notebook, seconds = nbformat.reads(parcel.notebook, as_version=4), parcel.cell_seconds
        run = supervise(notebook, parcel.checks, folder, cell_seconds=seconds, sandbox=kind)
        return {"run": run.to_json()}
    except SetupError as problem:
        return {"cannot": str(problem)}
    finally:
        remove_scratch(folder)


def _first_line(error: Exception) -> str:
    """What Java says about an error, without its stack."""
    java = getattr(error, "java_exception", None)
    return str(java.toString() if java is not None else error).splitlines()[0][:500]


def _last_line(error: Exception) -> str:
    """What Python's worker said last, else what Java says."""
    said = [line.strip() for line in str(error).splitlines()]
    words = [line for line in said if re.match(r"[A-Za-z_.]+(Error|Exception): ", line)]
    return words[-1][:500] if words else _first_line(error)


def _packed(folder: Path) -> bytes:
    """The folders, files and links of a submission, as they are."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as files:
        for path in sorted(folder.rglob("*")):
            if path.is_symlink() or path.is_dir() or path.is_file():
                files.add(path, path.relative_to(folder), recursive=False)
    return data.getvalue()


def _unpack(data: bytes, folder: Path) -> None:
    """Links may point to anywhere, as in what was handed in: only the sandbox follows them."""
    with tarfile.open(fileobj=io.BytesIO(data)) as files:
        for member in files:
            if Path(member.name).is_absolute() or ".." in Path(member.name).parts:
                raise ValueError(f"a file outside of the submission: {member.name}")
        files.extraction_filter = lambda member, _: member  # Python before 3.11.4 has none
        files.extractall(folder)


@contextmanager
def _master(master: str) -> Iterator[None]:
    """GRADER_SPARK_MASTER for a moment: hidden events are worked out on this machine all the same."""
    before = os.environ.get(MASTER)
    os.environ[MASTER] = master
    try:
        yield
    finally:
        del os.environ[MASTER]
        if before is not None:
            os.environ[MASTER] = before


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # it ends with the task
    print(json.dumps(run_parcel(sys.stdin.buffer.read())))
