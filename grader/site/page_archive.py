"""The archive that a page unpacks in its Python: the modules that it needs, and the lessons' packs."""

from __future__ import annotations

import ast
import io
import json
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

from grader.judging.check_pack import FILE_NAME
from grader.page.lesson_cells import given_cells
from grader.page.offered_exercises import offered_lessons
from grader.validity.code_graph import CodeGraph

_ROOTS = ("page/page_reply.py", "page/drill_reply.py", "page/explorer_reply.py")
_SAME_TIME = (2026, 1, 1, 0, 0, 0)  # so that the same files make the same archive


def page_archive(course: Path) -> bytes:
    """A ZIP file of `grader/` as far as a page needs it, and of the lessons that it offers.

    Docstrings are left out, comments as well; of a notebook only the cells that answers build on are kept.
    """
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in [*_modules(), *_fsrs(), *_lessons(course)]:
            archive.writestr(_entry(name), content)
    return held.getvalue()


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _SAME_TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _modules() -> Iterator[tuple[str, bytes]]:
    """The modules, their packages' own files, and the data beside them."""
    graph = CodeGraph()
    modules = set(graph.modules(graph.files(_ROOTS)))
    for module in list(modules):
        packages = [folder for folder in module.parents if folder.is_relative_to(graph.package)]
        modules |= {folder / "__init__.py" for folder in packages}
    data = {path for module in modules for path in graph.data_of(module) if path.is_file()}
    for path in sorted(modules | data):
        content = path.read_bytes()
        name = path.relative_to(graph.package.parent).as_posix()
        yield name, without_words(content.decode()).encode() if path.suffix == ".py" else content


def _fsrs() -> Iterator[tuple[str, bytes]]:
    """The scheduler of the drill with its license; its optimizer is left out, because it needs PyTorch."""
    found = distribution("fsrs")
    for file in found.files or []:
        if file.suffix == ".py" and file.stem != "optimizer":
            yield file.as_posix(), without_words(file.read_text()).encode()
        elif file.name == "LICENSE":
            yield "fsrs/LICENSE", file.read_binary()
    yield "typing_extensions.py", b"from typing import Self\n"  # all that FSRS takes from it


def without_words(text: str) -> str:
    """A module without docstrings and comments: it does the same."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree) + "\n"


def _lessons(course: Path) -> Iterator[tuple[str, bytes]]:
    """The packs and notebooks of the lessons of which a page offers an exercise."""
    for lesson in offered_lessons(course):
        name = f"course/{lesson.folder.name}"
        yield f"{name}/{FILE_NAME}", (lesson.folder / FILE_NAME).read_bytes()
        for notebook in sorted(lesson.folder.glob("*.ipynb")):
            kept = json.dumps({"cells": given_cells(notebook)}, ensure_ascii=False)
            yield f"{name}/{notebook.name}", kept.encode()
