"""Relative links that lead nowhere: in documents, and in the lessons as learners get them.

    python -m grader.authoring.dead_links

checks that the file is there, and that it has the heading if a link names one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.anchors import anchors_plugin

from grader.authoring.prose_lint import Finding, prose_of

DOCUMENTS = ("*.md", "docs/*.md", "datasets/*.md", "tests/**/*.md", "solutions/*/*/discussion.md")
LESSONS = "solutions/*/lesson.py"
_MARKDOWN = MarkdownIt("gfm-like", {"linkify": False}).use(anchors_plugin, max_level=6)


def dead_links(root: Path) -> Iterator[Finding]:
    """The dead links of a project. Addresses with a scheme are not opened."""
    for path in sorted(path for pattern in DOCUMENTS for path in root.glob(pattern)):
        yield from _dead_links_of(path, path.read_text(encoding="utf-8"), path, root)
    for path in sorted(root.glob(LESSONS)):
        name = path.parent.name
        # links of a lesson start at its notebook
        notebook = root / "course" / name / f"{name}.ipynb"
        for prose in prose_of(path):
            for found in _dead_links_of(path, prose.text, notebook, root):
                yield Finding(found.rule, path, prose.line + found.line - 1, found.words)


def _dead_links_of(path: Path, text: str, base: Path, root: Path) -> Iterator[Finding]:
    for link, line in _links(text):
        parts = urlsplit(link)
        target = (base.parent / unquote(parts.path)).resolve() if parts.path else path
        if parts.scheme or parts.netloc or not target.is_relative_to(root.resolve()):
            continue  # ../../issues is an address on GitHub
        if not target.exists():
            yield Finding("dead link", path, line, f"{link}: there is no such file")
        elif parts.fragment and target.suffix == ".md" and parts.fragment not in _anchors(target):
            yield Finding("dead link", path, line, f"{link}: there is no such heading")


def _links(text: str) -> Iterator[tuple[str, int]]:
    """Each link and picture, with the line where its paragraph begins."""
    for token in _MARKDOWN.parse(text):
        for part in token.children or ():
            link = part.attrGet("href") if part.type == "link_open" else part.attrGet("src")
            if part.type in ("link_open", "image") and link:
                yield str(link), (token.map[0] if token.map else 0) + 1


@cache
def _anchors(path: Path) -> set[str]:
    tokens: list[Token] = _MARKDOWN.parse(path.read_text(encoding="utf-8"))
    return {str(token.attrGet("id")) for token in tokens if token.type == "heading_open"}


def main(root: Path) -> int:
    """Print the dead links of a project; 1 if there are any."""
    found = list(dead_links(root))
    print("\n".join(map(str, found)), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path()))
