"""The names of columns in the code of a Python operator, compared with those of its schema."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any

from py4j.java_gateway import JavaObject

from grader.live_query.column_names import nearest
from grader.live_query.observation import MissingColumn
from grader.live_query.query_plan import PYTHON_OPERATORS, Node, items_of

# how far from a function its helpers, classes and tables of names are followed
_DEPTH = 8


def misnamed_columns(root: Node, byte_tag: JavaObject) -> Iterator[MissingColumn]:
    """Columns that a Python operator's schema names and its code calls otherwise.

    `byte_tag` is Scala's class tag of a byte.
    """
    for node in root.nodes():
        if node.name not in PYTHON_OPERATORS:
            continue
        schema, given = _names(node.java.output()), _names(node.below[0].java.output())
        function = _function(node.java, byte_tag)
        used = set(_strings(function, _DEPTH, set()))
        known = used | set(_attributes(function))
        for wanted in schema:
            if wanted in known or wanted in given:
                continue
            named = nearest(wanted, used - set(schema) - set(given))
            if named:
                yield MissingColumn(PYTHON_OPERATORS[node.name], wanted, named)


def _function(java: JavaObject, byte_tag: JavaObject) -> Any:
    """The pickled Python function of an operator; it is loaded as Spark's workers load it, and not called."""
    command = java.functionExpr().func().command()
    function, _ = pickle.loads(bytes(command.toArray(byte_tag)))  # and its return type
    return function


def _names(attributes: JavaObject) -> list[str]:
    return [str(attribute.name()) for attribute in items_of(attributes)]


def _strings(thing: Any, depth: int, seen: set[int]) -> Iterator[str]:
    """The string constants in a function, in what it encloses and in the classes that it uses."""
    if depth < 0 or id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, str):
        yield thing
        return
    for part in _parts(thing):
        yield from _strings(part, depth - 1, seen)


def _parts(thing: Any) -> list[Any]:
    if isinstance(thing, (list, tuple, set, frozenset)):
        return list(thing)
    if isinstance(thing, dict):
        return [*thing, *thing.values()]
    if isinstance(thing, MethodType):
        return [thing.__func__, thing.__self__]
    if isinstance(thing, CodeType):
        return list(thing.co_consts)
    if isinstance(thing, FunctionType):
        cells = [cell.cell_contents for cell in thing.__closure__ or ()]
        named = [thing.__globals__[n] for n in thing.__code__.co_names if n in thing.__globals__]
        return [thing.__code__, *cells, *(one for one in named if not _is_library(one))]
    if isinstance(thing, type):
        return [] if _is_library(thing) else list(vars(thing).values())
    return [type(thing), *vars(thing).values()] if hasattr(thing, "__dict__") else []


def _is_library(thing: Any) -> bool:
    module = getattr(thing, "__module__", None) or getattr(thing, "__name__", "")
    return str(module).split(".")[0] in {"pyspark", "pandas", "numpy", "pyarrow", "builtins"}


def _attributes(function: Any, depth: int = _DEPTH) -> Iterator[str]:
    """The names of attributes, keywords and variables in a function's code."""
    for thing in _codes(function, depth, set()):
        yield from (*thing.co_names, *thing.co_varnames)


def _codes(thing: Any, depth: int, seen: set[int]) -> Iterator[CodeType]:
    if depth < 0 or id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, CodeType):
        yield thing
    if not isinstance(thing, str):
        for part in _parts(thing):
            yield from _codes(part, depth - 1, seen)
