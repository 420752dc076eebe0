"""A Sphinx extension: the search lists a term's entry in the glossary and the section that teaches it before all else."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from grader.authoring.glossary import Term, read_glossary

GLOSSARY = "docs/glossary"


@cache
def _terms(glossary: Path) -> tuple[Term, ...]:
    return tuple(read_glossary(glossary))


def add_entries(app: Sphinx, doctree: nodes.document) -> None:
    """Add the names of terms as index entries, which count more than words on a page."""
    page = app.env.docname
    lesson = page.rpartition("/")[2][:2] if page.startswith("course/") else ""
    if not lesson and page != GLOSSARY:
        return
    terms = _terms(Path(app.srcdir, f"{GLOSSARY}.md"))
    for section in list(doctree.findall(nodes.section)):
        title = section[0].astext()
        if lesson:
            named = (t for t in terms if (t.lesson, t.heading.replace("`", "")) == (lesson, title))
        else:
            named = (term for term in terms if term.name.replace("`", "") == title)
        _add(section, (name for term in named for name in term.names))


def _add(section: nodes.section, names: Iterable[str]) -> None:
    entries = [("single", name, section["ids"][0], "main", None) for name in names]
    if entries:
        section.insert(1, addnodes.index(entries=entries))


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", add_entries)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
