"""The kinds of sandbox: which one a submission gets, and how it is made."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from typing import Protocol

from grader.errors import SetupError
from grader.runtime.bubblewrap import NoBubblewrapError, find_bubblewrap
from grader.sandbox import bwrap_sandbox, container_sandbox

KINDS = ("auto", "bwrap", "docker", "none")
VARIABLE = "GRADER_SANDBOX"
UNSAFE = (
    "graded without a sandbox, as you chose: its code ran with your rights and could read your "
    "files and use your network"
)


class Sandbox(Protocol):
    """A command in a sandbox that ends with it; `why` says which limit ended it, if one did."""

    process: subprocess.Popen[bytes]

    @property
    def why(self) -> str | None: ...

    def end(self, grace_seconds: float = 0.0) -> int: ...


START: dict[str, Callable[..., Sandbox]] = {
    "bwrap": bwrap_sandbox.start,
    "docker": container_sandbox.start,
}


def choose_kind(kind: str | None, *, otherwise: str) -> str:
    """The kind to use, as `named_kind` has it. Raises SetupError with the fix if it cannot be made here."""
    kind = named_kind(kind, otherwise=otherwise)
    if kind == "docker":
        container_sandbox.find_image()
    if kind == "bwrap":
        try:
            find_bubblewrap()
        except NoBubblewrapError as problem:
            raise SetupError(
                f"No sandbox can be made on this machine, so nothing is run: {problem}.\n"
                f"Fix: {problem.fix}.\n"
                "To run submissions with your own rights nevertheless: --sandbox none (nbgrader autograde: "
                f"{VARIABLE}=none)."
            ) from problem
    return kind


def named_kind(kind: str | None, *, otherwise: str) -> str:
    """The kind that is named, or the one in GRADER_SANDBOX, or `otherwise`.

    "auto" is "bwrap", and never becomes a different kind.
    """
    kind = kind or os.environ.get(VARIABLE) or otherwise
    if kind not in KINDS:
        raise SetupError(f"{kind!r} is no kind of sandbox. There are: {', '.join(KINDS)}.")
    return "bwrap" if kind == "auto" else kind
