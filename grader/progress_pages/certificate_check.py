"""Comparing a certificate with notebooks: whether their answers are those that it was made for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.judging.check_pack import Pack
from grader.progress_pages.certificate import (
    Certificate,
    CertificateError,
    Certified,
    CertifiedLesson,
    points_of,
)
from grader.progress_pages.certificate_page import certificate_html, read_page
from grader.progress_pages.certification import (
    answer_digests,
    certificate_now,
    course_version,
    notebook_in,
    packs_in,
    read_file,
)

RUN = "grader check NOTEBOOK --sandbox auto, or grader grade for a class."


@dataclass(frozen=True)
class Compared:
    """An exercise of a certificate that has points: what is wrong with it, empty if its answer is the same."""

    certified: Certified
    title: str
    wrong: str


@dataclass(frozen=True)
class Comparison:
    """A certificate next to notebooks: `exercises` are those with points.

    `same_course` says if the certificate has all exercises of the course that is here, and no others.
    The `notes` say what a reader of the page should know.
    """

    certificate: Certificate
    exercises: list[Compared]
    same_course: bool
    notes: list[str]

    @property
    def ok(self) -> bool:
        return self.same_course and all(not one.wrong for one in self.exercises)


def compare(file: Path, notebooks: Path, root: Path) -> Comparison:
    """Compare the certificate in a file with the notebooks in a folder.

    A notebook is NOTEBOOKS/03_watermarks/03_watermarks.ipynb or NOTEBOOKS/03_watermarks.ipynb. Raises
    CertificateError if the file is no certificate, or if there is no notebook at all.
    """
    page = read_file(file)
    try:
        certificate = read_page(page)
    except CertificateError as error:
        raise CertificateError(f"{file} cannot be verified: {error}.") from error
    packs = packs_in(root)
    places = {lesson: notebook_in(notebooks, pack) for lesson, pack in packs.items()}
    answers = {lesson: answer_digests(places[lesson], pack) for lesson, pack in packs.items()}
    if not any(places.values()):
        name = "03_watermarks/03_watermarks.ipynb"
        raise CertificateError(
            f"{notebooks} has no notebook of the course. Name a folder that has some, such as {name}."
        )
    compared = [
        _compared(certified, packs.get(lesson.id), answers.get(lesson.id, {}))
        for lesson in certificate.lessons
        for certified in lesson.exercises
        if certified.score or certified.passed
    ]
    same_course = _outline(certificate.lessons) == _outline(certificate_now("", root).lessons)
    return Comparison(certificate, compared, same_course, _notes(certificate, page, root))


def _compared(certified: Certified, pack: Pack | None, answers: dict[str, str]) -> Compared:
    packed = pack.exercises.get(certified.id) if pack else None
    if packed is None:
        return Compared(certified, "", "this course has no such exercise")
    points, title, answer = packed.exercise.points, packed.exercise.title, answers.get(certified.id)
    if not 0 <= certified.score <= points:
        wrong = f"it has {points:g} points in this course"
    elif not certified.answer:
        wrong = "the certificate has no answer to compare"
    elif answer is None:
        wrong = "there is no answer in the notebooks"
    else:
        wrong = "" if answer == certified.answer else "the answer in the notebook is another one"
    return Compared(certified, title, wrong)


def _outline(lessons: Sequence[CertifiedLesson]) -> list[tuple[str, str, str, float, bool]]:
    """What a certificate says of the course, and not of the learner."""
    return [
        (lesson.id, lesson.title, one.id, one.points, one.further)
        for lesson in lessons
        for one in lesson.exercises
    ]


def _notes(certificate: Certificate, page: str, root: Path) -> list[str]:
    notes = []
    if certificate.course != (here := course_version(root)):
        notes.append(f"The certificate is of course version {certificate.course}; this is {here}.")
    if page != certificate_html(certificate):
        notes.append("The page does not look as this version writes it. Trust only what is here.")
    return notes


def comparison_text(comparison: Comparison) -> str:
    """What a teacher reads: whose certificate it is, each exercise, and what is proved."""
    certificate, compared = comparison.certificate, comparison.exercises
    reached, possible = points_of(certificate.exercises)
    same = sum(not one.wrong for one in compared)
    lines = [
        f"{certificate.name}, {certificate.day}, course {certificate.course}",
        f"code {certificate.code}, {reached:g} of {possible:g} points",
        *(f"    {_line(one)}" for one in compared),
        *comparison.notes,
    ]
    if not comparison.same_course:
        lines.append(
            "The certificate does not list the exercises of this course, each with its points."
        )
    lines.append(f"{same} of {len(compared)} answers are those of the certificate.")
    if comparison.ok:
        lines.append(f"Whether they earn the points, a run says: {RUN}")
    return "\n".join(lines)


def _line(one: Compared) -> str:
    certified = one.certified
    named = f"{certified.id} {one.title}".rstrip()
    earned = f"{certified.score:g} of {certified.points:g} points"
    return f"{'✗' if one.wrong else '✓'} {named}: {earned}{f'; {one.wrong}' if one.wrong else ''}"
