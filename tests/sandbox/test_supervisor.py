"""The supervisor and runners that hang or say what no notebook can (no Spark needed); more is in tests/attacks.

All of it without a sandbox and in one: the judge must not rely on it.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from testkit.shoes import HERE

from grader.errors import SetupError
from grader.judging.check_pack import PackedExercise
from grader.judging.play import Play
from grader.runtime.bubblewrap import NoBubblewrapError, find_bubblewrap
from grader.sandbox import runner_process, runner_recording, supervisor
from grader.sandbox.observed_run import ExerciseCheck, ObservedRun
from grader.sandbox.runner_process import RunnerProcess
from grader.sandbox.sandbox_files import HANDED_IN
from grader.scenario import Event, Exercise, Fact, Input, Scenario, Variant
from grader.scenario.recording import Batch, Recording

where: dict[str, str] = {}  # the sandbox of this test and the folder that is handed in


@pytest.fixture(autouse=True, params=["none", "bwrap"])
def hostile_runner(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = Path(shutil.copy(HERE / "hostile.py", tmp_path))
    if request.param == "bwrap":
        try:
            find_bubblewrap()
        except NoBubblewrapError as problem:
            pytest.skip(f"no sandbox here: {problem}")
        script = HANDED_IN / script.name
    where.update(kind=request.param, folder=str(tmp_path))
    monkeypatch.setattr(runner_process, "RUNNER", [sys.executable, "-S", str(script)])
    monkeypatch.setattr(supervisor, "CELL_GRACE", 0.5)
    monkeypatch.setattr(supervisor, "PLAY_GRACE", 0.5)
    monkeypatch.setattr(runner_process, "MAX_MEGABYTES", 4)
    monkeypatch.setattr(runner_process, "END_SECONDS", 0.5)


def exercise(number: int) -> PackedExercise:
    task = Exercise(
        id=f"99.{number}",
        title="Shoes",
        answer=f"answer_{number}",
        takes=["clicks"],
        inputs={"clicks": Input("page STRING")},
        points=2,
        criteria=["rows", "step"],
        timeout=1,
    )
    events = Scenario([Event(1, "clicks", {"page": page}) for page in ("home", "shoes")], 2)
    return PackedExercise(task, events, {"as_is": rows(task.id, "shoes")})


def rows(task: str, page: str) -> Recording:
    return Recording(
        task,
        steps=2,
        schema=[{"name": "page", "type": "string"}],
        batches=[Batch(0, 1, rows=[{"page": page}])],
    )


def hidden(packed: PackedExercise, page: str) -> Play:
    """A play on events that students have not seen; `page` is the row that should come out."""
    variant = Variant("as_is", Scenario([Event(1, "clicks", {"page": "hats"})], 2))
    return Play("hidden", variant, rows(packed.exercise.id, page), None)


def checked(*answers: str, unseen: str | None = None) -> ObservedRun:
    """Check a notebook with one exercise for each of these answers, hidden events included."""
    notebook = nbformat.v4.new_notebook()
    packed = [exercise(number) for number in range(1, len(answers) + 1)]
    for number, source in enumerate(answers, start=1):
        for grade_id, text in ((f"answer_{number}", source), (f"check-answer_{number}", "")):
            cell = nbformat.v4.new_code_cell(text)
            cell.metadata["nbgrader"] = {"grade_id": grade_id}
            notebook.cells.append(cell)
    wanted = [ExerciseCheck(p, p.plays() + ([hidden(p, unseen)] if unseen else [])) for p in packed]
    return supervisor.supervise(
        notebook, wanted, Path(where["folder"]), cell_seconds=0.5, sandbox=where["kind"]
    )


def statuses(found: ObservedRun) -> list[str]:
    return [found.verdicts[name].status for name in sorted(found.verdicts)]


def test_right_and_wrong_rows_are_judged() -> None:
    found = checked("right", "wrong")
    assert statuses(found) == ["passed", "failed"]
    assert [cell.how for cell in found.cells.values()] == ["ok", "ok"]


@pytest.mark.parametrize(
    ("unseen", "scores"), [(None, [2, 1, 0]), ("shoes", [2, 1, 0]), ("hats", [0, 0, 0])]
)
def test_rows_known_by_heart_earn_nothing_not_even_in_part(
    unseen: str | None, scores: list[float]
) -> None:
    found = checked("right", "late", "wrong", unseen=unseen)
    assert [found.verdicts[name].score for name in sorted(found.verdicts)] == scores
    names = [[c.name for c in v.criteria if not c.passed] for v in found.verdicts.values()]
    by_heart = ["hidden"] if unseen == "hats" else []
    assert names == [by_heart, ["step", *by_heart], ["rows"]]


@pytest.mark.parametrize(
    ("answer", "status"), [("give events", "passed"), ("give a billion steps", "error")]
)
def test_events_that_an_answer_gives_have_as_many_steps_as_it_gave(
    answer: str, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = Exercise(
        id="99.1",
        title="Events",
        answer="answer_1",
        takes=[],
        returns="events",
        inputs={"clicks": Input("page STRING")},
        points=2,
        facts=[
            Fact("three", "Three rows come out", "Send three.", run="rows", take="sum", equals=3)
        ],
        timeout=1,
    )
    packed = PackedExercise(task, Scenario([]), {"as_is": Recording("99.1")})
    monkeypatch.setattr(sys.modules[__name__], "exercise", lambda number: packed)
    assert statuses(checked(answer)) == [status]


@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        ("hang", "right", "passed"),
        ("exit", "right", "passed"),
        ("error", "right", "passed"),
        ("right", "hang", "timeout"),
        ("right", "wrong", "failed"),
    ],
)
def test_of_two_cells_of_an_answer_the_last_one_counts(
    first: str, second: str, status: str
) -> None:
    notebook = nbformat.v4.new_notebook()
    for grade_id, text in (("answer_1", first), ("answer_1", second), ("check-answer_1", "")):
        notebook.cells.append(nbformat.v4.new_code_cell(text))
        notebook.cells[-1].metadata["nbgrader"] = {"grade_id": grade_id}
    packed = exercise(1)
    found = supervisor.supervise(
        notebook,
        [ExerciseCheck(packed, packed.plays())],
        Path(where["folder"]),
        cell_seconds=0.5,
        sandbox=where["kind"],
    )
    assert statuses(found) == [status]


def test_an_answer_below_the_check_of_its_stub_is_played_there() -> None:
    stub = "def answer_1(clicks):\n    raise NotImplementedError"
    for cells, status in (([stub, None, "right"], "passed"), (["wrong", None, "right"], "failed")):
        notebook = nbformat.v4.new_notebook()
        for source in cells:
            name = "check-answer_1" if source is None else "answer_1"
            cell = nbformat.v4.new_code_cell(source or "")
            cell.metadata["nbgrader"] = {"grade_id": name}
            notebook.cells.append(cell)
        packed = exercise(1)
        found = supervisor.supervise(
            notebook,
            [ExerciseCheck(packed, packed.plays())],
            Path(where["folder"]),
            cell_seconds=0.5,
            sandbox=where["kind"],
        )
        assert statuses(found) == [status]


@pytest.mark.parametrize(
    ("answers", "wanted"),
    [
        (["right", "lose the lab", "right"], ["passed", "error", "passed"]),
        (["lose the lab in play", "right", "wrong"], ["error", "passed", "failed"]),
        (["lose the lab"] * 3, ["error"] * 3),
    ],
)
def test_a_lab_that_is_lost_costs_what_lost_it_and_another_one_goes_on(
    answers: list[str], wanted: list[str]
) -> None:
    found = checked(*answers)
    assert statuses(found) == wanted
    lost = [verdict.criteria[0] for verdict in found.verdicts.values() if verdict.status == "error"]
    assert {(one.name, "the lab's Kafka has ended" in one.message) for one in lost} == {
        ("crash", True)
    }


def test_half_a_sign_that_a_cell_shows_can_be_written() -> None:
    found = checked("half a sign")
    assert statuses(found) == ["passed"]
    ((shown,),) = (cell.outputs for cell in found.cells.values())
    assert shown["text"] == "?"


def test_as_many_steps_are_judged_as_are_played() -> None:
    from grader.replay.learner_events import MOST_STEPS

    assert runner_recording.MOST_STEPS == MOST_STEPS


def test_an_exception_on_hidden_events_does_not_tell_them() -> None:
    verdict = checked("fail on unseen", unseen="shoes").verdicts["99.1"]
    assert (verdict.status, verdict.score) == ("error", 0)
    assert "ValueError" in str(verdict)
    assert "hats" not in str(verdict)


def test_a_notebook_full_of_endless_cells_ends_with_its_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervisor, "ALL_CELLS_SECONDS", 1.5)
    start = RunnerProcess.start
    started: list[RunnerProcess] = []

    def counted(*given: Any, **how: Any) -> RunnerProcess:
        started.append(start(*given, **how))
        return started[-1]

    monkeypatch.setattr(RunnerProcess, "start", counted)
    found = checked(*["hang"] * 20)
    assert statuses(found) == ["timeout"] * 20
    assert 0 < len(started) < 5, "a runner for each cell that was begun"


def test_a_lab_that_does_not_start_is_nobodys_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_process, "RUNNER", [sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(SetupError, match="doctor"):
        checked("right")
