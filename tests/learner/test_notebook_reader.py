"""One reader for what every tool writes: each file holds the same notebook, however it is damaged."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from grader.learner.notebook_reader import NotebookError, read_notebook_file

SOURCES = [
    ("markdown", "# Shoes\n\nEvery *shoe*."),
    ("code", "import grader\n\nspark, kafka = grader.start()"),
    (
        "code",
        "def kept(clicks):\n    # only some\n    return clicks.where(\n        'n > 1'\n    )",
    ),
    ("raw", "as it is"),
    ("code", "%time x = 1\n!ls\ny = 2"),
    ("code", ""),
]
Data = dict[str, Any]


def plain() -> Data:
    """A sound notebook, with outputs, as JSON has it; sources are lists of lines with their ends."""
    make = nbformat.v4
    by_kind = {
        "code": make.new_code_cell,
        "markdown": make.new_markdown_cell,
        "raw": make.new_raw_cell,
    }
    cells = [by_kind[kind](source, id=f"c{n}") for n, (kind, source) in enumerate(SOURCES)]
    cells[1].outputs = [make.new_output("stream", text="one\ntwo\n")]
    notebook = make.new_notebook(cells=cells)
    return dict(json.loads(nbformat.writes(notebook)))


def each_cell(change: Callable[[Data], object]) -> Callable[[Data], None]:
    def edit(data: Data) -> None:
        for cell in data["cells"]:
            change(cell)

    return edit


def without_ends(cell: Data) -> None:
    cell["source"] = [line.rstrip("\n") for line in cell["source"]]


def to_version_3(data: Data) -> None:
    old = nbformat.convert(nbformat.from_dict(copy.deepcopy(data)), 3)
    data.clear()
    data.update(json.loads(nbformat.v3.writes_json(old)))


def lines_of_version_3(data: Data) -> None:
    to_version_3(data)
    for cell in data["worksheets"][0]["cells"]:
        name = "input" if "input" in cell else "source"
        cell[name] = [line.rstrip("\n") for line in cell[name]]


def wrapped(data: Data) -> None:
    content = dict(data)
    data.clear()
    data.update(name="x.ipynb", type="notebook", format="json", content=content)


EDITS: dict[str, tuple[Callable[[Data], object], str]] = {  # name → the edit, what is said of it
    "sound": (lambda data: None, ""),
    "lines without ends": (each_cell(without_ends), "without line ends"),
    "one source a string": (each_cell(lambda cell: cell.update(source="".join(cell["source"]))), ""),
    "lines without ends, format 3": (lines_of_version_3, ""),
    "format 3": (to_version_3, ""),
    "ids of another tool": (each_cell(lambda cell: cell.update(id=f"#VSC-{id(cell)}")), "ids that no"),
    "ids that are numbers": (each_cell(lambda cell: cell.update(id=7)), "ids that no"),
    "ids too long": (each_cell(lambda cell: cell.update(id="x" * 99)), "ids that no"),
    "ids empty": (each_cell(lambda cell: cell.update(id="")), "ids that no"),
    "ids null": (each_cell(lambda cell: cell.update(id=None)), ""),
    "ids all the same": (each_cell(lambda cell: cell.update(id="same")), "the same id"),
    "no ids": (each_cell(lambda cell: cell.pop("id")), ""),
    "ids in an old format": (lambda data: data.update(nbformat_minor=2), ""),
    "a minor version of the future": (lambda data: data.update(nbformat_minor=99), ""),
    "a major version of the future": (lambda data: data.update(nbformat=5), ""),
    "versions as strings": (lambda data: data.update(nbformat="4", nbformat_minor="5"), ""),
    "no versions": (lambda data: [data.pop("nbformat"), data.pop("nbformat_minor")], ""),
    "no metadata at all": (lambda data: [data.pop("metadata"), each_cell(lambda c: c.pop("metadata"))(data)], ""),
    "metadata null": (each_cell(lambda cell: cell.update(metadata=None)), ""),
    "metadata that the format refuses": (each_cell(lambda c: c["metadata"].update(tags="x", name=1)), "outputs or metadata"),
    "a kernel without a name": (lambda data: data["metadata"].update(kernelspec={}), "outputs or metadata"),
    "outputs missing": (each_cell(lambda cell: cell.pop("outputs", None)), ""),
    "outputs null": (each_cell(lambda c: c.update(outputs=None) if c["cell_type"] == "code" else 0), ""),
    "outputs of no kind": (lambda data: data["cells"][1].update(outputs=[{"x": 1}, 7]), "outputs or metadata"),
    "outputs in text cells": (each_cell(lambda cell: cell.update(outputs=[], execution_count=3)), ""),
    "a count that is a string": (each_cell(lambda c: c.update(execution_count="3")), ""),
    "fields of a tool": (each_cell(lambda cell: cell.update(cellId="x", isCollapsed=True)), ""),
    "top-level fields of a tool": (lambda data: data.update(deepnote={}, version=1), ""),
    "types in capitals": (each_cell(lambda cell: cell.update(cell_type=cell["cell_type"].upper())), ""),
    "something that is no cell": (lambda data: data["cells"].append("x"), ""),
    "null among the lines": (lambda data: data["cells"][1]["source"].insert(1, None), ""),
    "wrapped by a server": (wrapped, "as a Jupyter server"),
}  # fmt: skip

ENCODINGS: dict[str, tuple[Callable[[str], bytes], str]] = {
    "byte order mark": (lambda text: b"\xef\xbb\xbf" + text.encode(), "byte order mark"),
    "two marks": (lambda text: b"\xef\xbb\xbf" * 2 + text.encode(), "byte order mark"),
    "UTF-16": (lambda text: text.encode("utf-16"), "byte order mark"),
    "UTF-16 without a mark": (lambda text: text.encode("utf-16-le"), ""),
    "UTF-32": (lambda text: text.encode("utf-32"), "byte order mark"),
    "zeros at the end": (lambda text: text.encode() + bytes(4096), ""),
    "empty lines around": (lambda text: b"\r\n\n" + text.encode() + b"\n\n", ""),
    "CRLF": (lambda text: json.dumps(json.loads(text), indent=1).replace("\n", "\r\n").encode(), ""),
    "real tabs in strings": (lambda text: text.replace("as it is", "as\tit is").encode(), ""),
    "JSON in a string": (lambda text: json.dumps(text).encode(), ""),
    "not a number": (lambda text: text.replace('"metadata": {}', '"metadata": {"x": NaN}', 1).encode(), ""),
}  # fmt: skip


def sources(path: Path) -> list[tuple[str, str]]:
    return [(cell.cell_type, cell.source) for cell in read_notebook_file(path).notebook.cells]


@pytest.mark.parametrize("name", EDITS)
def test_what_a_tool_wrote_is_read_as_it_was_meant(name: str, tmp_path: Path) -> None:
    edit, said = EDITS[name]
    data = plain()
    edit(data)
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps(data))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        file = read_notebook_file(path)
    assert [(cell.cell_type, cell.source) for cell in file.notebook.cells] == SOURCES
    nbformat.validate(file.notebook)
    assert len({cell["id"] for cell in file.notebook.cells}) == len(SOURCES)
    assert len(file.repairs) == bool(said) and said in "".join(file.repairs)


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_file_is_read_in_whatever_it_is_encoded(name: str, tmp_path: Path) -> None:
    encode, said = ENCODINGS[name]
    path = tmp_path / "x.ipynb"
    path.write_bytes(encode(json.dumps(plain())))
    assert [(kind, text.replace("\t", " ")) for kind, text in sources(path)] == SOURCES
    repairs = read_notebook_file(path).repairs
    assert len(repairs) == bool(said) and said in "".join(repairs)


def test_letters_of_an_old_encoding_and_half_signs_are_kept_as_far_as_they_can_be(
    tmp_path: Path,
) -> None:
    path = tmp_path / "x.ipynb"
    text = json.dumps(plain(), ensure_ascii=False).replace("Every *shoe*", "Jeder *Fuß*")
    path.write_bytes(text.encode("cp1252"))
    assert "Fuß" in sources(path)[0][1]
    path.write_text(json.dumps(plain()).replace("Every", "Every \\ud83d"))
    assert "Every ?" in sources(path)[0][1]
    nbformat.write(read_notebook_file(path).notebook, path)


@pytest.mark.parametrize(
    ("lines", "meant"),
    [
        (["def f(x):", "    return x", "", "f(1)"], "def f(x):\n    return x\n\nf(1)"),
        (["# a comment", "x = 1"], "# a comment\nx = 1"),
        (["def f(x):\n", "    return x", "f(1)"], "def f(x):\n    return x\nf(1)"),
        (["x = ", "1\n", "y = 2"], "x = 1\ny = 2"),
        (["x = 1"], "x = 1"),
        ([], ""),
        (["x = 1\r\n", "y = 2"], "x = 1\r\ny = 2"),
        (["x = '\x0c", "'"], "x = '\x0c'"),
        (["%%time", "x = 1"], "%%time\nx = 1"),
    ],
)
def test_lines_are_put_together_as_they_were_meant(
    lines: list[str], meant: str, tmp_path: Path
) -> None:
    data = plain()
    data["cells"][2]["source"] = lines
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps(data))
    assert sources(path)[2][1] == meant


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is empty"),
        (b"\0" * 100, "it is empty"),
        (b"PK\x03\x04rest", "it is a zip archive. Fix: unpack it"),
        (b"\x1f\x8b\x08", "it is a gzip archive. Fix: unpack it"),
        (b"Rar!\x1a\x07", "it is a rar archive"),
        (b"%PDF-1.7\n", "it is a PDF. Fix: hand in the notebook itself"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS. Fix: git lfs pull"),
        (b'{"cells": [],}', "its JSON is damaged"),
        (b"<!DOCTYPE html><html>", "it is a web page. Fix: download"),
        (b'{"cells": [', "it ends in the middle"),
        (json.dumps(plain()).encode()[:-40], "it ends in the middle"),
        (b'{\n<<<<<<< HEAD\n"cells": []\n=======\n>>>>>>> mine\n}', "git conflict"),
        (b"import grader\n\n# %%\n", "it is no JSON"),
        (b'{"cells" []}', "its JSON is damaged"),
        (b'{"nbformat": 4}', "it has no cells|but has no cells"),
        (b"[1, 2]", "but has no cells"),
        (b"null", "but has no cells"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"cells": 7, "nbformat": 4}', "not a notebook that can be read"),
    ],
)
def test_what_is_no_notebook_is_named_with_the_fix(
    content: bytes, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.ipynb"
    path.write_bytes(content)
    with pytest.raises(NotebookError, match=said) as problem:
        read_notebook_file(path)
    assert str(path) in str(problem.value)
