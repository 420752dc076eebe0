"""nbgrader's autograde with the judge's score: what takes the place of Execute and SaveAutoGrades.

Restore   the nbgrader metadata and the check cells are the course's, whatever was handed in, and
          nothing in it runs in the browser of whoever opens it
Record    runs the notebook outside of this process, shows outputs and verdicts in it
Grade     writes the judge's scores to the grade book, whatever the cells say
"""

from __future__ import annotations

import copy
import shutil
from itertools import count
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades
from traitlets import Bool, Enum, Float

from grader.classroom.course_secret import course_secret, seed_of
from grader.classroom.gradebook import FIX, course_directory, grading_folder, released
from grader.classroom.hidden_scenarios import Hidden, hidden_of
from grader.classroom.run_store import KeptRun, run_key
from grader.classroom.sanitizer import disarm, harmless_outputs
from grader.errors import SetupError
from grader.feedback.verdict_html import verdict_html
from grader.feedback.verdict_text import verdict_text
from grader.judging.check_pack import FILE_NAME, Pack, PackedExercise, read_pack
from grader.judging.verdict import Verdict
from grader.runtime.scratch_folders import make_scratch, remove_scratch
from grader.sandbox.notebook_cells import check_id, grade_id, places_of
from grader.sandbox.observed_run import Checked, Wanted
from grader.sandbox.sandbox_kinds import KINDS, UNSAFE, choose_kind
from grader.sandbox.supervisor import CELL_SECONDS, supervise
from grader.validity.digest import digest_of

Resources = dict[str, Any]


class _OfCourse(NbGraderPreprocessor):  # type: ignore[misc]
    def lesson(self, resources: Resources) -> Path:
        """The folder of the lesson as it was handed out."""
        return released(course_directory(self.config), resources["nbgrader"]["assignment"])

    def pack(self, resources: Resources) -> Pack:
        return read_pack(self.lesson(resources) / FILE_NAME)


class Restore(_OfCourse):
    """Give cells their own nbgrader metadata again, and put back check cells that are gone; disarm the rest.

    nbgrader gives up on a submission, or on the whole class, where metadata are damaged.
    """

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        name = f"{resources['nbgrader']['notebook']}.ipynb"
        given = nbformat.read(self.lesson(resources) / name, as_version=4)
        marked = {grade_id(cell): cell for cell in given.cells if grade_id(cell)}
        found: set[str | None] = set()
        for cell in reversed(nb.cells):
            if "nbgrader" not in cell.metadata:
                continue
            name_of_cell = grade_id(cell)
            own = marked.get(name_of_cell)
            if own is None or own.cell_type != cell.cell_type:
                self.log.warning("Cell %r is not of this lesson", name_of_cell)
                del cell.metadata["nbgrader"]
            elif (
                name_of_cell in found
            ):  # nbgrader's DeduplicateIds leaves marks that it then refuses
                self.log.warning(
                    "Cell %r is there more than once; the last one counts", name_of_cell
                )
                del cell.metadata["nbgrader"]
            else:
                found.add(name_of_cell)
                cell.metadata["nbgrader"] = copy.deepcopy(own.metadata["nbgrader"])
        disarm(nb, given)
        for packed in self.pack(resources).graded():
            self.put_back(nb, packed, marked.get(check_id(packed.exercise)))
        return nb, resources

    def put_back(
        self, nb: NotebookNode, packed: PackedExercise, check: NotebookNode | None
    ) -> None:
        if check is None:
            raise SetupError(
                f"The notebook in course/ has no cell {check_id(packed.exercise)!r}, which its check "
                f"pack asks for. Make both anew with `grader build`."
            )
        if any(grade_id(cell) == grade_id(check) for cell in nb.cells):
            return
        self.log.warning("Check cell %r was missing and has been put back", grade_id(check))
        answers = places_of(nb, packed.exercise).answers
        new = copy.deepcopy(check)
        there = {cell.get("id") for cell in nb.cells}
        names = (digest_of([str(grade_id(check)), str(number)])[:12] for number in count())
        new["id"] = next(name for name in names if name not in there)  # the same every time
        nb.cells.insert(answers[-1] + 1 if answers else len(nb.cells), new)


class Record(_OfCourse):
    """Run the notebook through the supervisor; show what came of it in the notebook."""

    cell_seconds = Float(CELL_SECONDS, help="seconds that one cell of a submission may take").tag(
        config=True
    )
    sandbox = Enum(
        KINDS,
        default_value=None,
        allow_none=True,
        help="what shuts a submission away: bwrap, docker, or none. Without it GRADER_SANDBOX decides, else auto: "
        "bwrap, and where that cannot be nothing is graded.",
    ).tag(config=True)

    hidden_for = Enum(
        ("class", "student"),
        default_value="class",
        help="who has hidden events in common: the class, or nobody. Those of each student take as long to "
        "work out as a lesson's proof, for each.",
    ).tag(config=True)
    fresh = Bool(
        False,
        help="run a submission even where its run is kept: after a night with a loaded machine, say",
    ).tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        kind = self.kind()
        wanted = self.wanted(resources)
        about = resources["nbgrader"]
        if kind == "none":
            self.log.warning("%s: %s", about["student"], UNSAFE)
        handed_in = Path(resources["metadata"]["path"])
        kept = self.kept(nb, resources, handed_in, wanted, kind)
        checked = None if self.fresh else kept.judged(wanted)
        about["ran"] = checked is None
        if checked is None:
            folder = self.copy_of(handed_in, nb, about["notebook"])
            try:
                checked = self.run(nb, wanted, folder, kind, about["student"])
            finally:
                remove_scratch(folder)
            kept.keep(checked)
        show_cells(nb, checked)
        show_verdicts(nb, [one.packed for one in wanted], checked)
        about["verdicts"] = checked.verdicts
        about["predicted"] = checked.predicted
        return nb, resources

    def kind(self) -> str:
        """The kind of sandbox that is used; one that can be made here."""
        return choose_kind(self.sandbox, otherwise="auto")

    def wanted(self, resources: Resources) -> list[Wanted]:
        hidden = self.hidden(resources)
        return [wanted_of(p, hidden.get(p.exercise.id)) for p in self.pack(resources).graded()]

    def kept(
        self,
        nb: NotebookNode,
        resources: Resources,
        folder: Path,
        wanted: list[Wanted],
        kind: str,
    ) -> KeptRun:
        """Where the run of a submission in its folder is kept, if it is."""
        about = resources["nbgrader"]
        key = run_key(
            nb,
            wanted,
            folder,
            given=self.given(resources),
            sandbox=kind,
            cell_seconds=self.cell_seconds,
        )
        runs = grading_folder(course_directory(self.config)) / "runs"
        return KeptRun(
            runs / about["student"] / about["assignment"] / f"{about['notebook']}.zst", key
        )

    def run(
        self, nb: NotebookNode, wanted: list[Wanted], folder: Path, kind: str, student: str
    ) -> Checked:
        return supervise(
            nb,
            wanted,
            folder,
            cell_seconds=self.cell_seconds,
            sandbox=kind,
            tell=lambda text: self.tell(f"{student}: {text}"),
        )

    def given(self, resources: Resources) -> list[str]:
        """The files beside the notebook that are not the student's, and itself: its cells count.

        Where the course has a file of a name, nbgrader puts it in the place of the student's.
        """
        lesson = self.lesson(resources)
        files = [str(path.relative_to(lesson)) for path in lesson.rglob("*") if path.is_file()]
        return [*files, f"{resources['nbgrader']['notebook']}.ipynb", "timestamp.txt"]

    def hidden(self, resources: Resources) -> dict[str, Hidden]:
        """What there is of hidden scenarios, where this machine has the solutions."""
        source = solutions_of(self.lesson(resources))
        if source is None:
            self.log.warning("No solutions/ here: graded on the public scenarios only")
            return {}
        about = resources["nbgrader"]
        course = course_directory(self.config)
        student = about["student"] if self.hidden_for == "student" else None
        return hidden_of(source, hidden_seed(course, about["assignment"], student))

    def copy_of(self, submission: Path, nb: NotebookNode, name: str) -> Path:
        """A copy of what was handed in, with the notebook as it is graded, for its code to run in."""
        folder = make_scratch("submission")
        own = shutil.ignore_patterns("*.ipynb")
        shutil.copytree(submission, folder, symlinks=True, dirs_exist_ok=True, ignore=own)
        nbformat.write(nb, folder / f"{name}.ipynb")
        for path in [folder, *folder.rglob("*")]:  # nbgrader makes files read-only
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | 0o600)
        return folder

    def tell(self, text: str) -> None:
        (self.log.info if "points" in text else self.log.debug)(text)


def solutions_of(lesson: Path) -> Path | None:
    """The source of a lesson in course/, where this machine has it."""
    source = lesson.parent.parent / "solutions" / lesson.name
    return source if source.is_dir() else None


def hidden_seed(course: CourseDirectory, lesson: str, student: str | None) -> int:
    """The seed of the hidden events for a class, or for one of its students."""
    secret = course_secret(grading_folder(course))
    return seed_of(secret, lesson, *([] if student is None else [student]))


def wanted_of(packed: PackedExercise, hidden: Hidden | None) -> Wanted:
    """What decides on an exercise: its public plays, and the hidden one where there is one."""
    if hidden is None:
        return Wanted(packed, packed.plays())
    return Wanted(packed, [*packed.plays(), hidden.play], hidden.runs)


def show_cells(nb: NotebookNode, checked: Checked) -> None:
    """Put captured outputs in the cells."""
    for index, cell in enumerate(nb.cells):
        if cell.cell_type != "code":
            continue
        ended = checked.cells.get(index)
        if ended is None:
            cell.outputs = [
                _error("NotRun", "This cell was not run: the notebook ended before it.")
            ]
            continue
        cell.outputs = harmless_outputs(ended.outputs)
        cell.execution_count = ended.count
        if ended.how in ("timeout", "crash"):
            name = "CellTimeout" if ended.how == "timeout" else "CellCrash"
            cell.outputs.append(_error(name, ended.message))


def show_verdicts(nb: NotebookNode, packed: list[PackedExercise], checked: Checked) -> None:
    """Put verdicts in the check cells, in place of any output."""
    for exercise in packed:
        verdict = checked.verdicts[exercise.exercise.id]
        for cell in nb.cells:
            if grade_id(cell) == check_id(exercise.exercise):
                cell.outputs = [_shown(verdict, exercise, checked)]
                cell.execution_count = None


def _shown(verdict: Verdict, packed: PackedExercise, checked: Checked) -> NotebookNode:
    title = packed.exercise.title
    first = checked.seen[verdict.exercise].first
    try:
        page = verdict_html(verdict, title, None if verdict.passed else first, packed)
    except Exception:  # the recording comes from a process that nobody trusts
        page = verdict_html(verdict, title)
    return nbformat.v4.new_output(
        "display_data",
        data={"text/html": page, "text/plain": verdict_text(verdict, title)},
        metadata={"verdict": verdict.to_dict()},
    )


def _error(name: str, message: str) -> NotebookNode:
    return nbformat.v4.new_output(
        "error", ename=name, evalue=message, traceback=[f"{name}: {message}"]
    )


class Grade(SaveAutoGrades):  # type: ignore[misc]
    """Save the judge's score of every exercise; other cells are graded as nbgrader does."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        verdicts: dict[str, Verdict] | None = resources["nbgrader"].get("verdicts")
        if verdicts is None:
            raise SetupError(
                "Grade needs the verdicts of Record: keep both in c.Autograde.autograde_preprocessors "
                "of nbgrader_config.py, Record first."
            )
        course = course_directory(self.config)
        lesson = released(course, resources["nbgrader"]["assignment"])
        checks = {
            check_id(p.exercise): verdicts[p.exercise.id]
            for p in read_pack(lesson / FILE_NAME).graded()
        }
        self.judged = set(checks)
        nb, resources = super().preprocess(nb, resources)
        with Gradebook(self.db_url) as book:
            for name, verdict in checks.items():
                save_score(
                    book, (name, self.notebook_id, self.assignment_id, self.student_id), verdict
                )
            book.db.commit()
        return nb, resources

    def _add_score(self, cell: NotebookNode, resources: Resources) -> None:
        if grade_id(cell) not in self.judged:
            super()._add_score(cell, resources)


def save_score(book: Gradebook, place: tuple[str, str, str, str], verdict: Verdict) -> None:
    """Write a verdict's score; `place` is the cell, its notebook, the assignment, the student."""
    try:
        grade = book.find_grade(*place)
    except MissingEntry as error:
        raise SetupError(
            f"The grade book does not know the cell {place[0]!r}: it was filled from another version of "
            f"course/. {FIX}"
        ) from error
    grade.auto_score = min(verdict.score, grade.max_score)
    # as nbgrader: a score that a person gave is looked at again
    grade.needs_manual_grade = grade.manual_score is not None
