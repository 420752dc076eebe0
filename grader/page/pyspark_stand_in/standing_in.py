"""The names under which the stand-in is imported: `pyspark` and what belongs to it."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import pickle
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from grader.page.lab_only import OnlyTheLab
from grader.page.pyspark_stand_in import data_types, functions, raised_errors
from grader.page.pyspark_stand_in.column import Column
from grader.page.pyspark_stand_in.data_frame import DataFrame
from grader.page.pyspark_stand_in.grouped_data import GroupedData
from grader.page.pyspark_stand_in.session import SparkSession

# packages that answers of the lab may use, and that a page does not have
OF_THE_LAB = frozenset(
    ["pyspark", "py4j", "numpy", "pandas", "pyarrow", "psutil", "kafka", "pytest", "IPython"]
)


class _StandIn(ModuleType):
    """A module whose other names can be imported, and are for the lab when they are used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return unknown(f"{self.__name__}.{name}")


_USES = [
    "call",
    "getitem",
    "iter",
    "next",
    "mro_entries",
    "len",
    "bool",
    "instancecheck",
    "contains",
    "enter",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "hash",
    "neg",
    "add",
    "radd",
    "sub",
    "rsub",
    "mul",
    "rmul",
    "truediv",
    "rtruediv",
    "floordiv",
    "rfloordiv",
    "mod",
    "rmod",
    "pow",
    "and",
    "or",
    "int",
    "float",
    "str",
]


def unknown(name: str) -> Any:
    """Something that only the lab has, as a name in an annotation may be: any use of it says so."""

    def refuse(*_args: Any, **_kwargs: Any) -> Any:
        raise OnlyTheLab(name)

    def inner(_self: Any, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return unknown(f"{name}.{attribute}")

    methods: dict[str, Any] = {f"__{use}__": refuse for use in _USES}
    return type("Unknown", (), {**methods, "__getattr__": inner})()


class StreamingQuery:
    """A query that runs: there is none in a page."""


class DataStreamWriter:
    """A writer: there is none in a page."""


def _modules() -> dict[str, ModuleType]:
    """The modules of PySpark that answers and the grader import, by name."""
    types = {k: v for k, v in vars(data_types).items() if isinstance(v, type)}
    errors = {k: v for k, v in vars(raised_errors).items() if isinstance(v, type)}
    known: dict[str, dict[str, Any]] = {
        "pyspark": {},
        "pyspark.cloudpickle": {"Pickler": pickle.Pickler},
        "pyspark.errors": errors,
        "pyspark.sql": {
            "Column": Column, "DataFrame": DataFrame, "SparkSession": SparkSession,
            "GroupedData": GroupedData,
        },
        "pyspark.sql.dataframe": {"DataFrame": DataFrame},
        "pyspark.sql.column": {"Column": Column},
        "pyspark.sql.types": types,
        "pyspark.sql.functions": _public(functions),
        "pyspark.sql.streaming": {},
        "pyspark.sql.streaming.query": {"StreamingQuery": StreamingQuery},
        "pyspark.sql.streaming.readwriter": {"DataStreamWriter": DataStreamWriter},
        "pyspark.sql.streaming.state": {},
        "pyspark.sql.window": {},
        "pyspark.sql.utils": errors,
        "py4j": {},
        "psutil": {},
        "numpy": {"generic": type("generic", (), {})},
    }  # fmt: skip
    found: dict[str, ModuleType] = {}
    for name, names in known.items():
        module = _StandIn(name)
        module.__path__ = []
        vars(module).update(names)
        found[name] = module
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(found[parent], last, module)
    return found


def _public(module: ModuleType) -> dict[str, Any]:
    """A module's own names: not those that it imports, and none of its private ones."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    }


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the lab's other packages, and any that is not there: what is in them is for the lab."""

    def __init__(self, *, last: bool):
        """The `last` finder looks for what no other one has found."""
        self._last = last

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        top = fullname.partition(".")[0]
        own = top.startswith("_") or top in sys.stdlib_module_names or top in ("grader", "answers")
        if own or (not self._last and top not in OF_THE_LAB):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


def install() -> None:
    """From now on, `pyspark` and the lab's other packages are what a page has of them.

    It is for a process that imports none of them: a page, or a worker. Raises RuntimeError in another one.
    """
    there = sorted(n for n in sys.modules if n.partition(".")[0] in OF_THE_LAB)
    if any(isinstance(sys.modules[name], _StandIn) for name in there):
        return
    if there:
        raise RuntimeError(
            f"{there[0]} is imported: check answers in a worker (grader.page.worker)."
        )
    sys.modules.update(_modules())
    sys.meta_path.insert(0, _Finder(last=False))
    sys.meta_path.append(_Finder(last=True))
