"""Python code without what only people read: comments, docstrings and formatting."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from grader.validity.digest import digest_of
from grader.validity.syntax_tree import parse

_SCOPES = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
# what the parser notes in addition to the code, in some versions of Python only
_NOTES = {"ctx", "kind", "type_comment", "type_ignores"}
_IN_TEXT = re.compile(r"^\s*(?:from (grader[\w.]*) import|import (grader[\w.]*))", re.M)


@lru_cache(maxsize=4096)
def code_of(text: str) -> str:
    """The code of a module's source: equal for sources that differ only in comments, docstrings or layout.

    It is the same in every version of Python that the project supports. Text that is not Python is
    returned unchanged.
    """
    try:
        tree = parse(text)
    except SyntaxError:
        return text
    for node in ast.walk(tree):
        if isinstance(node, _SCOPES) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return _written(tree)


@lru_cache(maxsize=4096)
def code_digest(text: str) -> str:
    """A digest of the code of a module's source, see `code_of`."""
    return digest_of([code_of(text)])


@lru_cache(maxsize=4096)
def names_imported(text: str) -> frozenset[str]:
    """The names under `grader` that source text imports, also in functions and in programs within strings.

    From `from grader.a import b` come both `grader.a` and `grader.a.b`, because `b` may be a module. Imports
    only for the type checker (`if TYPE_CHECKING:`) do not count. A string that is a dotted name counts,
    because modules are run by their names. Text that is not Python imports nothing.
    """
    found: set[str] = set()
    try:
        ahead: list[ast.AST] = [parse(text)]
    except SyntaxError:
        return frozenset()
    while ahead:
        node = ahead.pop()
        if isinstance(node, ast.If) and _is_for_types(node.test):
            ahead += node.orelse
            continue
        found |= _names_in(node)
        ahead += ast.iter_child_nodes(node)
    return frozenset(name for name in found if name.split(".")[0] == "grader")


@lru_cache(maxsize=4096)
def strings_in(text: str) -> frozenset[str]:
    """All strings in source code, including docstrings."""
    nodes = ast.walk(parse(text))
    return frozenset(
        n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)
    )


def _names_in(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if re.fullmatch(r"grader(\.\w+)+", node.value):
            return {node.value}
        return {module for pair in _IN_TEXT.findall(node.value) for module in pair if module}
    return set()


def _is_for_types(test: ast.expr) -> bool:
    name = test.id if isinstance(test, ast.Name) else getattr(test, "attr", "")
    return name == "TYPE_CHECKING"


def _written(node: object) -> str:
    """A tree as text: names of nodes and of fields that hold something; `ast.dump` differs by version."""
    if isinstance(node, list):
        return "[" + ",".join(_written(each) for each in node) + "]"
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.JoinedStr):
        return f"JoinedStr({_pieces(node)})"
    fields = [
        f"{name}={_written(value)}"
        for name, value in ast.iter_fields(node)
        if name not in _NOTES and value is not None and value != []
    ]
    if isinstance(node, ast.Constant) and node.value is None:
        fields = ["value=None"]
    return f"{type(node).__name__}({','.join(fields)})"


def _pieces(node: ast.JoinedStr) -> str:
    """The pieces of an f-string; versions of Python split its plain text in different places."""
    pieces: list[str] = []
    plain = ""
    for value in node.values:
        if isinstance(value, ast.Constant):
            plain += str(value.value)
            continue
        pieces += [repr(plain)] if plain else []
        plain = ""
        pieces.append(_written(value))
    pieces += [repr(plain)] if plain else []
    return ",".join(pieces)
