"""What a cell's code says about an answer: which functions it defines, and whether one is the stub."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from IPython.core.inputtransformer2 import TransformerManager

MOST_CHARACTERS = 50_000  # of a hostile cell
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n(.*?)^ {0,3}\1[^\n]*$", re.M | re.S)


@dataclass(frozen=True)
class Definition:
    """A name that code gives to a function or a value: `how` is answer, stub, or unreachable.

    A stub does nothing but raise NotImplementedError; unreachable is code below that line.
    """

    name: str
    line: int
    how: str = "answer"
    parameters: tuple[str, ...] = ()
    is_function: bool = True


@lru_cache(maxsize=1024)  # a class has most cells in common
def tree_of(code: str) -> ast.Module | None:
    """The syntax tree of a cell, IPython's own commands included; None if it is not Python."""
    if len(code) > MOST_CHARACTERS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(TransformerManager().transform_cell(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@lru_cache(maxsize=1024)
def definitions(code: str) -> tuple[Definition, ...]:
    """The names that a cell defines for the cells after it, in order; none if it is not Python."""
    tree = tree_of(code)
    return () if tree is None else tuple(_defined(tree.body))


def mentions_definition(code: str, name: str) -> bool:
    """Whether code says `def NAME`, or gives NAME a value at the start of a line, even in a comment."""
    name = re.escape(name)
    return bool(re.search(rf"\bdef\s+{name}\b|^\W*{name}\s*=[^=]", code, re.M))


def defines_within(code: str, name: str) -> bool:
    """Whether a cell defines a function, but where no other cell sees it: in a function or a class."""
    tree = tree_of(code)
    found = [] if tree is None else [x for x in ast.walk(tree) if isinstance(x, _FUNCTIONS)]
    return any(node.name == name for node in found) and name not in {
        one.name for one in definitions(code)
    }


def is_attempt(code: str, name: str) -> bool:
    """Whether an answer's cell holds more than its stub: anything but that, or nothing but comments."""
    tree = tree_of(code)
    if tree is None:
        return bool(code.strip())
    if not tree.body:
        return False
    of_name = [found for found in _defined(tree.body) if found.name == name]
    return not of_name or of_name[-1].how == "answer"


def code_in_text(text: str) -> str:
    """The code in a cell of prose: its fenced blocks, or all of it if that is Python; otherwise nothing."""
    blocks = [found[2] for found in _FENCE.finditer(text)]
    if blocks:
        return "\n".join(blocks)
    return text if tree_of(text) is not None else ""


def is_only_code(text: str) -> bool:
    """Whether a Markdown or raw cell holds only code: none of a lesson's own prose does."""
    return tree_of(text) is not None or not _FENCE.sub("", text).strip()


def lines_of_code(code: str) -> int:
    """How many lines a cell has that are neither empty nor a comment."""
    lines = (line.strip() for line in code.splitlines())
    return sum(bool(line) and not line.startswith("#") for line in lines)


def names_used(code: str) -> set[str]:
    tree = tree_of(code)
    return {x.id for x in ast.walk(tree) if isinstance(x, ast.Name)} if tree else set()


def functions(code: str) -> dict[str, str]:
    """The functions and classes of a cell by name, each as its syntax tree says it: without comments."""
    tree = tree_of(code)
    kinds = (*_FUNCTIONS, ast.ClassDef)
    found = [node for node in (tree.body if tree else []) if isinstance(node, kinds)]
    return {node.name: ast.dump(node) for node in found}


def _defined(body: list[ast.stmt]) -> Iterator[Definition]:
    for node in body:
        if isinstance(node, _FUNCTIONS):
            names = [x.arg for x in (*node.args.posonlyargs, *node.args.args)]
            yield Definition(node.name, node.lineno, _how(node), tuple(names))
        elif isinstance(node, ast.ClassDef):
            yield Definition(node.name, node.lineno)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for each in ast.walk(target):
                    if isinstance(each, ast.Name):
                        called = isinstance(node.value, (ast.Lambda, ast.Name))
                        yield Definition(each.id, node.lineno, is_function=called)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                yield Definition((alias.asname or alias.name).split(".")[0], node.lineno)
        else:
            for name in ("body", "orelse", "finalbody"):
                yield from _defined(getattr(node, name, []))
            for handler in getattr(node, "handlers", []):
                yield from _defined(handler.body)


def _how(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """What a function does at its start: an answer has a statement before it raises NotImplementedError."""
    body = [
        node
        for node in function.body
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        and not isinstance(node, ast.Pass)
    ]
    if not body:
        return "stub"
    if not _raises(body[0]):
        return "answer"
    return "unreachable" if body[1:] else "stub"


def _raises(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Raise) or node.exc is None:
        return False
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
