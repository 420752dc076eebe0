"""No zero that may not be the answer's: whom a teacher is pointed to, and to which cell. No Spark needed."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from testkit.wild_notebooks import (
    ANSWER,
    CHECK,
    LESSON,
    RIGHT,
    STUB,
    WILD,
    Wild,
    answer,
    both,
    edited,
    graded,
    insert,
    released,
)

from grader.classroom.person_reasons import GradedNotebook
from grader.judging.verdict import Criterion, Verdict
from grader.sandbox.answer_code import definitions
from grader.sandbox.notebook_cells import places_of, turn_answers_back
from grader.sandbox.observed_run import CellResult, Observation, ObservedRun
from grader.scenario.recording import Failure, Recording

OTHERS = {"00.2": "passed", "00.3": "passed"}


def run_of(statuses: dict[str, str], criterion: str = "rows", said: str = "") -> ObservedRun:
    """A run with these statuses; what is not passed failed by this criterion."""
    verdicts = {
        id: Verdict(
            id, status, 2.0 * (status == "passed"), 2.0,
            [] if status == "passed" else [Criterion(criterion, False, said)],
        )
        for id, status in statuses.items()
    }  # fmt: skip
    return ObservedRun(verdicts)


def reasons(folder: Path, notebook: NotebookNode, run: ObservedRun) -> list[tuple[str | None, str]]:
    made = GradedNotebook(notebook, released(), graded(), folder, frozenset(), run)
    return [(one.exercise, one.why) for one in made.reasons()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "ada" / LESSON
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    "wild", [one for one in WILD if one.status != "found"], ids=lambda wild: wild.name
)
def test_what_could_be_an_answer_is_never_a_silent_zero(wild: Wild, folder: Path) -> None:
    run = run_of({"00.1": "not_attempted", **OTHERS})
    notebook = edited(wild.edit)
    turn_answers_back(notebook, [packed.exercise for packed in graded()])  # as before each run
    found = reasons(folder, notebook, run)
    if not wild.flag:
        assert not found
        return
    ((exercise, why),) = found
    assert exercise == "00.1" and why.startswith("not attempted, but cell ") and wild.flag in why


@pytest.mark.parametrize(
    "wild", [one for one in WILD if one.status == "found"], ids=lambda w: w.name
)
def test_an_answer_that_passed_needs_nobody(wild: Wild, folder: Path) -> None:
    assert not reasons(folder, edited(wild.edit), run_of({"00.1": "passed", **OTHERS}))


def test_the_answer_to_the_next_exercise_is_no_candidate(folder: Path) -> None:
    notebook = released()
    cell = notebook.cells[places_of(notebook, graded()[1].exercise).answers[0]]
    name = graded()[1].exercise.answer
    cell.source = f"def {name}(clicks):\n    one = clicks\n    two = one\n    return two"
    assert not reasons(folder, notebook, run_of({"00.1": "not_attempted", **OTHERS}))


@pytest.mark.parametrize(
    ("source", "output", "said"),
    [
        (
            f"{RIGHT}\ngrader.check('00.1', checkout_clicks)",
            "",
            "its check, which grading restores",
        ),
        ("grader.check('00.1', lambda clicks: clicks)", "", "held other code"),
        ("", "✓ 00.1 Busy pages: passed (2 of 2 points, 1.0 s)", "says that it was passed"),
        ("", "✗ 00.1 Busy pages: not passed (0 of 2 points, 1.0 s)", ""),
    ],
)
def test_what_grading_does_not_see_of_a_check_is_shown(
    source: str, output: str, said: str, folder: Path
) -> None:
    notebook = released()
    if source:
        notebook.cells[CHECK].source = source
    shown = nbformat.v4.new_output("display_data", data={"text/plain": output})
    notebook.cells[CHECK].outputs = [shown]
    nbformat.write(notebook, folder / f"{LESSON}.ipynb")
    found = reasons(folder, released(), run_of({"00.1": "not_attempted", **OTHERS}))
    assert bool(found) is bool(said)
    assert not said or said in found[0][1]


def _undefined(name: str) -> ObservedRun:
    """A run in which the answer to 00.1 did not find a name."""
    run = run_of({"00.1": "error", **OTHERS}, "query", "It failed.")
    failure = Failure("call", f"NameError: name '{name}' is not defined")
    run.observations["00.1"] = Observation({"as_is": Recording("00.1", failure=failure)})
    return run


def test_a_name_that_another_cell_defines_is_shown_with_that_cell(folder: Path) -> None:
    notebook, run = edited(insert(CHECK + 1, "def helper(x):\n    return x")), _undefined("helper")
    ((_, why),) = reasons(folder, notebook, run)
    assert why == f"its answer uses `helper`, which cell {CHECK + 2} defines, below the check"
    notebook = edited(insert(1, "import nothing\nhelper = 1"))
    run.cells = {1: CellResult("error", "ModuleNotFoundError: No module named 'nothing'")}
    ((_, why),) = reasons(folder, notebook, run)
    assert "which cell 2 defines, and that cell failed: ModuleNotFoundError" in why
    assert not reasons(folder, released(), _undefined("helper"))


def test_a_given_import_that_is_gone_is_shown(folder: Path) -> None:
    notebook = released()
    name = next(
        one.name
        for cell in notebook.cells
        if cell.cell_type == "code" and "import" in cell.source
        for one in definitions(cell.source)
    )
    notebook.cells = [c for c in notebook.cells if "import" not in c.source]
    ((_, why),) = reasons(folder, notebook, _undefined(name))
    assert why == f"its answer uses the given `{name}`, which is gone"


def test_the_rest_of_an_answer_in_the_next_cell_is_shown(folder: Path) -> None:
    notebook = edited(
        both(answer(RIGHT.split("\n")[0] + "\n    x = 1"), insert(CHECK, "    return x"))
    )
    run = run_of({"00.1": "failed", **OTHERS})
    run.cells = {CHECK: CellResult("syntax", "'return' outside function")}
    ((_, why),) = reasons(folder, notebook, run)
    assert why.startswith(f"not passed, and cell {CHECK + 1} below its answer is no Python")


def _notebook(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(edited(answer(RIGHT)), path)


def _archive(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr("x", "y")


@pytest.mark.parametrize(
    ("name", "make", "flagged"),
    [
        (f"{LESSON} (1).ipynb", _notebook, True),
        (f"{LESSON}-Copy1.ipynb", _notebook, True),
        (f"Copy of {LESSON}.ipynb", _notebook, True),
        ("Untitled.ipynb", _notebook, True),
        (f"{LESSON}/{LESSON}.ipynb", _notebook, True),
        (f".ipynb_checkpoints/{LESSON}-checkpoint.ipynb", _notebook, True),
        ("answers.py", lambda path: path.write_text(RIGHT), True),
        ("checkout.PY", lambda path: path.write_text(f"x = 1\n{RIGHT}"), True),
        ("solution.zip", _archive, True),
        ("solution.tar.gz", lambda path: path.write_bytes(b"\x1f\x8b"), True),
        ("my answers.txt", lambda path: path.write_text(RIGHT), True),
        ("answers.md", lambda path: path.write_text(f"Mine:\n```python\n{RIGHT}\n```\n"), True),
        (f"{LESSON}.ipynb.txt", _notebook, True),
        ("damaged.ipynb", lambda path: path.write_text("{"), False),
        ("notes.txt", lambda path: path.write_text("nothing"), False),
        ("stub.py", lambda path: path.write_text(STUB), False),
    ],
)  # fmt: skip
def test_a_stub_beside_a_solved_copy_is_shown_to_a_person(
    name: str, make: Callable[[Path], None], flagged: bool, folder: Path
) -> None:
    make(folder / name)
    run = run_of(dict.fromkeys(("00.1", *OTHERS), "not_attempted"))
    found = reasons(folder, released(), run)
    assert ("00.1" in {exercise for exercise, _ in found}) is flagged
    assert not flagged or Path(name).name in found[0][1]


@pytest.mark.parametrize(
    ("status", "criterion", "said", "flagged"),
    [
        ("timeout", "timeout", "It took long.", "it ran out of time: It took long."),
        ("error", "crash", "While it was played, it failed: the lab's Kafka has ended.", "Kafka"),
        ("error", "machine", "Not graded: this machine is the cause. Python.", "Not graded"),
        ("error", "cell", "The cell raised EOFError: input() has no answer here.", "input()"),
        ("error", "syntax", "The cell is no Python.", "no Python"),
        ("failed", "rows", "5 of 6 rows.", ""),
        ("error", "plan", "NameError: name 'F' is not defined", ""),
    ],
)
def test_what_went_wrong_elsewhere_than_in_the_answer_is_shown(
    status: str, criterion: str, said: str, flagged: str, folder: Path
) -> None:
    run = run_of({"00.1": status, **OTHERS}, criterion, said)
    found = reasons(folder, edited(answer(RIGHT)), run)
    assert [exercise for exercise, _ in found] == (["00.1"] if flagged else [])
    assert not flagged or flagged in found[0][1]


@pytest.mark.parametrize(
    ("message", "flagged"),
    [
        ("ModuleNotFoundError: No module named 'matplotlib'", True),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'prices.csv'", True),
        ("[PATH_NOT_FOUND] Path does not exist: file:/data/prices.csv", True),
        ("OSError: [Errno 28] No space left on device", True),
        ("Timed out waiting for a node assignment. Call: describeTopics", True),
        ("java.lang.OutOfMemoryError: Java heap space", True),
        ("java.lang.OutOfMemoryError: unable to create native thread", True),
        ("requests.exceptions.ConnectionError: Max retries exceeded", True),
        ("socket.gaierror: [Errno -3] Temporary failure in name resolution", True),
        ("EOFError: input() has no answer here.", True),
        ("OSError: [Errno 24] Too many open files", True),
        ("bdb.BdbQuit: ", True),
        ("ZeroDivisionError: division by zero", False),
        ("[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column cannot be resolved.", False),
    ],
)
def test_an_error_of_the_surroundings_is_shown(message: str, flagged: bool, folder: Path) -> None:
    run = run_of({"00.1": "error", **OTHERS}, "query", "It failed.")
    failed = Recording("00.1", failure=Failure("query", message))
    run.observations["00.1"] = Observation({"as_is": failed})
    found = reasons(folder, edited(answer(RIGHT)), run)
    assert bool(found) is flagged
    assert not flagged or "may be the fault of where it ran" in found[0][1]


def test_a_submission_without_a_point_is_shown_with_the_cells_of_its_answers(folder: Path) -> None:
    run = run_of({"00.1": "failed", "00.2": "not_attempted", "00.3": "not_attempted"})
    ((exercise, why),) = reasons(folder, edited(answer(RIGHT)), run)
    assert (
        exercise is None and why.startswith("no points at all") and f"cells: {ANSWER + 1})" in why
    )


def test_another_answer_below_the_check_of_a_wrong_one_is_shown(folder: Path) -> None:
    wrong = answer("def checkout_clicks(clicks):\n    return clicks")
    run = run_of({"00.1": "failed", **OTHERS})
    ((_, why),) = reasons(folder, edited(both(wrong, insert(CHECK + 1, RIGHT))), run)
    assert f"cell {CHECK + 2}, below the check, defines `checkout_clicks` again" in why


def test_cells_that_had_to_be_left_out_are_shown_where_not_all_is_passed(folder: Path) -> None:
    run = run_of({"00.1": "failed", **OTHERS})
    run.cells = {2: CellResult("ok"), 4: CellResult("crash", "the lab's Kafka has ended")}
    notebook = edited(answer(RIGHT))
    assert reasons(folder, notebook, run) == [
        (None, "cell 5 was ended, and the rest graded without it: the lab's Kafka has ended")
    ]
    run.verdicts = run_of({"00.1": "passed", **OTHERS}).verdicts
    assert not reasons(folder, notebook, run)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda text: text.replace('"""The records', '"""Records'), "was changed (cell 9)"),
        (lambda text: text.replace("def records_of(topic: str)", "def records_of(topic)"), "was changed"),
        (lambda text: "", "is gone"),
        (lambda text: f"# mine\n{text}\n", ""),
    ],
    ids=["docstring", "signature", "deleted", "comment"],
)  # fmt: skip
def test_a_given_helper_that_was_edited_is_mentioned_where_an_answer_uses_it(
    edit: Callable[[str], str], said: str, folder: Path
) -> None:
    uses = answer("def checkout_clicks(clicks):\n    return records_of('x')")
    notebook = edited(uses)
    notebook.cells[8].source = edit(notebook.cells[8].source)
    found = reasons(folder, notebook, run_of({"00.1": "passed", **OTHERS}))
    assert [why for _, why in found if said in why] == [why for _, why in found]
    assert bool(found) is bool(said)
    notebook.cells[ANSWER].source = RIGHT
    assert not reasons(folder, notebook, run_of({"00.1": "passed", **OTHERS}))
