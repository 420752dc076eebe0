"""The pages of play/ as HTML: what they share, around what is their own."""

from __future__ import annotations

import json
from importlib import resources
from string import Template
from typing import Any

# a browser keeps to it: nothing from other servers, no script or style in the page itself
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; "
    "style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
)
_PARTS = {
    "index.html": "Exercises",
    "drill.html": "Drill",
    "explore.html": "Explore",
}  # file and name of each page


def framed(file: str, title: str, script: str, main: str, data: Any = None) -> str:
    """A page with its `main` HTML; its `script` finds the `data` as JSON."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")
    return filled(
        "frame.html",
        policy=POLICY,
        title=title,
        script=script,
        parts="".join(_part(name, words, name == file) for name, words in _PARTS.items()),
        main=main,
        data=f'<script type="application/json" id="data">{text}</script>' if data else "",
    )


def filled(template: str, **values: object) -> str:
    """A template of this folder; `$file` are the buttons that save and load what is kept."""
    return Template(_file(template)).substitute(file=_file("kept_file.html"), **values)


def _part(file: str, name: str, current: bool) -> str:
    here = ' aria-current="page"' if current else ""
    return f'<a href="{file}"{here}>{name}</a>'


def _file(name: str) -> str:
    return (resources.files("grader.site") / "play" / name).read_text(encoding="utf-8")
