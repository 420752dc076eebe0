"""Where the notebook of a lesson opens: in the lab on this machine, in Colab, and in Codespaces."""

from __future__ import annotations

import os
from dataclasses import dataclass

from grader.runtime.paths import APP
from grader.site.repository_address import repository_address

_GITHUB = "https://github.com/"


@dataclass(frozen=True)
class LabLinks:
    """The ways to one notebook of the repository.

    `colab` and `codespaces` are addresses. They are empty if no service has named a repository on GitHub.
    """

    notebook: str
    installed: str
    clone: str
    colab: str
    codespaces: str


def lab_links(folder: str) -> LabLinks:
    """The ways to the notebook of a lesson, by the name of its folder in course/.

    Colab opens the notebook of the tag or branch from which the pages were built. Codespaces has no address for a
    file: it opens the dev container of the repository.
    """
    lesson = folder.partition("_")[0]
    notebook = f"course/{folder}/{folder}.ipynb"
    address = repository_address()
    name = address.removeprefix(_GITHUB) if address.startswith(_GITHUB) else ""
    version = os.environ.get("GITHUB_REF_NAME", "main")
    return LabLinks(
        notebook=notebook,
        installed=f"{APP} lab {lesson}",
        clone=f"make lab LESSON={lesson}",
        colab=f"https://colab.research.google.com/github/{name}/blob/{version}/{notebook}"
        if name
        else "",
        codespaces=f"https://codespaces.new/{name}?quickstart=1" if name else "",
    )
