"""The untrusted side of a check: `python -m grader.sandbox.runner FOLDER`.

The runner is a separate process that runs a learner's cells and plays exercises on orders; check_job.py
describes what it reads and writes. The runner knows no expected result and judges nothing. So the worst that
a notebook can do here is to spoil its own recording. The runner starts the lab, waits for its job, and takes
only one. It ends when its standard input closes, that is with its supervisor, however that ends.
"""

from __future__ import annotations

import atexit
import builtins
import contextlib
import getpass
import json
import os
import queue
import signal
import sys
import threading
import traceback
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grader
from grader.errors import SetupError
from grader.learner import notebook_lab
from grader.replay.given_query import subject_of
from grader.replay.replay import replay
from grader.replay.time_limit import TimeLimit, time_limit
from grader.runtime.broker import lease_broker
from grader.runtime.spark_internals.java_gateway import drop_connection
from grader.runtime.spark_session import spark_session
from grader.sandbox import check_job
from grader.sandbox.cell_shell import RunnerShell, make_shell
from grader.sandbox.check_job import EVENTS_FILE, JOB_FILE, Job, Task, recordings_file, variant_of
from grader.sandbox.lab_watch import LabWatch
from grader.sandbox.noted_predictions import MOST_CHARACTERS
from grader.scenario.recording import Failure, Recording

# verbs that show, measure or judge: there is no reader here, and the supervisor's side judges
QUIET_VERBS = (
    *("check", "drill", "explore", "hint", "lens"),
    *("measure_latency", "measure_state", "progress", "why"),
)
NOTED_VERB = "predict"  # its answers are noted, as strings, and nothing is shown
STOP_SECONDS = 20


class Events:
    """The file in which the runner says what it does, one JSON object per line."""

    def __init__(self, path: Path):
        self._file = open(path, "a", encoding="utf-8")  # noqa: SIM115 (open as long as the process)

    def notify(self, event: str, **more: Any) -> None:
        self._file.write(json.dumps({"event": event, **more}, default=str) + "\n")
        self._file.flush()


class Orders:
    """Orders from the supervisor. The end of its input is the end of this process."""

    def __init__(self, descriptor: int):
        self._queue: queue.Queue[dict[str, Any]] = queue.Queue()
        threading.Thread(target=self._read, args=(descriptor,), daemon=True).start()

    def next(self) -> dict[str, Any]:
        return self._queue.get()

    def _read(self, descriptor: int) -> None:
        with open(descriptor, encoding="utf-8") as lines:
            for line in lines:
                self._queue.put(json.loads(line))
        os._exit(1)


def main() -> None:
    """Run the job that comes into the folder that the command line names."""
    folder = Path(sys.argv[1]).absolute()
    events = Events(folder / EVENTS_FILE)
    orders = Orders(os.dup(0))
    _point(0, os.O_RDONLY)  # a cell that asks for input gets none
    try:
        start_lab()
    except Exception as error:
        said = str(error) if isinstance(error, SetupError) else traceback.format_exc()
        events.notify("setup_failed", message=said)
        return
    for verb in QUIET_VERBS:
        setattr(grader, verb, lambda *_args, **_kwargs: None)
    setattr(grader, NOTED_VERB, noting(events))
    builtins.input = getpass.getpass = no_input
    events.notify("ready")
    # what goes past Python's streams may be endless
    _point(1, os.O_WRONLY)
    _point(2, os.O_WRONLY)
    orders.next()
    job = Job.read(folder / JOB_FILE)
    if job.handed_in is not None:
        check_job.copy_files(job.handed_in, job.folder)
    os.chdir(job.folder)
    sys.path.insert(0, "")
    Run(job, folder, events, orders, make_shell(), LabWatch(notebook_lab.start())).run()
    events.notify("done")


def noting(events: Events) -> Callable[..., None]:
    """`predict` as it is here: it notes what was answered."""

    def predict(exercise: str, *_unnamed: Any, **answers: Any) -> None:
        noted = {name: str(answer)[:MOST_CHARACTERS] for name, answer in answers.items()}
        events.notify("predicted", exercise=str(exercise), answers=noted)

    return predict


def no_input(*_: object, **__: object) -> str:
    """`input` as it is here."""
    raise EOFError("input() has no answer here. Fix: write the value into the cell.")


def start_lab() -> None:
    """Start broker and Spark, side by side as each takes seconds."""
    with ThreadPoolExecutor(1) as pool:
        leased = pool.submit(lease_broker)
        spark_session()
        with leased.result():
            notebook_lab.start()


@dataclass
class Run:
    """One pass through a notebook: cells in order, every exercise where its check is."""

    job: Job
    folder: Path
    events: Events
    orders: Orders
    shell: RunnerShell
    watch: LabWatch

    def run(self) -> None:
        cells = {cell.index: cell.source for cell in self.job.cells}
        tasks: dict[int, list[Task]] = defaultdict(list)
        for task in self.job.tasks:
            if task.at is not None:
                tasks[task.at].append(task)
        later = [task for task in self.job.tasks if task.at is None]
        for index in sorted({*cells, *tasks}):
            if index in cells:
                self.run_cell(index, cells[index])
            for task in tasks.get(index, []):
                if self.answer_of(task) is None:
                    later.append(task)  # it may be further down
                else:
                    self.play(task)
        for task in later:
            self.play(task)

    def run_cell(self, index: int, source: str) -> None:
        """Run a cell under its time limit and report how it ended and what it showed."""
        self.events.notify("cell", cell=index)
        before = {str(query.id) for query in _active_queries()}
        error: BaseException | None = None
        outputs: list[dict[str, Any]] = []
        try:
            with time_limit(self.job.cell_seconds):
                error, outputs = self.shell.run(source)
        except TimeLimit as late:
            error = late
            signal.setitimer(signal.ITIMER_REAL, 0)  # it may have rung while it was being stopped
        if isinstance(error, TimeLimit):
            self.free_session(before)
        how, message = _ending(error)
        count = self.shell.execution_count - 1
        ended = {"how": how, "message": message[:2000], "count": count, "outputs": outputs}
        self.events.notify("cell_ended", cell=index, **ended)
        self.demand_lab()

    def demand_lab(self) -> None:
        """Say what of the lab is lost, if it is: the supervisor ends this process then."""
        if loss := self.watch.loss():
            self.events.notify("lab_lost", message=loss)
            self.orders.next()  # none comes

    def free_session(self, before: set[str]) -> None:
        """Make the session usable after a cell that was interrupted: its queries end."""
        with contextlib.suppress(Exception, TimeLimit), time_limit(STOP_SECONDS):
            drop_connection(notebook_lab.start().spark)
            for query in _active_queries():
                if str(query.id) not in before:
                    query.stop()

    def answer_of(self, task: Task) -> Callable[..., Any] | None:
        found = self.shell.user_ns.get(task.exercise.answer)
        return found if callable(found) else None

    def play(self, task: Task) -> None:
        """Play an exercise as ordered, until the order to continue."""
        answer = self.answer_of(task)
        self.events.notify("exercise", exercise=task.exercise.id, found=answer is not None)
        if answer is None:
            return
        while (order := self.orders.next())["order"] == "play":
            self.events.notify("play", exercise=task.exercise.id)
            recording = self.record(task, answer, order)
            if recording.failure is not None:
                self.demand_lab()
            self.keep(task, recording)
            self.events.notify("recorded", exercise=task.exercise.id)

    def record(self, task: Task, answer: Callable[..., Any], order: dict[str, Any]) -> Recording:
        variant, exercise = variant_of(order), task.exercise
        try:
            spark = spark_session()  # a new one, should a cell have stopped it
            kafka, subject = notebook_lab.start().kafka, subject_of(task.subject)
            return replay(spark, kafka, exercise, answer, variant, subject=subject)
        except (Exception, TimeLimit) as error:
            failure = Failure(
                "query",
                f"{type(error).__name__}: {str(error)[:500]}",
                detail=traceback.format_exc()[:8000],
                fields={"broke_off": True},
            )
            steps = variant.scenario.steps
            return Recording(exercise.id, variant.name, steps, failure=failure)

    def keep(self, task: Task, recording: Recording) -> None:
        name = recordings_file(self.job.tasks.index(task))
        with open(self.folder / name, "a", encoding="utf-8") as file:
            file.write(json.dumps(recording.to_dict(), default=str) + "\n")


def _active_queries() -> list[Any]:
    try:
        return list(notebook_lab.start().spark.streams.active)
    except Exception:  # the session has been stopped
        return []


def _ending(error: BaseException | None) -> tuple[str, str]:
    """How a cell ended, and the message about it."""
    said = f"{type(error).__name__}: {error}"
    if error is None:
        return "ok", ""
    if isinstance(error, SyntaxError):
        where = f"{error.msg} (line {error.lineno}: {(error.text or '').strip()})"
        return "syntax", where if error.lineno else said
    return "timeout" if isinstance(error, TimeLimit) else "error", said


def _point(descriptor: int, mode: int) -> None:
    """Point one of the standard streams to nowhere."""
    nowhere = os.open(os.devnull, mode)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


if __name__ == "__main__":
    main()
    atexit._run_exitfuncs()  # ends Spark
    os._exit(0)  # whatever threads a notebook left running
