"""The files of play/: pages to write exercises, to drill and to explore, their scripts, and a Python for them."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import tempfile
from pathlib import Path

from grader.site.npm_packages import install, run_node
from grader.site.page_archive import page_archive
from grader.site.play_page import play_page
from grader.site.practice_pages import drill_page, explore_page

PLAY_BYTES = 8_000_000  # of all files, gzipped
_SOURCES = Path(__file__).with_name("play")
_OWN = ("*.js", "page.css")
_PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")


def write_play(course: Path, into: Path) -> None:
    """Write the pages and all that they load into the new folder `into`.

    Raises SetupError if npm or node is missing or fails.
    """
    into.mkdir()
    (into / "index.html").write_text(play_page(course), encoding="utf-8")
    (into / "drill.html").write_text(drill_page(course), encoding="utf-8")
    (into / "explore.html").write_text(explore_page(course), encoding="utf-8")
    for path in (path for pattern in _OWN for path in _SOURCES.glob(pattern)):
        shutil.copy(path, into)
    with tempfile.TemporaryDirectory(prefix="play-") as folder:
        packages = install(_SOURCES, Path(folder))
        run_node(_SOURCES / "bundle.mjs", packages, _SOURCES / "editor.mjs", into)
        pyodide = packages / "pyodide"
        for name in _PYODIDE:
            shutil.copy(pyodide / name, into)
        archive = Path(folder, "course.zip")
        archive.write_bytes(page_archive(course))
        run_node(_SOURCES / "precompile.mjs", pyodide, archive, into)
    _list_files(into)


def gzipped_bytes(folder: Path) -> int:
    """The bytes that a first visit loads from a server that compresses every file of `folder`."""
    return sum(len(gzip.compress(path.read_bytes(), 6)) for path in folder.glob("*"))


def _list_files(into: Path) -> None:
    """For the service worker: what it keeps, and a version that changes with any of it."""
    paths = sorted(path for path in into.iterdir() if path.name != "sw.js")
    version = hashlib.sha256()
    for path in paths:
        version.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    names = json.dumps([path.name for path in paths])
    text = f'const VERSION = "{version.hexdigest()[:16]}";\nconst FILES = {names};\n'
    (into / "files.js").write_text(text, encoding="utf-8")
