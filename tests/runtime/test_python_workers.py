"""Python workers of the driver are forked, do what Spark's own do, and leave nothing behind."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor
from testkit.lab_processes import ROOT, start_python, wait_until

from grader.authoring.proof import Bench
from grader.runtime import python_workers
from grader.runtime.python_workers import fork_workers
from grader.runtime.scratch_folders import make_scratch
from grader.runtime.setting_names import ROCKSDB_PROVIDER
from grader.runtime.worker_fork import IMPORTED, MODULES

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
WORKER = """
import sys
from grader.runtime import python_workers
from grader.runtime.python_workers import fork_workers

class Context:
    master = "local[2]"
    pythonExec = sys.executable

fork_workers(Context)
print(Context.pythonExec, python_workers._server.pid, flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def forked(bench: Bench) -> Iterator[Bench]:
    """The lab, with workers that are forked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench.spark.sparkContext, "pythonExec", sys.executable)
        fork_workers(bench.spark.sparkContext)
        yield bench


def rows_of(bench: Bench, processor: StatefulProcessor, folder: Path) -> list[Row]:
    """What a processor makes of three rows in a stream."""
    (folder / "in").mkdir()
    (folder / "in" / "rows.json").write_text('{"k": "a"}\n{"k": "b"}\n{"k": "a"}\n')
    lines: DataFrame = bench.spark.readStream.schema("k STRING").json(str(folder / "in"))
    told = lines.groupBy("k").transformWithState(processor, "said STRING", "Append", "None")
    bench.spark.conf.set(PROVIDER, ROCKSDB_PROVIDER)
    try:
        writer = told.writeStream.format("memory").queryName("told").trigger(availableNow=True)
        writer.option("checkpointLocation", str(folder / "checkpoint")).start().awaitTermination()
        return bench.spark.table("told").collect()
    finally:
        bench.spark.conf.unset(PROVIDER)


def noting(folder: Path) -> StatefulProcessor:
    """A processor that notes who makes it ready, and counts."""
    note = str(folder / "note")

    class Noting(StatefulProcessor):
        def init(self, handle):
            self.count = handle.getValueState("count", "n LONG")
            with open(note, "a") as file:
                file.write(f"{os.getppid()} {os.environ['PYTHONHASHSEED']} {hash('tea')}\n")

        def handleInputRows(self, key, rows, timers):  # noqa: N802
            yield Row(said=f"{key[0]} {len(list(rows))}")

        def close(self): ...

    return Noting()


@pytest.mark.slow
def test_the_workers_that_make_processors_ready_are_forked(forked: Bench) -> None:
    folder = make_scratch("checkpoint")
    rows = rows_of(forked, noting(folder), folder)
    assert sorted(row.said for row in rows) == ["a 2", "b 1"]
    server = python_workers._server
    assert server is not None
    first = (folder / "note").read_text().splitlines()[0].split()
    assert first[0] == str(server.pid)
    # PySpark tells its workers to give a text the same hash; a process keeps the one it began with
    asked = subprocess.run(
        [sys.executable, "-c", "print(hash('tea'))"],
        env={**os.environ, "PYTHONHASHSEED": first[1]},
        capture_output=True,
        text=True,
    )
    assert first[2] == asked.stdout.strip()


@pytest.mark.slow
def test_without_the_server_spark_starts_python_itself(forked: Bench) -> None:
    server = python_workers._server
    assert server is not None
    server.kill()
    server.wait()
    folder = make_scratch("checkpoint")
    assert len(rows_of(forked, noting(folder), folder)) == 2
    assert (folder / "note").read_text().split()[0] != str(server.pid)
    fork_workers(forked.spark.sparkContext)  # the next lab has one again
    assert python_workers._server is not server


@pytest.mark.slow
def test_an_error_in_a_worker_is_told_as_ever(forked: Bench) -> None:
    class Broken(StatefulProcessor):
        def init(self, handle):
            raise ValueError("no shelf is free")

        def handleInputRows(self, key, rows, timers):  # noqa: N802
            return iter([])

        def close(self): ...

    told = []
    for python in (forked.spark.sparkContext.pythonExec, sys.executable):
        forked.spark.sparkContext.pythonExec = python
        with pytest.raises(StreamingQueryException) as caught:
            rows_of(forked, Broken(), make_scratch("checkpoint"))
        told.append(str(caught.value).partition("exception: ")[2].partition("SQLSTATE")[0])
    assert told[0] == told[1] != ""


@pytest.fixture
def launcher() -> Iterator[str]:
    """What a process with a server has in place of Python."""
    process = start_python(WORKER)
    program, server = process.stdout.readline().split()
    yield program
    process.kill()
    process.wait()
    wait_until(lambda: not psutil.pid_exists(int(server)), "the server ends with its owner")


def test_a_worker_ends_with_what_started_it(launcher: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        calls = {"PYTHON_WORKER_FACTORY_PORT": str(listener.getsockname()[1])}
        calls["PYTHON_WORKER_FACTORY_SECRET"] = "tea"
        started = subprocess.Popen([launcher, "-m", MODULES[0]], env={**os.environ, **calls})
        connection, _ = listener.accept()  # the worker, which waits for an answer
        started.kill()
        started.wait()
        with connection:
            connection.settimeout(60)
            while connection.recv(1000):
                pass  # its secret; then it is gone


def test_a_worker_says_what_is_wrong_on_the_streams_that_it_was_given(
    launcher: str,
) -> None:
    asked = [launcher, "-m", MODULES[0]]  # nobody told it whom to call
    done = subprocess.run(asked, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback") and MODULES[0].rpartition(".")[2] in done.stderr


def test_what_is_no_worker_of_the_driver_is_run_as_it_is(launcher: str) -> None:
    asked = [launcher, "-c", "import os, sys; print(sys.executable, os.getppid())"]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()
    assert said == [sys.executable, str(os.getpid())]


def test_what_is_imported_is_not_what_is_run() -> None:
    """Python would say that a module is run which was imported before."""
    code = f"import sys, importlib\nfor name in {IMPORTED!r}: importlib.import_module(name)\n"
    code += f"print([name for name in {MODULES!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "[]", done.stderr
