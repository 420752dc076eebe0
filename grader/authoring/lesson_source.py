"""A lesson folder under solutions/, read: its notebook, its exercises and all that belongs to them."""

from __future__ import annotations

import ast
import random
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import jupytext
from nbformat import NotebookNode

from grader.authoring.answer import Answer, SourceError, run_text
from grader.scenario import Exercise, Scenario, place_of, read_scenario
from grader.toml_file import TOMLDecodeError, read_toml
from grader.validity.syntax_tree import parse

HIDDEN_SEED = 20260301
STUB = 'raise NotImplementedError("your code here")'
_SOLUTION = re.compile(
    r"^([ \t]*)### BEGIN SOLUTION[ \t]*\n.*?^[ \t]*### END SOLUTION[ \t]*$", re.M | re.S
)


@dataclass(frozen=True)
class Variation:
    """A whole answer other than the solution: a misconception or an equivalent."""

    id: str
    title: str
    hint: str
    answer: Answer


@dataclass(frozen=True)
class Prediction:
    """A question answered before running. `path` says where in the expected recording the answer is."""

    name: str
    question: str
    path: str
    why: str = ""
    wrong: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ExerciseSource:
    """One exercise folder."""

    folder: Path
    exercise: Exercise
    hints: list[str]
    predictions: list[Prediction]
    by_hand: list[dict[str, Any]]
    lesson: LessonSource

    @cached_property
    def public(self) -> Scenario:
        named = self._table.get("public")
        path = self.folder / "public.jsonl"
        if not self.exercise.has_scenario:
            return Scenario([])  # the answer has its own, or needs none
        if named:
            path = self.lesson.folder.parents[1] / "datasets" / named
        if not path.exists():
            raise SourceError(f"{path} is missing: every exercise needs a public scenario.")
        return read_scenario(path)

    def hidden(self, seed: int = HIDDEN_SEED) -> Scenario | None:
        """The hidden scenario of a seed; None if the folder has no hidden.py."""
        path = self.folder / "hidden.py"
        if not path.exists():
            return None
        text = path.read_text(encoding="utf-8")
        return run_text(text, path)["hidden"](random.Random(f"{self.exercise.id}/{seed}"))  # type: ignore[no-any-return]

    @property
    def cells(self) -> list[str]:
        """The cells of the lesson that hold the answer, with the author's solution."""
        if self.exercise.kind == "example":
            return [*self.lesson.tagged("given"), *self.lesson.tagged("example")]
        return [*self.lesson.tagged("given"), self.lesson.cell(self.exercise.answer)]

    @cached_property
    def solution(self) -> Answer:
        return self.answer_of("\n\n".join(self.cells))

    @cached_property
    def stub(self) -> Answer:
        return self.answer_of(solved_away("\n\n".join(self.cells)))

    def answer_of(self, text: str) -> Answer:
        """The answer in the text of cells, such as `cells` changed a little.

        Its path is no file: a line of the text is at a different place in the lesson's file.
        """
        named = f"{self.lesson.text.name} (cells of {self.exercise.id})"
        return Answer(text, self.exercise.answer, self.lesson.text.with_name(named))

    @cached_property
    def subject(self) -> Answer | None:
        """The query whose checkpoint the answer looks at; None if it looks at none."""
        path = self.folder / "subject.py"
        return Answer(path.read_text(encoding="utf-8"), "subject", path) if path.exists() else None

    @property
    def discussion(self) -> str:
        """What learners who have passed read about the solution, in Markdown; may be empty."""
        path = self.folder / "discussion.md"
        return path.read_text(encoding="utf-8").strip() if path.exists() else ""

    @cached_property
    def misconceptions(self) -> list[Variation]:
        return _variations(self.folder / "misconceptions.py")

    @cached_property
    def equivalents(self) -> list[Variation]:
        return _variations(self.folder / "equivalents.py")

    @cached_property
    def _table(self) -> dict[str, Any]:
        return source_table(self.folder / "exercise.toml")


@dataclass(frozen=True)
class LessonSource:
    """One lesson folder, such as solutions/03_watermarks."""

    folder: Path
    title: str
    summary: str = ""
    minutes: int = 45

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def id(self) -> str:
        return self.name.split("_", 1)[0]

    @property
    def slug(self) -> str:
        return self.name.split("_", 1)[1]

    @property
    def text(self) -> Path:
        return self.folder / "lesson.py"

    @cached_property
    def notebook(self) -> NotebookNode:
        return jupytext.read(self.text, fmt="py:percent")

    @cached_property
    def exercises(self) -> list[ExerciseSource]:
        """The graded exercises, by id."""
        return [source for source in self.parts if source.exercise.kind == "exercise"]

    @cached_property
    def parts(self) -> list[ExerciseSource]:
        """The worked examples and the graded exercises, by id."""
        folders = sorted(path.parent for path in self.folder.glob("*/exercise.toml"))
        return sorted(
            (self._read(folder) for folder in folders), key=lambda s: place_of(s.exercise.id)
        )

    def _read(self, folder: Path) -> ExerciseSource:
        table = source_table(folder / "exercise.toml")
        beside = {name: table.pop(name, []) for name in ("hints", "predict", "by_hand")}
        table.pop("public", None)
        try:
            exercise = Exercise.from_dict(table)
            predictions = [Prediction(**given) for given in beside["predict"]]
        except (ValueError, TypeError) as error:
            raise SourceError(f"{folder / 'exercise.toml'}: {error}") from error
        return ExerciseSource(
            folder, exercise, beside["hints"], predictions, beside["by_hand"], self
        )

    def cell(self, name: str) -> str:
        """The text of an answer cell, with the author's solution."""
        cells = [c.source for c in self.notebook.cells if _grade_id(c) == name]
        if len(cells) != 1:
            raise SourceError(
                f'{self.text}: {len(cells)} answer cells with grade_id "{name}"; one is needed.'
            )
        return str(cells[0])

    def tagged(self, tag: str) -> list[str]:
        """The sources of the cells with a tag, in order.

        Answers build on the cells tagged `given`; the worked example's function is in those tagged `example`.
        """
        return [c.source for c in self.notebook.cells if tag in c.metadata.get("tags", [])]


def read_lessons(solutions: Path) -> list[LessonSource]:
    """All lesson folders, in order."""
    lessons = []
    for path in sorted(solutions.glob("[0-9][0-9]_*/lesson.toml")):
        table = source_table(path)
        try:
            lessons.append(LessonSource(path.parent, **table))
        except TypeError as error:
            raise SourceError(f"{path}: {error}") from error
    if not lessons:
        raise SourceError(
            f"no lesson in {solutions}: a lesson is a folder NN_topic with a lesson.toml."
        )
    return lessons


def solved_away(text: str) -> str:
    """An answer cell's text as students get it: the stub in the solution's place."""
    return _SOLUTION.sub(lambda found: found.group(1) + STUB, text)


def _grade_id(cell: NotebookNode) -> str | None:
    meta = cell.metadata.get("nbgrader", {})
    return meta.get("grade_id") if meta.get("solution") else None


def source_table(path: Path) -> dict[str, Any]:
    """The table of an author's TOML file; raises SourceError naming the file."""
    try:
        return read_toml(path)
    except FileNotFoundError as error:
        raise SourceError(f"{path} is missing.") from error
    except TOMLDecodeError as error:
        raise SourceError(f"{path}: {error}.") from error


def _variations(path: Path) -> list[Variation]:
    """The functions that a file defines itself, in its order; helpers start with an underscore."""
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    try:
        tree = parse(text)
    except SyntaxError as error:
        raise SourceError(f"{path} does not run: SyntaxError: {error}") from error
    found = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            title, _, hint = (ast.get_docstring(node) or "").partition("\n")
            answer = Answer(text, node.name, path)
            found.append(
                Variation(node.name, title.strip().rstrip("."), " ".join(hint.split()), answer)
            )
    return found
