"""The address of the project's repository, as far as the service that builds the site names it."""

from __future__ import annotations

import os

PLACEHOLDER = "<address of this repository>"
UNKNOWN = (
    "These pages were built without the address of the repository. "
    "Ask for it, or for a ZIP file, where you got these pages."
)


def repository_address() -> str:
    """Where the repository is; empty if no service has named it."""
    server, name = os.environ.get("GITHUB_SERVER_URL"), os.environ.get("GITHUB_REPOSITORY")
    return f"{server}/{name}" if server and name else ""


def with_address(markdown: str) -> str:
    """A page that says how to clone the repository: with its address, or with a way to get it."""
    address = repository_address()
    if PLACEHOLDER not in markdown or address:
        return markdown.replace(PLACEHOLDER, address)
    before, placeholder, after = markdown.partition(PLACEHOLDER)
    commands, gap, rest = after.partition("\n\n")
    return f"{before}{placeholder}{commands}{gap}{UNKNOWN}\n\n{rest}"
