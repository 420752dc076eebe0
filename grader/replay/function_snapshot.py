"""A learner's function as a new process would find it: its globals back at their first values."""

from __future__ import annotations

import inspect
import io
import pickle
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

from pyspark import cloudpickle
from pyspark.sql import SparkSession

Answer = Callable[..., Any]  # a learner's function

# these stay the one object that they are: they are the lab, not the learner's program
_SHARED_ROOTS = ("pyspark", "py4j", "grader", "_thread", "threading", "kafka", "IPython")


class Snapshot:
    """A function frozen with the globals that it uses; `thaw` gives an independent copy.

    A Python dict that collects counts between runs is then empty again after a crash, as
    it would be in a new process. A function that cannot be frozen thaws as itself.
    """

    def __init__(self, function: Callable[..., Any]):
        self._function = function
        self._shared: list[Any] = []
        self._frozen: bytes | None = None
        buffer = io.BytesIO()
        try:
            _Freezer(buffer, self._shared).dump((function, _used_in_classes(function)))
            self._frozen = buffer.getvalue()
        except Exception:
            self._frozen = None

    def thaw(self, session: SparkSession) -> Callable[..., Any]:
        """A copy of the function in which every Spark session is `session`.

        A notebook's `spark` must be that of the DataFrames that the function is given, or
        `spark.sql` does not find their views.
        """
        if self._frozen is None:
            return self._function
        thawer = _Thawer(io.BytesIO(self._frozen))
        thawer.shared = [
            session if isinstance(thing, SparkSession) else thing for thing in self._shared
        ]
        function, used_in_classes = thawer.load()
        for name, value in used_in_classes.items():
            function.__globals__.setdefault(name, value)
        return function  # type: ignore[no-any-return]


def _used_in_classes(function: Callable[..., Any]) -> dict[str, Any]:
    """The globals that bodies of classes inside a function use, such as those of annotations.

    cloudpickle finds a function's globals by LOAD_GLOBAL; the body of a class loads them by
    LOAD_NAME, so that they would be missing from the copy.
    """
    known = getattr(function, "__globals__", {})
    names = {name for code in _codes(function, set()) for name in code.co_names}
    return {name: known[name] for name in names if name in known}


def _codes(function: Any, seen: set[int]) -> Iterator[CodeType]:
    """The bodies of classes in a function, and in those of the same program that it uses."""
    if not isinstance(function, FunctionType) or id(function) in seen:
        return
    seen.add(id(function))
    inner = [function.__code__]
    for code in inner:
        inner += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        if not code.co_flags & inspect.CO_OPTIMIZED:
            yield code
        for name in code.co_names:
            used = function.__globals__.get(name)
            if getattr(used, "__globals__", None) is function.__globals__:
                yield from _codes(used, seen)


class _Freezer(cloudpickle.Pickler):  # type: ignore[misc]
    def __init__(self, buffer: io.BytesIO, shared: list[Any]):
        super().__init__(buffer)
        self._shared = shared

    def persistent_id(self, thing: Any) -> int | None:
        kind = type(thing)
        if kind.__module__.split(".")[0] in _SHARED_ROOTS and not isinstance(thing, type):
            self._shared.append(thing)
            return len(self._shared) - 1
        return None


class _Thawer(pickle.Unpickler):
    shared: list[Any]

    def persistent_load(self, number: int) -> Any:
        return self.shared[number]
