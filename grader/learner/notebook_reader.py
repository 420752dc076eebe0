"""The one reader of notebook files: as tolerant as the tools that people write notebooks with."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

KINDS = ("code", "markdown", "raw")
_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
# str.splitlines() ends a line at each of these, so a writer's list of lines does as well
_LINE_ENDS = tuple("\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
# how files begin that are an archive, whatever they are called
_ARCHIVES = {
    b"PK\x03\x04": "zip",
    b"\x1f\x8b": "gzip",
    b"7z\xbc\xaf": "7z",
    b"Rar!": "rar",
}
_MAJOR = 4
_AGAIN = "save the notebook in JupyterLab and hand in that file"


class NotebookError(ValueError):
    """A notebook that cannot be checked; the message names the fix."""


@dataclass(frozen=True)
class NotebookFile:
    """A notebook as it was read, and what its file had that other programs refuse or change."""

    notebook: NotebookNode
    repairs: list[str] = field(default_factory=list)


def read_notebook(path: Path) -> NotebookNode:
    """Read a notebook file as format 4.5; raises NotebookError with the fix if it cannot be."""
    return read_notebook_file(path).notebook


def read_notebook_file(path: Path) -> NotebookFile:
    """Read a notebook file and say what was repaired in it; raises NotebookError as `read_notebook`."""
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise NotebookError(f"{path} does not exist.") from error
    except IsADirectoryError as error:
        raise NotebookError(
            f"{path} is a folder: name the notebook in it, {path / path.name}.ipynb"
        ) from error
    except PermissionError as error:
        raise NotebookError(f"{path} cannot be read: fix its permissions.") from error
    try:
        return notebook_of(data)
    except RecursionError as error:
        raise NotebookError(f"{path} is nested too deeply to be a notebook") from error
    except NotebookError as error:
        raise NotebookError(f"{path} is not a notebook that can be read: {error}") from error
    except Exception as error:
        raise NotebookError(
            f"{path} is not a notebook that can be read ({type(error).__name__}: "
            f"{str(error)[:200]}). Fix: {_AGAIN}."
        ) from error


def notebook_of(data: bytes) -> NotebookFile:
    """The notebook that a file's bytes hold; NotebookError says what they hold instead."""
    repairs: list[str] = []
    given = _dictionary(data, repairs)
    if "worksheets" in given or not isinstance(given.get("cells"), list):
        given = _upgraded(given)
    cells = [one for one in given["cells"] if isinstance(one, dict)]
    metadata = given.get("metadata")
    notebook = nbformat.from_dict(
        {
            "nbformat": _MAJOR,
            "nbformat_minor": 5,
            "metadata": metadata if isinstance(metadata, dict) else {},
            "cells": [_cell(one, repairs) for one in cells],
        }
    )
    _name_cells(notebook, repairs)
    _hold_to_format(notebook, repairs)
    return NotebookFile(notebook, list(dict.fromkeys(repairs)))


def _dictionary(data: bytes, repairs: list[str]) -> dict[str, Any]:
    text = _decoded(data, repairs).strip("\0 \t\r\n\ufeff")
    if not text:
        raise NotebookError(f"it is empty. Fix: {_AGAIN}.")
    try:
        found = json.loads(text, strict=False)
    except ValueError as error:
        raise NotebookError(_what_it_is(text, error)) from error
    if "\\ud" in text.lower():  # half a sign, which no file can hold
        found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    if isinstance(found, str):  # JSON in a string
        found = json.loads(found, strict=False)
    if isinstance(found, dict) and isinstance(found.get("content"), dict):
        repairs.append("it is wrapped as a Jupyter server sends it")
        found = found["content"]
    if not isinstance(found, dict) or not {"cells", "worksheets"} & set(found):
        raise NotebookError(f"it is JSON, but has no cells. Fix: {_AGAIN}.")
    return found


def _decoded(data: bytes, repairs: list[str]) -> str:
    for start, kind in _ARCHIVES.items():
        if data.startswith(start):
            raise NotebookError(
                f"it is a {kind} archive. Fix: unpack it, and hand in the notebook in it."
            )
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        repairs.append("it starts with a byte order mark")
    try:
        return data.decode(json.detect_encoding(data))
    except UnicodeDecodeError:
        repairs.append("it is not written in UTF-8")
        return data.decode("cp1252", "replace")


def _what_it_is(text: str, error: ValueError) -> str:
    """What a file holds that is not JSON, with the fix."""
    if re.search(r"^(<{7}|>{7}) ", text, re.M):
        return "it holds the marks of a git conflict. Fix: choose one side in each, and save it."
    if text.startswith("<"):
        return "it is a web page. Fix: download the notebook itself, not the page that shows it."
    if text.startswith("%PDF"):
        return "it is a PDF. Fix: hand in the notebook itself, the file that ends in .ipynb."
    if text.startswith("version https://git-lfs"):
        return "it is a pointer of Git LFS. Fix: git lfs pull, and hand in the notebook itself."
    if not text.startswith("{"):
        return f"it is no JSON ({error}). Fix: {_AGAIN}."
    if not text.endswith("}") or getattr(error, "pos", 0) >= len(text):
        return f"it ends in the middle, so a copy was cut short. Fix: {_AGAIN}."
    return f"its JSON is damaged ({error}). Fix: {_AGAIN}."


def _upgraded(given: dict[str, Any]) -> dict[str, Any]:
    """A notebook of formats 1 to 3 as one of format 4."""
    sheets = given.get("worksheets")
    for sheet in sheets if isinstance(sheets, list) else [given]:
        for cell in sheet.get("cells") or []:
            for name in {"input", "source"} & set(cell):
                cell[name] = _source(cell[name], cell.get("cell_type") == "code", [])
    old = nbformat.reader.reads(json.dumps({"nbformat": 3, "nbformat_minor": 0, **given}))
    return dict(nbformat.convert(old, _MAJOR))


def _cell(given: dict[str, Any], repairs: list[str]) -> dict[str, Any]:
    metadata = given.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    kind = _kind(given, metadata)
    source = _source(given.get("source", given.get("input")), kind == "code", repairs)
    cell = {"cell_type": kind, "metadata": metadata, "source": source, "id": given.get("id")}
    if kind == "code":
        number, outputs = given.get("execution_count"), given.get("outputs")
        cell["execution_count"] = number if type(number) is int else None
        cell["outputs"] = [_output(one) for one in outputs or [] if isinstance(one, dict)]
    elif isinstance(given.get("attachments"), dict):
        cell["attachments"] = given["attachments"]
    return cell


def _kind(given: dict[str, Any], metadata: dict[str, Any]) -> str:
    kind = str(given.get("cell_type", "")).lower()
    if kind in KINDS:
        return kind
    if kind in ("heading", "text", "html"):
        return "markdown"
    marked = metadata.get("nbgrader")
    own = marked.get("cell_type") if isinstance(marked, dict) else None
    return own if own in KINDS else "code"


def _source(given: Any, code: bool, repairs: list[str]) -> str:
    """A cell's text; some editors write a list of its lines without their ends."""
    if not isinstance(given, list):
        return given if isinstance(given, str) else ""
    lines = [line for line in given if isinstance(line, str)]
    whole = "".join(lines)
    if all(line.endswith(_LINE_ENDS) for line in lines[:-1]):
        return whole
    ended = "".join(
        line if line.endswith(_LINE_ENDS) or n == len(lines) else f"{line}\n"
        for n, line in enumerate(lines, start=1)
    )
    if code and not _is_python(ended) and _is_python(whole):
        return whole  # pieces of lines
    repairs.append("its cells are lists of lines without line ends")
    return ended


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _output(given: dict[str, Any]) -> dict[str, Any]:
    """An output with each list of lines joined to one string, as programs hold it."""
    output = {
        name: "".join(map(str, value)) if name == "text" and isinstance(value, list) else value
        for name, value in given.items()
    }
    if isinstance(data := output.get("data"), dict):
        output["data"] = {
            kind: "".join(value) if _is_text(value) and not kind.endswith("json") else value
            for kind, value in data.items()
        }
    return output


def _is_text(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(line, str) for line in value)


def _name_cells(notebook: NotebookNode, repairs: list[str]) -> None:
    """Give a cell a new id if its own is not allowed in a notebook, or belongs to a different cell."""
    taken: set[str] = set()
    for number, cell in enumerate(notebook.cells):
        own = cell.get("id")
        if isinstance(own, str) and _ID.fullmatch(own) and own not in taken:
            taken.add(own)
            continue
        if own is not None:
            shared = isinstance(own, str) and own in taken
            repairs.append(
                "cells have the same id" if shared else "cells have ids that no notebook may have"
            )
        names = (f"cell-{number}" + (f"-{n}" if n else "") for n in count())
        others = {str(one.get("id")) for one in notebook.cells} | taken
        cell["id"] = next(name for name in names if name not in others)
        taken.add(cell["id"])


def _hold_to_format(notebook: NotebookNode, repairs: list[str]) -> None:
    """Take away what the format does not allow, the least first; the sources of cells always stay."""

    def without_outputs(cell: NotebookNode) -> None:
        cell.pop("attachments", None)
        if cell.cell_type == "code":
            cell.outputs = []

    def without_metadata(cell: NotebookNode) -> None:
        marked = cell.metadata.get("nbgrader")
        cell.metadata = nbformat.from_dict({"nbgrader": marked} if marked else {})

    for step in (without_outputs, without_metadata):
        if _is_valid(notebook):
            return
        repairs.append("its outputs or metadata are not as the format wants them")
        for cell in notebook.cells:
            step(cell)
    if not _is_valid(notebook):
        notebook.metadata = nbformat.from_dict({})


def _is_valid(notebook: NotebookNode) -> bool:
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError:
        return False
    return True
