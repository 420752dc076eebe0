"""The trusted side of a check: keeps the runner to its limits and judges what it leaves."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from grader.errors import SetupError
from grader.judging.judge import JudgingSession
from grader.judging.play import Play
from grader.sandbox.check_job import NEXT_ORDER, Cell, Job, Task, play_order
from grader.sandbox.notebook_cells import Places, places_of
from grader.sandbox.noted_predictions import Predicted, take_in
from grader.sandbox.observed_run import CellEnd, Checked, Seen, Trouble, Wanted, session_of
from grader.sandbox.runner_pool import Waiting
from grader.sandbox.runner_process import SPOILT, Ended, RunnerProcess
from grader.scenario import Exercise, scenario_from_lines
from grader.scenario.recording import Failure, Recording

CELL_SECONDS = 120.0
START_SECONDS = 180.0
ALL_CELLS_SECONDS = 900.0  # of a notebook, all starts of the runner together
# beyond the limit that the runner keeps itself: a query that hangs takes Spark 20 s to stop
CELL_GRACE, PLAY_GRACE = 10.0, 35.0

MOST_STEPS = 12  # of events that an answer gives, as the replay of them has it

Tell = Callable[[str], None]


def supervise(
    notebook: NotebookNode,
    wanted: list[Wanted],
    folder: Path,
    *,
    cell_seconds: float = CELL_SECONDS,
    own_broker: bool = True,
    sandbox: str = "none",
    waiting: Waiting | None = None,
    tell: Tell = lambda text: None,
) -> Checked:
    """Run a notebook in a process of its own and judge its exercises.

    `folder` is where its cells run; in a sandbox (kinds.py) they run in a copy of it. With
    `own_broker` the process shares no broker with anyone; in a sandbox it never does. It is one of those
    that are `waiting`, if there are any.
    A process that hangs or dies costs the exercise that it was at: another one is started for
    the rest. Raises SetupError if the lab itself cannot be started; nothing is judged then.
    """
    supervisor = _Supervisor(notebook, wanted, folder, cell_seconds, own_broker, sandbox)
    supervisor.waiting, supervisor.tell = waiting, tell
    return supervisor.check()


class _Supervisor:
    def __init__(
        self,
        notebook: NotebookNode,
        wanted: list[Wanted],
        folder: Path,
        cell_seconds: float,
        own_broker: bool,
        sandbox: str,
    ):
        self.notebook = notebook
        self.wanted = {w.packed.exercise.id: w for w in wanted}
        self.places = {i: places_of(notebook, w.packed.exercise) for i, w in self.wanted.items()}
        self.folder = folder
        self.cell_seconds = cell_seconds
        self.own_broker = own_broker
        self.sandbox = sandbox
        self.waiting: Waiting | None = None
        self.tell: Tell = lambda text: None
        self.predicted: Predicted = {}
        self.done = Checked(predicted=self.predicted)
        self.cells_left = ALL_CELLS_SECONDS
        self.playing: str | None = None  # the exercise that the runner is at
        self.plays: list[Play] = []  # of it, so far
        self.session: JudgingSession | None = None  # that judges them
        self.ahead: list[Play] = []  # of it, still to be played
        self.given: set[int] = set()  # the cells that the runner was given
        self.tasks: list[str] = []  # the exercises that it was given
        self.running: int | None = None  # the cell that the runner is at
        self.last: int | None = None  # the cell that it ran last

    def check(self) -> Checked:
        """Start runners until one comes to the end; each that fails adds a verdict or a lost cell."""
        began = time.monotonic()
        for _ in range(len(self.notebook.cells) + len(self.wanted) + 1):
            with self._runner() as (runner, job):
                try:
                    runner.give(job)
                    self._follow(runner)
                    break
                except Ended as ended:
                    self._blame(runner, ended)
            if self.cells_left <= 0:
                break
        for exercise in self.wanted:
            if exercise not in self.done.verdicts:
                if self.cells_left > 0:
                    self._trouble(exercise, "error", "crash", "The notebook's process skipped it.")
                else:
                    said = f"Not checked: the cells took {ALL_CELLS_SECONDS:.0f} s together."
                    self._trouble(exercise, "timeout", "timeout", said)
        self.done.seconds = time.monotonic() - began
        return self.done

    # what the runner is given

    @contextmanager
    def _runner(self) -> Iterator[tuple[RunnerProcess, Job]]:
        left = [i for i in self.wanted if i not in self.done.verdicts]
        checks = {places.check for places in self.places.values()}
        skipped = {i for i, cell in self.done.cells.items() if cell.how in ("timeout", "crash")}
        cells = [
            Cell(index, cell.source)
            for index, cell in enumerate(self.notebook.cells)
            if cell.cell_type == "code" and index not in checks and index not in skipped
        ]
        tasks = [
            Task(
                self.wanted[i].packed.exercise, self.wanted[i].packed.subject, self.places[i].check
            )
            for i in left
        ]
        self.given = {cell.index for cell in cells}
        self.tasks = left
        self.playing, self.plays, self.running, self.last = None, [], None, None
        folder = self.folder.absolute()
        runner = self.waiting.take(len(tasks), folder) if self.waiting else None
        if runner is None:
            runner = RunnerProcess.start(
                len(tasks), own_broker=self.own_broker, kind=self.sandbox, handed_in=folder
            )
        try:
            yield runner, Job(cells, tasks, str(folder), self.cell_seconds)
        finally:
            runner.end()

    # what the runner does

    def _follow(self, runner: RunnerProcess) -> None:
        self.tell("starting")
        runner.wait_for(START_SECONDS)
        for event in runner.events():
            kind = event["event"]
            if kind == "setup_failed":
                raise SetupError(event["message"])
            if kind == "ready":
                runner.wait_for(self.cell_seconds + CELL_GRACE)
            elif kind == "cell":
                self._begin_cell(runner, event["cell"])
            elif kind == "predicted":
                take_in(self.predicted, event["exercise"], event["answers"])
            elif kind == "cell_ended":
                self._end_cell(runner, event)
            elif kind == "exercise":
                self._begin_exercise(runner, event["exercise"], event["found"])
            elif kind == "recorded":
                if self.playing is None or event["exercise"] != self.playing:
                    raise Ended(False, SPOILT)
                task = self.tasks.index(self.playing)
                self._next_play(runner, runner.recording(task, len(self.plays)))
            elif kind == "done":
                return

    def _begin_cell(self, runner: RunnerProcess, index: int) -> None:
        if index not in self.given:
            raise Ended(False, SPOILT)
        self.running = index
        self.tell(f"cell {index + 1} of {len(self.notebook.cells)}")
        runner.wait_for(min(self.cell_seconds + CELL_GRACE, self.cells_left))

    def _end_cell(self, runner: RunnerProcess, event: dict[str, Any]) -> None:
        index = self.running
        if index is None:
            raise Ended(False, SPOILT)
        self.cells_left -= runner.waited()
        self.done.cells[index] = CellEnd(
            event["how"], event["message"], event["outputs"], event["count"]
        )
        self.running, self.last = None, index
        runner.wait_for(self.cell_seconds + CELL_GRACE)

    def _begin_exercise(self, runner: RunnerProcess, exercise: str, found: bool) -> None:
        if exercise not in self.wanted or exercise in self.done.verdicts:
            raise Ended(False, SPOILT)
        broken = self._broken_answer(self.places[exercise], found)
        if broken is not None:
            index, cell = broken
            self._cell_trouble(exercise, index, cell)
        elif not found:
            self._fail(exercise, Failure("not_attempted"))
        else:
            self.playing, self.plays = exercise, []
            self.session = session_of(self.wanted[exercise])
            self.ahead = list(self.wanted[exercise].plays)
            self._order_play(runner)
            return
        self._go_on(runner, ordered=found)

    def _go_on(self, runner: RunnerProcess, *, ordered: bool = True) -> None:
        if ordered:
            runner.order(NEXT_ORDER)
        runner.wait_for(self.cell_seconds + CELL_GRACE)

    def _order_play(self, runner: RunnerProcess) -> None:
        assert self.playing is not None
        wanted = self.wanted[self.playing]
        self.tell(f"{self.playing}: play {len(self.plays) + 1} of {len(wanted.plays)}")
        runner.order(play_order(self.ahead[0].variant))
        runner.wait_for(wanted.packed.exercise.timeout + PLAY_GRACE)

    def _next_play(self, runner: RunnerProcess, data: dict[str, Any]) -> None:
        """Take a recording, and order the next play if the judge would look at it."""
        assert self.playing is not None
        wanted = self.wanted[self.playing]
        try:
            self._take(_played(wanted.packed.exercise, self.ahead.pop(0), data))
        except Exception as error:  # whatever a hostile process may have written there
            raise Ended(False, f"its recording cannot be read ({type(error).__name__})") from error
        if self.ahead:
            self._order_play(runner)
            return
        self._judge()
        self._go_on(runner)

    # what comes of it

    def _take(self, play: Play) -> None:
        """Judge a play; what is left to be played depends on it."""
        assert self.session is not None
        self.plays.append(play)
        self.session.add(play)
        self.ahead = [play for play in self.ahead if self.session.wants(play)]

    def _judge(self) -> None:
        assert self.playing is not None and self.session is not None
        exercise = self.playing
        try:
            self.done.add(self.wanted[exercise], Seen.of(self.plays), self.session.verdict())
        except Exception as error:  # a recording that was tampered with
            said = f"The recording of the exercise cannot be judged ({type(error).__name__})."
            self._trouble(exercise, "error", "crash", said)
            return
        self.playing, self.plays = None, []
        self._tell_verdict(exercise)

    def _blame(self, runner: RunnerProcess, ended: Ended) -> None:
        """Mark what the runner was at when it ended, so that the next one leaves it out."""
        if self.playing is not None:
            exercise, wanted = self.playing, self.wanted[self.playing]
            if ended.killed and self.ahead:
                play = self.ahead[0]
                self._take(replace(play, actual=_timed_out(wanted, play)))
                self._judge()
            else:
                said = f"While the exercise was played, the notebook's process failed: {ended}."
                self._trouble(exercise, "error", "crash", said)
            return
        if self.running is not None:
            self.cells_left -= runner.waited()
        index = self.running if self.running is not None else self.last
        if index is None:  # nothing of the notebook had run
            raise SetupError(
                f"The process that runs notebooks did not get ready: {ended}.\n"
                "Run grader doctor for the mend."
            )
        shown = self.done.cells.get(index, CellEnd("")).outputs
        self.done.cells[index] = CellEnd("timeout" if ended.killed else "crash", str(ended), shown)

    def _broken_answer(self, places: Places, found: bool) -> tuple[int, CellEnd] | None:
        """The cell that spoils an answer, if one does: it hung or died, or it left no function.

        Of several cells of one answer the last counts: a function that it left is what stands.
        """
        for index in reversed(places.answers):
            cell = self.done.cells.get(index)
            if cell is None:
                continue
            if cell.how != "ok" and (cell.how in ("timeout", "crash") or not found):
                return index, cell
            if cell.how == "ok" and found:
                return None
        return None

    def _cell_trouble(self, exercise: str, index: int, cell: CellEnd) -> None:
        packed = self.wanted[exercise].packed
        where = f"cell {index + 1}"
        if cell.how == "syntax":
            self._fail(exercise, Failure("syntax", cell.message))
        elif cell.how == "timeout":
            said = (
                f"The cell of the answer ({where}) did not come to an end within "
                f"{self.cell_seconds:.0f} s. Look for a loop or for `awaitTermination()`: "
                f"the function is to return the query, the check runs it."
            )
            self._trouble(exercise, "timeout", "timeout", said)
        elif cell.how == "crash":
            said = f"The cell of the answer ({where}) ended the notebook's process: {cell.message}."
            self._trouble(exercise, "error", "crash", said)
        else:
            said = (
                f"The cell of the answer ({where}) raised an exception before the function "
                f"`{packed.exercise.answer}` was there: {cell.message}"
            )
            self._trouble(exercise, "error", "cell", said)

    def _fail(self, exercise: str, failure: Failure) -> None:
        self.done.add(self.wanted[exercise], Seen(failure=failure))
        self._tell_verdict(exercise)

    def _trouble(self, exercise: str, status: str, name: str, message: str) -> None:
        self.done.add(self.wanted[exercise], Seen(trouble=Trouble(status, name, message)))
        self.playing, self.plays = None, []
        self._tell_verdict(exercise)

    def _tell_verdict(self, exercise: str) -> None:
        verdict = self.done.verdicts[exercise]
        self.tell(
            f"{exercise}: {verdict.status.replace('_', ' ')}, "
            f"{verdict.score:g} of {verdict.max_score:g} points"
        )


def _timed_out(wanted: Wanted, play: Play) -> Recording:
    """The recording of a play that had to be killed."""
    exercise = wanted.packed.exercise
    failure = Failure("timeout", fields={"seconds": exercise.timeout})
    return Recording(
        exercise.id,
        play.variant.name,
        play.variant.scenario.steps,
        failure=failure,
        seconds=exercise.timeout,
    )


def _steps(exercise: Exercise, play: Play, recording: Recording) -> int:
    """How many steps a play has: as ordered, or as the events have that an answer gave."""
    if exercise.has_scenario or recording.given is None:
        recording.given = None
        return play.variant.scenario.steps
    steps = scenario_from_lines(recording.given).steps
    if steps > MOST_STEPS:
        raise ValueError(f"{steps} steps were given")
    return steps


def _played(exercise: Exercise, play: Play, data: dict[str, Any]) -> Play:
    """The play with its recording; what the supervisor knows itself is not taken from there.

    What an exception says may hold hidden events, so of those only the kind is kept.
    """
    recording = Recording.from_dict(data)
    recording.variant = play.variant.name
    recording.steps = _steps(exercise, play, recording)
    recording.seconds = float(recording.seconds)
    for batch in recording.batches:
        batch.rows = [dict(row) for row in batch.rows]
    if play.hidden and recording.failure:
        kind = re.match(r"[A-Za-z]{1,40}(Error|Exception)\b", recording.failure.message)
        message = kind.group() if kind else ""
        recording.failure = replace(
            recording.failure, message=message, detail="", fields={"hidden": True}
        )
    return replace(play, actual=recording)
