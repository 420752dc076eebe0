"""A Sphinx extension: a link to a file of the project that is no page leads to its repository."""

from __future__ import annotations

import os
from pathlib import PurePosixPath
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

from grader.site.repository_address import repository_address


def address_of(target: str, document: str) -> str:
    """Where a relative link of a document leads on GitHub; empty if no service has named the repository.

    A link above the project, such as ../../issues, is one of the repository's own pages.
    """
    repository = repository_address()
    if not repository:
        return ""
    parts: list[str] = []
    above = False
    for part in (*PurePosixPath(document).parent.parts, *PurePosixPath(target).parts):
        if part != "..":
            parts.append(part)
        elif parts:
            parts.pop()
        else:
            above = True
    place = [] if above else ["blob", os.environ.get("GITHUB_SHA", "main")]
    return "/".join([repository, *place, *parts])


def leave_the_site(app: Sphinx, doctree: nodes.document) -> None:
    """Let links to other files lead to the repository; without one, only their text stays."""
    document = f"{app.env.docname}.md"
    for node in list(doctree.findall(pending_xref)):
        target = str(node.get("reftarget", ""))
        if node.get("reftype") != "myst" or node.get("refdomain") or not _is_path(target):
            continue
        address = address_of(target, document)
        place = nodes.reference(refuri=address, internal=False) if address else nodes.inline()
        place += node.children
        node.replace_self(place)


def _is_path(target: str) -> bool:
    """Whether a target is no anchor: those have neither dots nor slashes, nor capitals as LICENSE has."""
    return bool({".", "/"} & set(target)) or target.isupper()


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", leave_the_site)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
