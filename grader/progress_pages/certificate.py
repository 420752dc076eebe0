"""A certificate as data: who, when, which course, which exercises with which points, and a digest of each answer."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from grader.errors import UserFacingError

KIND = "stateful-streams certificate 1"


class CertificateError(UserFacingError, ValueError):
    """A certificate that cannot be made or read; the message says why, and what to do."""


@dataclass(frozen=True)
class Certified:
    """An exercise of the course with what a learner's progress says of it.

    `answer` is the SHA-256 digest of the answer's cell, empty if the notebook has no answer.
    """

    id: str
    passed: bool
    score: float
    points: float
    further: bool
    answer: str


@dataclass(frozen=True)
class CertifiedLesson:
    id: str
    title: str
    exercises: tuple[Certified, ...]

    @property
    def passed(self) -> list[Certified]:
        return [one for one in self.exercises if one.passed]


@dataclass(frozen=True)
class Certificate:
    """`course` is the version of the course; `day` is an ISO date."""

    name: str
    day: str
    course: str
    lessons: tuple[CertifiedLesson, ...]

    @property
    def exercises(self) -> list[Certified]:
        return [one for lesson in self.lessons for one in lesson.exercises]

    @property
    def complete(self) -> bool:
        """Whether every exercise of the core is passed."""
        return all(one.passed for one in self.exercises if not one.further)

    @property
    def code(self) -> str:
        """The verification code: 128 bits of the digest of all that the certificate says."""
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        digest = hashlib.sha256(text.encode()).hexdigest()
        return "-".join(digest[at : at + 4] for at in range(0, 32, 4))

    def to_dict(self) -> dict[str, Any]:
        return {"kind": KIND, "code": self.code, **asdict(self)}


def certificate_of(given: Any) -> Certificate:
    """The certificate that `to_dict` gave; raises CertificateError if anything in it was changed."""
    if not isinstance(given, dict) or given.get("kind") != KIND:
        raise CertificateError("it has no data of a certificate that this version can read")
    try:
        found = Certificate(
            _value(given, "name", str),
            date.fromisoformat(_value(given, "day", str)).isoformat(),
            _value(given, "course", str),
            tuple(map(_lesson, given["lessons"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CertificateError(f"its data is damaged ({error})") from error
    ids = [one.id for one in found.exercises]
    if len(set(ids)) < len(ids):
        raise CertificateError("it has an exercise twice")
    if found.code != given.get("code"):
        raise CertificateError("its data does not give its code, so it was changed afterward")
    return found


def answer_digest(source: str) -> str:
    """The digest of an answer: its text without white space at the ends of lines and of the cell."""
    lines = "\n".join(line.rstrip() for line in source.splitlines()).strip()
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()


def points_of(exercises: Sequence[Certified]) -> tuple[float, float]:
    """Points reached, and points in all."""
    return sum(one.score for one in exercises), sum(one.points for one in exercises)


def _lesson(given: dict[str, Any]) -> CertifiedLesson:
    exercises = tuple(map(_exercise, given["exercises"]))
    return CertifiedLesson(_value(given, "id", str), _value(given, "title", str), exercises)


def _exercise(given: dict[str, Any]) -> Certified:
    return Certified(
        _value(given, "id", str),
        _value(given, "passed", bool),
        _value(given, "score", int, float),
        _value(given, "points", int, float),
        _value(given, "further", bool),
        _value(given, "answer", str),
    )


def _value(given: dict[str, Any], name: str, *types: type) -> Any:
    """A field that has one of these types; a boolean is no integer."""
    value = given[name]
    if type(value) not in types or (type(value) is float and not math.isfinite(value)):
        raise TypeError(f"{name} is {value!r}")
    return value
