"""What students get: the project without solutions, tests and what grading keeps, as one zip."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from grader.classroom.course import lesson_among
from grader.classroom.discussions import without_discussions
from grader.errors import SetupError
from grader.judging.check_pack import FILE_NAME

Say = Callable[[str], None]

TOP = "stateful-streams"  # the folder in the zip
# A list of what goes in, not of what stays out: a teacher's folder holds grade books and answers, too.
FILES = (
    *("LICENSE", "Makefile", "README.md", "environment.yml", "postBuild", ".dockerignore"),
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
PACKED = (".whl", ".jar")  # compressed as they are
README = "README.md"
_ABSENT = re.compile(
    r"\b(solutions|tests|benchmarks)/|CONTRIBUTING\.md|\bmake (test|verify|bench)\b"
)
_LEFT_OVER = ("__pycache__", ".ipynb_checkpoints")
_MADE = (2026, 1, 1, 0, 0, 0)  # the same files give the same zip


def bundle(root: Path, out: Path, *, offline: bool = False, say: Say = print) -> list[str]:
    """Write the students' zip of the project in `root`; the paths in it, without its top folder.

    Check packs are in it without discussions of the solutions, and README.md leaves out what the zip
    does not have. With `offline` it also holds what a set-up would fetch; see bundle_downloads.py.
    Raises SetupError if a notebook in course/ is not as it is handed out: a teacher's own answers
    would go to all students.
    """
    _demand_untouched(root)
    found = {path.relative_to(root).as_posix(): path for path in _files(root)}
    if not any(name.startswith("course/") for name in found):
        raise SetupError(f"There is no course/ in {root}: bundle in the project's folder.")
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.") as scratch:
        if offline:
            from grader.classroom.bundle_downloads import gather

            downloads = Path(scratch, "offline")
            downloads.mkdir()
            found |= gather(root / "requirements.lock", downloads, say)
        found |= _made_for_students(found, Path(scratch))
        _write(found, Path(scratch, out.name), out)
    return sorted(found)


def bundle_discussions(root: Path, out: Path, lessons: Collection[str] = ()) -> list[str]:
    """Write a zip of check packs as they are in course/, discussions included; the paths in it.

    `lessons` are ids or folder names; without any it is all. Raises SetupError for a lesson that is not there.
    """
    packs = {path.parent.name: path for path in sorted((root / "course").glob(f"*/{FILE_NAME}"))}
    names = [lesson_among(list(packs), given) for given in lessons] if lessons else list(packs)
    if None in names or not names:
        there = ", ".join(packs) or "none"
        raise SetupError(f"Not all of {', '.join(lessons)} are lessons; there are: {there}.")
    found = {f"course/{name}/{FILE_NAME}": packs[str(name)] for name in names}
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.") as scratch:
        _write(found, Path(scratch, out.name), out)
    return sorted(found)


def _write(found: Mapping[str, Path], new: Path, out: Path) -> None:
    """Write a zip of these files as `new`, then put it in the place of `out`."""
    with zipfile.ZipFile(new, "w") as zipped:
        for name, path in sorted(found.items()):
            _add(zipped, path, f"{TOP}/{name}")
    os.replace(new, out)


def _made_for_students(found: Mapping[str, Path], scratch: Path) -> dict[str, Path]:
    """The files that students get in a different form from their teacher."""
    made = {}
    for name, path in found.items():
        if path.name == FILE_NAME:
            made[name] = without_discussions(path, scratch / f"{path.parent.name}.pack")
        elif name == README:
            made[name] = scratch / README
            text = path.read_text(encoding="utf-8")
            made[name].write_text(_readme_of_students(text), encoding="utf-8")
    return made


def _readme_of_students(text: str) -> str:
    """The README less the paragraphs and table rows about what the zip does not have."""
    kept = []
    for part in text.split("\n\n"):
        lines = part.splitlines()
        if part.startswith("|"):
            lines = [line for line in lines if not _ABSENT.search(line)]
        elif _ABSENT.search(part):
            continue
        kept.append("\n".join(lines))
    return "\n\n".join(kept).rstrip("\n") + "\n"


def _files(root: Path) -> list[Path]:
    found = [root / name for name in FILES]
    for folder, globs in TREES.items():
        found += [path for each in globs for path in (root / folder).glob(each)]
    for lesson in (root / "course").glob("[0-9][0-9]_*"):
        found.append(lesson / f"{lesson.name}.ipynb")
        found += [path for each in LESSON_FILES for path in lesson.glob(each)]
    found.append(root / "course" / "progress.ipynb")
    files = [path for path in found if path.is_file() and not path.is_symlink()]
    return [x for x in files if x.suffix != ".pyc" and not set(x.parts) & set(_LEFT_OVER)]


def _add(zipped: zipfile.ZipFile, path: Path, name: str) -> None:
    about = zipfile.ZipInfo(name, _MADE)
    runs = path.stat().st_mode & stat.S_IXUSR
    about.external_attr = (stat.S_IFREG | (0o755 if runs else 0o644)) << 16
    packed = path.suffix in PACKED
    about.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
    about.file_size = path.stat().st_size
    with path.open("rb") as file, zipped.open(about, "w") as to:
        shutil.copyfileobj(file, to)


def _demand_untouched(root: Path) -> None:
    """Compare the notebooks in course/ with solutions/, if they are there; a bundle has none."""
    if not (root / "solutions").is_dir():
        return
    from grader.authoring.course_build import PROGRESS, progress_notebook, student_notebooks
    from grader.authoring.lesson_source import read_lessons

    lessons = read_lessons(root / "solutions")
    with student_notebooks(lessons) as generated:
        wanted = {p.relative_to(generated): p.read_bytes() for p in generated.glob("*/*.ipynb")}
    if page := progress_notebook(lessons):
        wanted[Path(PROGRESS)] = page.encode()
    for name, content in sorted(wanted.items()):
        there = root / "course" / name
        if there.is_file() and there.read_bytes() != content:
            raise SetupError(
                f"course/{name} is not as it is handed out, and what stands in it would go to all "
                "students. Copy what you want to keep to another folder, then put it back: git "
                f"checkout -- course/{name} (grader build where solutions/ has changed)."
            )
