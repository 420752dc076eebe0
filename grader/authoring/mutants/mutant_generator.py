"""The mutants of an exercise: each a whole answer that differs from the solution in one step."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.authoring.lesson_source import ExerciseSource
from grader.authoring.mutants import mutation_tables
from grader.authoring.mutants.answer_cell import Cell, Edit, solution_lines
from grader.authoring.mutants.syntax_mutations import steps_in
from grader.validity.syntax_tree import parse

MOST = 60
FEW = 20
_FIELD = re.compile(r"(\w+)\s+(\w+)")


@dataclass(frozen=True)
class Mutant:
    """One step away from the solution.

    The `line` counts in the cell, from 1. The `text` is all that the answer needs: the given cells and
    the changed answer cell.
    """

    id: str
    operator: str
    line: int
    change: str
    text: str


def mutants_of(source: ExerciseSource, most: int = MOST) -> list[Mutant]:
    """An exercise's mutants in the order of its text, `most` at most, the same every time.

    An answer that is hardly more than a call of a given function is changed in that function too.
    A test suite has none: another suite that finds all planted bugs is as right.
    """
    if source.exercise.answer_kind.is_suite:
        return []
    cells = source.cells
    known = _known(source)
    found = _mutants_in(_answer_cell(source), cells, len(cells) - 1, known)
    if len(found) < FEW:
        for index, cell in _helpers(source, cells):
            found += _mutants_in(cell, cells, index, known)
    return sample(_numbered(found), most)


def answer_cell(
    text: str, columns: dict[str, str], streams: dict[str, list[str]] | None = None
) -> Cell:
    """A cell that may be changed between the solution's marks."""
    first, last = solution_lines(text)
    return Cell(text, first, last, columns, streams or {})


def sample(mutants: list[Mutant], most: int) -> list[Mutant]:
    """At most `most`, taken from all operators in turn, by the hash of their ids."""
    if len(mutants) <= most:
        return mutants
    queues: dict[str, list[Mutant]] = {}
    for mutant in sorted(mutants, key=lambda m: hashlib.sha256(m.id.encode()).hexdigest()):
        queues.setdefault(mutant.operator, []).append(mutant)
    kept: set[str] = set()
    while len(kept) < most:
        for queue in queues.values():
            if queue and len(kept) < most:
                kept.add(queue.pop().id)
    return [mutant for mutant in mutants if mutant.id in kept]


def _answer_cell(source: ExerciseSource) -> Cell:
    columns: dict[str, str] = {}
    streams: dict[str, list[str]] = {}
    tree = parse(source.cells[-1])
    (function,) = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name == source.exercise.answer
    ]
    for given in source.exercise.inputs.values():
        columns |= dict(_FIELD.findall(given.schema))
    parsed = list(columns)
    for name, argument in zip(source.exercise.takes, function.args.args, strict=False):
        if name.endswith(".raw"):
            streams[argument.arg] = list(mutation_tables.KAFKA_COLUMNS)
        elif name not in mutation_tables.NO_STREAM:
            streams[argument.arg] = [
                n for n, _ in _FIELD.findall(source.exercise.inputs[name].schema)
            ]
    for node in ast.walk(function):
        if isinstance(node, ast.FunctionDef) and node is not function:
            for argument in node.args.args:
                if (
                    isinstance(argument.annotation, ast.Name)
                    and argument.annotation.id == "DataFrame"
                ):
                    streams[argument.arg] = parsed
    if any(name == "kafka" or name.endswith(".raw") for name in source.exercise.takes):
        columns = mutation_tables.KAFKA_COLUMNS | columns
    return answer_cell(source.cells[-1], columns, streams)


def _helpers(source: ExerciseSource, cells: list[str]) -> list[tuple[int, Cell]]:
    """The given functions that the solution calls, each as the part of its cell to be changed."""
    answer = _answer_cell(source)
    called = {
        node.func.id
        for node in answer.nodes()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    found = []
    for index, text in enumerate(cells[:-1]):
        for node in parse(text).body:
            if isinstance(node, ast.FunctionDef) and node.name in called:
                streams = {a.arg: list(answer.columns) for a in node.args.args if _is_frame(a)}
                first, last = node.body[0].lineno, node.end_lineno or node.lineno
                where = f"in {node.name}: "
                found.append((index, Cell(text, first, last, answer.columns, streams, where)))
    return found


def _is_frame(argument: ast.arg) -> bool:
    return isinstance(argument.annotation, ast.Name) and argument.annotation.id == "DataFrame"


def _mutants_in(cell: Cell, cells: list[str], index: int, known: set[str]) -> list[Mutant]:
    """The cell's mutants, without those that parse to the solution or to a known answer."""
    seen = {ast.dump(cell.tree)}
    found = []
    for edit in steps_in(cell):
        text = cell.changed(edit)
        try:
            tree = parse(text)
        except SyntaxError:
            continue
        dump = ast.dump(tree)
        if dump in seen or any(body in known for body in _bodies(tree)):
            continue
        seen.add(dump)
        whole = [*cells[:index], text, *cells[index + 1 :]]
        found.append(_mutant(edit, "\n\n".join(whole)))
    return found


def _mutant(edit: Edit, text: str) -> Mutant:
    mark = hashlib.sha256(f"{edit.line} {edit.change}".encode()).hexdigest()[:6]
    return Mutant(
        f"{edit.operator.replace(' ', '-')}-{mark}", edit.operator, edit.line, edit.change, text
    )


def _numbered(mutants: list[Mutant]) -> list[Mutant]:
    """Two steps of the same words in the same line are numbered."""
    seen: dict[tuple[str, int], int] = {}
    found = []
    for mutant in mutants:
        times = seen[mutant.change, mutant.line] = seen.get((mutant.change, mutant.line), 0) + 1
        if times > 1:
            numbered = Edit(
                mutant.operator, 0, 0, "", mutant.line, f"{mutant.change} (no. {times})"
            )
            mutant = _mutant(numbered, mutant.text)
        found.append(mutant)
    return found


def _known(source: ExerciseSource) -> set[str]:
    """What the misconceptions and the equivalents say, to the letter."""
    texts = [source.folder / name for name in ("misconceptions.py", "equivalents.py")]
    return set(_bodies_of_files(path for path in texts if path.exists()))


def _bodies_of_files(paths: Iterable[Path]) -> list[str]:
    return [b for path in paths for b in _bodies(parse(path.read_text(encoding="utf-8")))]


def _bodies(tree: ast.Module) -> list[str]:
    """The functions' bodies without docstrings and annotations, one text each."""
    found = []
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            bare = [node for node in function.body if not _is_docstring(node)]
            found.append("\n".join(ast.dump(node) for node in bare))
    return found


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
