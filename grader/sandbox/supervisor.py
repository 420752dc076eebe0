"""The trusted side of a check: enforces the runner's limits and judges what it leaves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from grader.errors import SetupError
from grader.judging.judge import JudgingSession
from grader.judging.play import Play
from grader.judging.verdict import Verdict
from grader.sandbox.answer_candidates import candidates
from grader.sandbox.answer_cells import spoilt_answer, spoilt_by
from grader.sandbox.check_job import NEXT_ORDER, Cell, Job, Task, play_order
from grader.sandbox.notebook_cells import places_of
from grader.sandbox.noted_predictions import Predicted, take_in
from grader.sandbox.observed_run import (
    CellResult,
    ExerciseCheck,
    Observation,
    ObservedRun,
    Trouble,
    session_of,
)
from grader.sandbox.runner_answers import SPOILT, RunnerEnded
from grader.sandbox.runner_pool import RunnerPool
from grader.sandbox.runner_process import RunnerProcess
from grader.sandbox.runner_recording import played, timed_out

CELL_SECONDS = 120.0
START_SECONDS = 180.0
ALL_CELLS_SECONDS = 900.0  # of a notebook, all starts of the runner together
# beyond the limit that the runner keeps itself: a query that hangs takes Spark 20 s to stop
CELL_GRACE, PLAY_GRACE = 10.0, 35.0

MOST_CHARACTERS = 200  # of what a runner says about its end

Notify = Callable[[str], None]


def supervise(
    notebook: NotebookNode,
    checks: list[ExerciseCheck],
    folder: Path,
    *,
    cell_seconds: float = CELL_SECONDS,
    own_broker: bool = True,
    sandbox: str = "none",
    pool: RunnerPool | None = None,
    notify: Notify = lambda text: None,
) -> ObservedRun:
    """Run a notebook in its own process and judge its exercises.

    `folder` is where its cells run; in a sandbox (sandbox_kinds.py) they run in a copy of it. With
    `own_broker` the process does not share its broker; in a sandbox it never does. The process comes from
    the `pool`, if one waits there. If a process hangs or dies, the exercise that it was at is lost: a new
    process is started for the rest. Raises SetupError if the lab itself cannot be started; nothing is
    judged then.
    """
    folder, by_id = folder.absolute(), {check.packed.exercise.id: check for check in checks}

    def start(tasks: int) -> RunnerProcess:
        runner = pool.take(tasks, folder) if pool else None
        return runner or RunnerProcess.start(
            tasks, own_broker=own_broker, kind=sandbox, handed_in=folder
        )

    left = ALL_CELLS_SECONDS
    return _Supervisor(notebook, by_id, folder, cell_seconds, notify, left).check(start)


@dataclass
class _Supervisor:
    notebook: NotebookNode
    checks: dict[str, ExerciseCheck]
    folder: Path
    cell_seconds: float
    notify: Notify
    cells_left: float
    predicted: Predicted = field(default_factory=dict)
    playing: str | None = None  # the exercise that the runner is at
    plays: list[Play] = field(default_factory=list)  # of it, so far
    session: JudgingSession | None = None  # that judges them
    ahead: list[Play] = field(default_factory=list)  # of it, still to be played
    given: set[int] = field(default_factory=set)  # the cells that the runner was given
    tasks: list[str] = field(default_factory=list)  # the exercises that it was given
    running: int | None = None  # the cell that the runner is at
    last: int | None = None  # the cell that it ran last

    def __post_init__(self) -> None:
        exercises = {id: check.packed.exercise for id, check in self.checks.items()}
        self.places = {id: places_of(self.notebook, one) for id, one in exercises.items()}
        self.done = ObservedRun(predicted=self.predicted)

    def check(self, start: Callable[[int], RunnerProcess]) -> ObservedRun:
        """Start runners until one comes to the end; each that fails adds a verdict or a lost cell."""
        began = time.monotonic()
        for _ in range(len(self.notebook.cells) + len(self.checks) + 1):
            with self._runner(start) as (runner, job):
                try:
                    runner.give(job)
                    self._follow(runner)
                    break
                except RunnerEnded as ended:
                    self._blame(runner, ended)
            if self.cells_left <= 0:
                break
        for exercise in self._left():
            if self.cells_left > 0:
                self._trouble(exercise, "error", "crash", "The notebook's process skipped it.")
            else:
                said = f"Not checked: the cells took {ALL_CELLS_SECONDS:.0f} s together."
                self._trouble(exercise, "timeout", "timeout", said)
        self.done.seconds = time.monotonic() - began
        return self.done

    def _left(self) -> list[str]:
        return [exercise for exercise in self.checks if exercise not in self.done.verdicts]

    # what the runner is given

    @contextmanager
    def _runner(self, start: Callable[[int], RunnerProcess]) -> Iterator[tuple[RunnerProcess, Job]]:
        self.tasks = self._left()
        checks = {places.check for places in self.places.values()}
        skipped = {i for i, cell in self.done.cells.items() if cell.how in ("timeout", "crash")}
        cells = [
            Cell(index, cell.source)
            for index, cell in enumerate(self.notebook.cells)
            if cell.cell_type == "code" and index not in checks and index not in skipped
        ]
        packed = [self.checks[i].packed for i in self.tasks]
        places = [self.places[one.exercise.id].played for one in packed]
        tasks = [Task(x.exercise, x.subject, at) for x, at in zip(packed, places, strict=True)]
        self.given = {cell.index for cell in cells}
        self.playing, self.plays, self.running, self.last = None, [], None, None
        runner = start(len(tasks))
        try:
            yield runner, Job(cells, tasks, str(self.folder), self.cell_seconds)
        finally:
            runner.end()

    # what the runner does

    def _follow(self, runner: RunnerProcess) -> None:
        self.notify("starting")
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
                    raise RunnerEnded(False, SPOILT)
                task = self.tasks.index(self.playing)
                self._next_play(runner, runner.recording(task, len(self.plays)))
            elif kind == "lab_lost":
                raise RunnerEnded(False, event["message"][:MOST_CHARACTERS])
            elif kind == "done":
                return

    def _begin_cell(self, runner: RunnerProcess, index: int) -> None:
        if index not in self.given:
            raise RunnerEnded(False, SPOILT)
        self.running = index
        self.notify(f"cell {index + 1} of {len(self.notebook.cells)}")
        runner.wait_for(min(self.cell_seconds + CELL_GRACE, self.cells_left))

    def _end_cell(self, runner: RunnerProcess, event: dict[str, Any]) -> None:
        index = self.running
        if index is None:
            raise RunnerEnded(False, SPOILT)
        self.cells_left -= runner.waited()
        values = (event[name] for name in ("how", "message", "outputs", "count"))
        self.done.cells[index] = CellResult(*values)
        self.running, self.last = None, index
        runner.wait_for(self.cell_seconds + CELL_GRACE)

    def _begin_exercise(self, runner: RunnerProcess, exercise: str, found: bool) -> None:
        if exercise not in self.checks or exercise in self.done.verdicts:
            raise RunnerEnded(False, SPOILT)
        spoilt = spoilt_by(self.places[exercise], self.done.cells, found)
        if spoilt is not None:
            answer = self.checks[exercise].packed.exercise.answer
            self._note(exercise, spoilt_answer(answer, *spoilt, self.cell_seconds))
        elif not found:
            self._trouble(exercise, "not_attempted", "not_attempted", self._absence(exercise))
        else:
            self.playing, self.plays = exercise, []
            self.session = session_of(self.checks[exercise])
            self.ahead = list(self.checks[exercise].plays)
            self._order_play(runner)
            return
        self._go_on(runner, waits=found)

    def _absence(self, exercise: str) -> str:
        """Why an exercise has no function: what its notebook has in its place."""
        packed = [check.packed for check in self.checks.values()]
        answer = self.checks[exercise].packed.exercise.answer
        found = candidates(self.notebook, packed)[exercise]
        said = f"The notebook defines no function `{answer}`"
        if not found:
            return f"{said}."
        fix = f" Fix: {found[0].fix}." if found[0].fix else ""
        return f"{said}: {found[0].said}.{fix}"

    def _go_on(self, runner: RunnerProcess, *, waits: bool = True) -> None:
        """Let the runner continue with the next cell; it waits for that only if it has an answer to play."""
        if waits:
            runner.order(NEXT_ORDER)
        runner.wait_for(self.cell_seconds + CELL_GRACE)

    def _order_play(self, runner: RunnerProcess) -> None:
        assert self.playing is not None
        check = self.checks[self.playing]
        self.notify(f"{self.playing}: play {len(self.plays) + 1} of {len(check.plays)}")
        runner.order(play_order(self.ahead[0].variant))
        runner.wait_for(check.packed.exercise.timeout + PLAY_GRACE)

    def _next_play(self, runner: RunnerProcess, data: dict[str, Any]) -> None:
        """Take a recording, and order the next play if the judge would look at it."""
        assert self.playing is not None
        exercise = self.checks[self.playing].packed.exercise
        try:
            self._take(played(exercise, self.ahead.pop(0), data))
        except Exception as error:  # whatever a hostile process may have written there
            said = f"its recording cannot be read ({type(error).__name__})"
            raise RunnerEnded(False, said) from error
        if self.ahead:
            self._order_play(runner)
            return
        self._judge(self.playing)
        self._go_on(runner)

    # what comes of it

    def _take(self, play: Play) -> None:
        """Judge a play; what is left to be played depends on it."""
        assert self.session is not None
        self.plays.append(play)
        self.session.add(play)
        self.ahead = [play for play in self.ahead if self.session.wants(play)]

    def _judge(self, exercise: str) -> None:
        assert self.session is not None
        try:
            self._note(exercise, Observation.of(self.plays), self.session.verdict())
        except Exception as error:  # a recording that was tampered with
            said = f"The recording of the exercise cannot be judged ({type(error).__name__})."
            self._trouble(exercise, "error", "crash", said)

    def _blame(self, runner: RunnerProcess, ended: RunnerEnded) -> None:
        """Mark what the runner was at when it ended, so that the next one leaves it out."""
        if self.playing is not None:
            if ended.killed and self.ahead:
                exercise = self.checks[self.playing].packed.exercise
                self._take(timed_out(exercise, self.ahead[0]))
                self._judge(self.playing)
            else:
                said = f"While the exercise was played, the notebook's process failed: {ended}."
                self._trouble(self.playing, "error", "crash", said)
            return
        if self.running is not None:
            self.cells_left -= runner.waited()
        index = self.running if self.running is not None else self.last
        if index is None:  # nothing of the notebook had run
            raise SetupError(
                f"The process that runs notebooks did not get ready: {ended}.\n"
                "Run grader doctor for the fix."
            )
        shown = self.done.cells.get(index, CellResult("")).outputs
        how = "timeout" if ended.killed else "crash"
        self.done.cells[index] = CellResult(how, str(ended), shown)

    def _trouble(self, exercise: str, status: str, name: str, message: str) -> None:
        self._note(exercise, Observation(trouble=Trouble(status, name, message)))

    def _note(self, exercise: str, seen: Observation, judged: Verdict | None = None) -> None:
        """Take in what was seen of an exercise and its verdict; the exercise is over with that."""
        verdict = self.done.add(self.checks[exercise], seen, judged)
        self.playing, self.plays = None, []
        self.notify(
            f"{exercise}: {verdict.status.replace('_', ' ')}, "
            f"{verdict.score:g} of {verdict.max_score:g} points"
        )
