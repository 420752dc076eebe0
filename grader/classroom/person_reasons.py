"""Why a person should look at a graded submission: every zero that may not be the answer's fault is reported."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from grader.classroom.submission_result import Reason, first_failure, reasons
from grader.classroom.submissions import WORK
from grader.judging.check_pack import PackedExercise
from grader.judging.verdict import Verdict
from grader.learner.notebook_reader import NotebookError, read_notebook
from grader.sandbox.answer_candidates import Candidate, candidates
from grader.sandbox.answer_code import (
    code_in_text,
    definitions,
    functions,
    is_attempt,
    lines_of_code,
    names_used,
)
from grader.sandbox.notebook_cells import check_id, grade_id, places_of
from grader.sandbox.observed_run import ObservedRun

MOST_FILES, MOST_MEGABYTES = 20, 5  # of what is next to a notebook, and of one file of it
# errors that an answer has in a sandbox and not where it was written
_SURROUNDINGS = re.compile(
    "No module named|FileNotFoundError|PATH_NOT_FOUND|Permission denied|Read-only file system|"
    "No space left|Connection refused|ConnectionError|gaierror|Network is unreachable|"
    "node assignment|TimeoutException|OutOfMemoryError|MemoryError|Too many open files|"
    "native thread|EOFError|BdbQuit"
)
_UNDEFINED = re.compile(r"NameError: name '(\w+)' is not defined")
_PROGRAMS = (".py", ".txt", ".md", ".qmd")  # files that may hold an answer as text


@dataclass(frozen=True)
class GradedNotebook:
    """A submission after its run: its notebook as it ran, and as it was handed out, with what is beside it.

    `given_files` are the names of the files that the course hands out with the notebook.
    """

    notebook: NotebookNode
    given: NotebookNode
    graded: Sequence[PackedExercise]
    folder: Path
    given_files: frozenset[str]
    run: ObservedRun

    def reasons(self) -> list[Reason]:
        """Why a person should look at it, by exercise; what concerns all of it comes last."""
        found: list[Reason] = []
        here = candidates(self.notebook, self.graded, self.given)
        for packed in self.graded:
            id = packed.exercise.id
            verdict = self.run.verdicts.get(id)
            if verdict is None:
                continue
            said = [*self._not_judged(verdict)]
            if verdict.status == "not_attempted":
                said += self._overlooked(packed, here[id])
            elif not verdict.passed:
                said += self._not_played(packed)
                said += self._cut_off(packed)
                said += self._undefined(packed, verdict)
            said += self._changed_helpers(packed)
            found += [Reason(why, id) for why in said]
        found.extend(self._left_out())
        return found or list(self._nothing_earned())

    def _not_judged(self, verdict: Verdict) -> Iterator[str]:
        found = [reason.why for reason in reasons([verdict])]
        yield from found
        if not found and verdict.status == "error" and _SURROUNDINGS.search(self._failure(verdict)):
            yield f"it may be the fault of where it ran: {first_failure(verdict)}"

    def _failure(self, verdict: Verdict) -> str:
        observed = self.run.observations.get(verdict.exercise)
        recordings = list(observed.recordings.values()) if observed else []
        failures = [one.failure for one in recordings if one.failure]
        said = [f"{one.message}\n{one.detail}" for one in failures]
        said += [test.get("said", "") for one in recordings for test in (one.tests or {}).values()]
        return "\n".join(said)

    def _overlooked(self, packed: PackedExercise, here: list[Candidate]) -> Iterator[str]:
        """What could be the answer to an exercise that was not attempted: in the notebook, else beside it."""
        elsewhere = [one.said for one in here] or list(self._in_checks(packed))
        if elsewhere:
            yield f"not attempted, but {elsewhere[0]}"
            return
        for name, notebook in self._beside():
            found = candidates(notebook, self.graded, self.given)[packed.exercise.id]
            if found:
                yield f"not attempted, but in {name} {found[0].said}"
                return
        archives = [
            path.name
            for path in self._files()
            if path.suffix.lower() in {*WORK} - {".ipynb", ".py"}
        ]
        if archives:
            yield f"not attempted, but beside the notebook lies {archives[0]}, which is not opened"

    def _in_checks(self, packed: PackedExercise) -> Iterator[str]:
        """Code in the check's cell, which grading restores; and an output of a check that was passed."""
        try:
            notebook = read_notebook(self.folder / f"{self.folder.name}.ipynb")
        except NotebookError:
            return
        own = check_id(packed.exercise)
        given = {_bare(cell.source) for cell in self.given.cells if grade_id(cell) == own}
        passed = re.compile(rf"^✓ {re.escape(packed.exercise.id)} .*: passed\b", re.M)
        for index, cell in enumerate(notebook.cells):
            changed = _bare(cell.source) not in given and lines_of_code(cell.source)
            if grade_id(cell) == own and changed:
                yield f"cell {index + 1}, its check, which grading restores, held other code"
            elif passed.search(_shown(cell)):
                yield f"the saved output of cell {index + 1} says that it was passed"

    def _cut_off(self, packed: PackedExercise) -> Iterator[str]:
        """Cells between an answer and its check that are no Python: they may be the rest of it."""
        places = places_of(self.notebook, packed.exercise)
        if not places.answers or places.played is None:
            return
        for index in range(places.answers[0] + 1, places.played):
            cell = self.run.cells.get(index)
            if index not in places.answers and cell is not None and cell.how == "syntax":
                yield f"not passed, and cell {index + 1} below its answer is no Python: {cell.message}"

    def _undefined(self, packed: PackedExercise, verdict: Verdict) -> Iterator[str]:
        """Names that the answer did not find although a cell, or the notebook as handed out, defines them."""
        check = places_of(self.notebook, packed.exercise).played
        for name in dict.fromkeys(_UNDEFINED.findall(self._failure(verdict))):
            where = _cells_that_define(self.notebook, name)
            if not where:
                if _cells_that_define(self.given, name):
                    yield f"its answer uses the given `{name}`, which is gone"
                continue
            cell = self.run.cells.get(where[0])
            how = ""
            if cell is not None and cell.how != "ok":
                how = f", and that cell failed: {cell.message}"
            elif check is not None and where[0] > check:
                how = ", below the check"
            yield f"its answer uses `{name}`, which cell {where[0] + 1} defines{how}"

    def _not_played(self, packed: PackedExercise) -> Iterator[str]:
        """Another answer, below the one that was graded."""
        places, answer = places_of(self.notebook, packed.exercise), packed.exercise.answer
        for index in places.answers:
            below = places.played is not None and index > places.played
            if below and is_attempt(self.notebook.cells[index].source, answer):
                yield (
                    f"not passed, but cell {index + 1}, below the check, defines `{answer}` again and "
                    "was not graded"
                )

    def _changed_helpers(self, packed: PackedExercise) -> Iterator[str]:
        """Functions that were handed out, that the answer uses, and that are not as they were."""
        places = places_of(self.notebook, packed.exercise)
        answer = "\n\n".join(self.notebook.cells[index].source for index in places.answers)
        used = names_used(answer) - {one.exercise.answer for one in self.graded}
        given = {} if not used else _functions(self.given)
        own = {} if not used & set(given) else _functions(self.notebook)
        for name in sorted(used & set(given)):
            if name not in own:
                yield f"the given `{name}`, which its answer uses, is gone"
            elif set(own[name]) - set(given[name]):
                cell = next(i for text, i in own[name].items() if text not in given[name])
                yield f"the given `{name}`, which its answer uses, was changed (cell {cell + 1})"

    def _left_out(self) -> Iterator[Reason]:
        """Cells without which the rest was graded, where not all is passed."""
        if all(verdict.passed for verdict in self.run.verdicts.values()):
            return
        answers = {i for x in self.graded for i in places_of(self.notebook, x.exercise).answers}
        for index, cell in sorted(self.run.cells.items()):
            if cell.how in ("timeout", "crash") and index not in answers:
                said = next(iter(cell.message.splitlines()), "")
                yield Reason(f"cell {index + 1} was ended, and the rest graded without it: {said}")

    def _nothing_earned(self) -> Iterator[Reason]:
        """A submission without a point that holds answers: grading it may have gone wrong as a whole."""
        verdicts = self.run.verdicts.values()
        if not verdicts or any(verdict.score for verdict in verdicts):
            return
        cells = sorted(
            index + 1
            for packed in self.graded
            for index in places_of(self.notebook, packed.exercise).answers
            if is_attempt(self.notebook.cells[index].source, packed.exercise.answer)
        )
        if any(verdict.status != "not_attempted" for verdict in verdicts):
            where = ", ".join(map(str, cells)) or "none that could be found"
            yield Reason(f"no points at all, and it holds answers (cells: {where})")

    def _beside(self) -> Iterator[tuple[str, NotebookNode]]:
        """The other notebooks and programs in the folder, by name."""
        for path in self._files():
            kind = path.suffix.lower()
            is_notebook = ".ipynb" in path.name.lower()
            if not (is_notebook or kind in _PROGRAMS) or _megabytes(path) > MOST_MEGABYTES:
                continue
            name = str(path.relative_to(self.folder)).encode("utf-8", "backslashreplace").decode()
            if not is_notebook:
                text = path.read_text(encoding="utf-8", errors="replace")
                text = text if kind == ".py" else code_in_text(text)
                yield name, nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text)])
                continue
            try:
                yield name, read_notebook(path)
            except NotebookError:
                continue

    def _files(self) -> list[Path]:
        own = {f"{self.folder.name}.ipynb", *self.given_files}
        files = [path for path in sorted(self.folder.rglob("*")) if path.is_file()]
        return [x for x in files if str(x.relative_to(self.folder)) not in own][:MOST_FILES]


def _functions(notebook: NotebookNode) -> dict[str, dict[str, int]]:
    """Name → each form in which a notebook defines that function, with the cell that does."""
    found: dict[str, dict[str, int]] = {}
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            for name, text in functions(cell.source).items():
                found.setdefault(name, {})[text] = index
    return found


def _cells_that_define(notebook: NotebookNode, name: str) -> list[int]:
    return [
        index
        for index, cell in enumerate(notebook.cells)
        if cell.cell_type == "code" and name in {one.name for one in definitions(cell.source)}
    ]


def _bare(source: str) -> str:
    return " ".join(source.split())


def _shown(cell: NotebookNode) -> str:
    """The text of a cell's saved outputs."""
    outputs = cell.get("outputs", [])
    return "\n".join(
        f"{x.get('text', '')}\n{x.get('data', {}).get('text/plain', '')}" for x in outputs
    )


def _megabytes(path: Path) -> float:
    return path.stat().st_size / 2**20
