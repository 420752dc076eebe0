"""What a release is made from: the version, its section in CHANGELOG.md, and the release before it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from packaging.version import Version

from grader.errors import SetupError
from grader.toml_file import read_toml

CHANGELOG = "CHANGELOG.md"
UNRELEASED = "Unreleased"
_SECTION = re.compile(r"^## \[([^\]]+)\].*\n", re.MULTILINE)
_SHOWN = 3


def version_of(root: Path) -> str:
    """The project's version. pyproject.toml is the only place that names it."""
    return str(read_toml(root / "pyproject.toml")["project"]["version"])


def tag_of(version: str) -> str:
    return f"v{version}"


def notes(root: Path, version: str) -> str:
    """The text of a version's section in CHANGELOG.md; empty if there is none."""
    parts = _SECTION.split((root / CHANGELOG).read_text(encoding="utf-8"))
    return dict(zip(parts[1::2], parts[2::2], strict=True)).get(version, "").strip()


def demand_ready(root: Path) -> None:
    """Raise SetupError with all that keeps this commit from a release, each with its fix."""
    problems = list(_problems(root, version_of(root)))
    if problems:
        raise SetupError("\n".join(problems))


def _problems(root: Path, version: str) -> Iterator[str]:
    changed = [line[3:] for line in git(root, "status", "--porcelain").splitlines()]
    if changed:
        shown = ", ".join(changed[:_SHOWN]) + (" …" if len(changed) > _SHOWN else "")
        yield f"There are uncommitted changes: {shown}. Fix: commit them."
    if not notes(root, version):
        yield (
            f"{CHANGELOG} says nothing about {version}, the version in pyproject.toml. Fix: add a section "
            f'"## [{version}] - {date.today()}", with what users notice.'
        )
    if notes(root, UNRELEASED):
        yield (
            f"{CHANGELOG} has entries under [{UNRELEASED}], which the release would not mention. "
            f"Fix: move them to the section of {version}."
        )
    here = git(root, "tag", "--list", "v[0-9]*", "--points-at", "HEAD").split()
    if tag_of(version) not in here and git(root, "tag", "--list", tag_of(version)):
        yield (
            f"The tag {tag_of(version)} exists, and its commit is not this one. "
            "Fix: raise the version in pyproject.toml, run make setup-dev and grader build, and commit."
        )
    if others := [tag for tag in here if tag != tag_of(version)]:
        yield (
            f"This commit has the tag {others[0]}, but pyproject.toml says {version}. "
            f"Fix: git tag --delete {others[0]}, or change the version."
        )


def previous(root: Path, named: str = "") -> tuple[str, str]:
    """The commit of the release that users have, and in words which one it is.

    `named` is a tag or a commit. Without it: the newest tag before this commit. Without a tag: the parent of the
    commit that added this version to CHANGELOG.md. Raises SetupError if there is none.
    """
    version = version_of(root)
    if named:
        commit, said = git(root, "rev-parse", "--verify", "--quiet", f"{named}^{{commit}}"), named
        if not commit:
            raise SetupError(
                f"This clone has no commit {named}. Fix: name another one as PREVIOUS."
            )
    elif tags := _tags_before(root, version):
        commit, said = (
            git(root, "rev-parse", f"{tags[-1]}^{{commit}}"),
            f"the newest tag, {tags[-1]}",
        )
    else:
        line = f"## [{version}]"
        added = git(root, "log", "--format=%H", f"-S{line}", "--", CHANGELOG).splitlines()
        commit = git(root, "rev-parse", "--verify", "--quiet", f"{added[-1]}^") if added else ""
        said = f"the commit before {version} was added to {CHANGELOG}"
    if not commit:
        raise SetupError(
            f"No release is known before {version}. Fix: name a commit: PREVIOUS=COMMIT"
        )
    return commit, f"{said}, commit {commit[:10]}"


def _tags_before(root: Path, version: str) -> list[str]:
    """The tags of releases in this commit's history, oldest first, without its own."""
    tags = git(root, "tag", "--list", "v[0-9]*", "--merged", "HEAD").split()
    return sorted((tag for tag in tags if tag != tag_of(version)), key=lambda tag: Version(tag[1:]))


def git(root: Path, *words: str) -> str:
    """What git prints; empty if it finds nothing. Raises SetupError where there is no repository."""
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True)
    if done.returncode == 128 and "not a git repository" in done.stderr:
        raise SetupError(f"{root} is not a clone. Fix: make the release in a clone of the project.")
    return done.stdout.rstrip("\n")
