"""Making a certificate from a learner's progress file and the answers in their notebooks."""

from __future__ import annotations

import contextlib
import subprocess
from datetime import date
from importlib import metadata
from pathlib import Path

from grader.judging.check_pack import Pack, PackedExercise, find_packs, read_pack
from grader.learner import progress
from grader.learner.notebook_reader import read_notebook
from grader.progress_pages.certificate import (
    Certificate,
    CertificateError,
    Certified,
    CertifiedLesson,
    answer_digest,
)
from grader.progress_pages.certificate_page import certificate_html, read_page
from grader.runtime.paths import APP

LONGEST_NAME = 80  # characters, so that the page stays one sheet


def write_certificate(name: str, root: Path, file: Path) -> Certificate:
    """Write the certificate of the learner on this machine; `root` is the project's folder.

    Raises CertificateError if there is nothing to certify, or if the file is something else.
    """
    name = " ".join(name.split())
    if not name.isprintable() or not 0 < len(name) <= LONGEST_NAME:
        raise CertificateError(
            f"a name has 1 to {LONGEST_NAME} printable characters, not {name!r}."
        )
    if file.suffix.lower() not in (".html", ".htm"):
        raise CertificateError(f"{file} is not a name for a page: name it {file.stem}.html.")
    if file.is_dir() or (file.exists() and not _is_certificate(file)):
        raise CertificateError(f"{file} exists, and is no certificate. Choose another name.")
    if not file.absolute().parent.is_dir():
        raise CertificateError(f"there is no folder {file.parent}. Create it first.")
    certificate = certificate_now(name, root)
    if not any(one.score for one in certificate.exercises):
        raise CertificateError("no exercise has points yet. `grader progress` shows the first one.")
    file.write_text(certificate_html(certificate), encoding="utf-8")
    return certificate


def certificate_now(name: str, root: Path) -> Certificate:
    """What the progress file and the notebooks in course/ say today."""
    done = progress.read()["exercises"]
    lessons = []
    for pack in packs_in(root).values():
        answers = answer_digests(notebook_in(root / "course", pack), pack)
        exercises = tuple(
            _certified(packed, done.get(packed.exercise.id, {}), answers)
            for packed in pack.graded()
        )
        lessons.append(CertifiedLesson(pack.lesson, pack.title, exercises))
    return Certificate(name, date.today().isoformat(), course_version(root), tuple(lessons))


def _certified(packed: PackedExercise, entry: dict, answers: dict[str, str]) -> Certified:
    exercise, score = packed.exercise, entry.get("score", 0)
    return Certified(
        exercise.id,
        entry.get("status") == "passed",
        score,
        exercise.points,
        exercise.further,
        answers.get(exercise.id, "") if score else "",
    )


def answer_digests(notebook: Path | None, pack: Pack) -> dict[str, str]:
    """The digest of each answer in a notebook, by exercise; none for a cell as it was handed out."""
    if notebook is None:
        return {}
    sources: dict[str, str] = {}
    for cell in read_notebook(notebook).cells:
        marked = cell.metadata.get("nbgrader")
        if isinstance(marked, dict):
            sources[str(marked.get("grade_id"))] = cell.source
    found = {}
    for packed in pack.graded():
        digest = answer_digest(sources.get(packed.exercise.answer, ""))
        if digest not in (answer_digest(""), answer_digest(packed.cell)):
            found[packed.exercise.id] = digest
    return found


def notebook_in(folder: Path, pack: Pack) -> Path | None:
    """A lesson's notebook, in its own folder or in this one; None if it is in neither."""
    name = f"{pack.lesson}_{pack.slug}"
    places = (folder / name / f"{name}.ipynb", folder / f"{name}.ipynb")
    return next((place for place in places if place.is_file()), None)


def course_version(root: Path) -> str:
    """The version of the package, with the commit if the course is a git clone."""
    commit = ""
    if (root / ".git").exists():
        command = ["git", "-C", str(root), "rev-parse", "--short=12", "HEAD"]
        with contextlib.suppress(OSError):  # no git on this machine
            commit = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    return f"{metadata.version(APP)}, commit {commit}" if commit else metadata.version(APP)


def packs_in(root: Path) -> dict[str, Pack]:
    """The course's packs by lesson, in order."""
    return {lesson: read_pack(path) for lesson, path in sorted(find_packs(root).items())}


def _is_certificate(file: Path) -> bool:
    try:
        read_page(read_file(file))
    except CertificateError:
        return False
    return True


def read_file(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise CertificateError(f"{file} is not a page in UTF-8.") from error
    except (FileNotFoundError, IsADirectoryError) as error:
        raise CertificateError(f"{file} is not a file that can be read.") from error
