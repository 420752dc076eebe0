"""What students get: the project without solutions, tests and what grading keeps, as one zip."""

from __future__ import annotations

import contextlib
import os
import stat
import zipfile
from pathlib import Path

from grader.judging.pack import FILE_NAME
from grader.runtime.errors import SetupError

TOP = "stateful-streams"  # the folder in the zip
# A list of what goes in, not of what stays out: a teacher's folder holds grade books and answers, too.
FILES = (
    *("LICENSE", "Makefile", "README.md", "environment.yml", "postBuild"),
    *("pyproject.toml", "requirements.lock", "requirements-dev.lock", "nbgrader_config.py"),
)
TREES = {  # folder → what of it
    "grader": ("**/*",),
    "datasets": ("README.md", "*.jsonl"),
    "docs": ("*.md", "pictures/*"),
    "docker": ("*", "certs/README.md"),
    ".devcontainer": ("*",),
}
LESSON_FILES = (FILE_NAME, "*.svg")  # beside the notebook
_LEFT_OVER = ("__pycache__", ".ipynb_checkpoints")
_MADE = (2026, 1, 1, 0, 0, 0)  # the same files give the same zip


def bundle(root: Path, out: Path) -> list[str]:
    """Write the students' zip of the project in `root`; the paths in it, without its top folder.

    Raises SetupError where a notebook in course/ is not as it is handed out: a teacher's own answers
    would go to all students.
    """
    _demand_untouched(root)
    found = sorted({path.relative_to(root).as_posix() for path in _files(root)})
    if not any(name.startswith("course/") for name in found):
        raise SetupError(f"There is no course/ in {root}: bundle in the project's folder.")
    new = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as zipped:
            for name in found:
                _add(zipped, root / name, f"{TOP}/{name}")
        os.replace(new, out)
    finally:
        with contextlib.suppress(FileNotFoundError):
            new.unlink()
    return found


def _files(root: Path) -> list[Path]:
    found = [root / name for name in FILES]
    for folder, globs in TREES.items():
        found += [path for each in globs for path in (root / folder).glob(each)]
    for lesson in (root / "course").glob("[0-9][0-9]_*"):
        found.append(lesson / f"{lesson.name}.ipynb")
        found += [path for each in LESSON_FILES for path in lesson.glob(each)]
    found.append(root / "course" / "progress.ipynb")
    return [
        path
        for path in found
        if path.is_file()
        and not path.is_symlink()
        and path.suffix != ".pyc"
        and not set(path.parts) & set(_LEFT_OVER)
    ]


def _add(zipped: zipfile.ZipFile, path: Path, name: str) -> None:
    about = zipfile.ZipInfo(name, _MADE)
    runs = path.stat().st_mode & stat.S_IXUSR
    about.external_attr = (stat.S_IFREG | (0o755 if runs else 0o644)) << 16
    about.compress_type = zipfile.ZIP_DEFLATED
    zipped.writestr(about, path.read_bytes())


def _demand_untouched(root: Path) -> None:
    """Hold the notebooks in course/ against solutions/, where these are; a bundle has none."""
    if not (root / "solutions").is_dir():
        return
    from grader.authoring.build import student_notebooks
    from grader.authoring.source import read_lessons

    with student_notebooks(read_lessons(root / "solutions")) as generated:
        for wanted in sorted(generated.glob("*/*.ipynb")):
            name = wanted.relative_to(generated)
            there = root / "course" / name
            if there.is_file() and there.read_bytes() != wanted.read_bytes():
                raise SetupError(
                    f"course/{name} is not as it is handed out, and what stands in it would go to all "
                    "students. Put it back: git checkout -- course/ (or grader build)."
                )
