"""Grades as JUnit XML, which every build server and many graders show: an exercise is a test case."""

from __future__ import annotations

import re
from xml.etree import ElementTree as Xml

from grader.classroom.marks import LessonMarks, Mark
from grader.judging.check_pack import PackedExercise
from grader.judging.verdict import Verdict

# signs that no XML may hold, not even escaped
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(marks: list[LessonMarks]) -> str:
    """A test suite for each student and lesson; its properties hold the score."""
    root = Xml.Element("testsuites")
    for lesson in marks:
        titles = {packed.exercise.id: packed for packed in lesson.pack.graded()}
        for mark in lesson.marks:
            root.append(_suite(mark, titles))
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(mark: Mark, exercises: dict[str, PackedExercise]) -> Xml.Element:
    cases = [_case(mark, id, packed) for id, packed in exercises.items()]
    about = {"name": _text(f"{mark.lesson} {mark.student.id}"), "tests": str(len(cases))}
    for count, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        about[count] = str(sum(case.find(kind) is not None for case in cases))
    about["time"] = f"{sum(verdict.seconds for verdict in mark.verdicts):.2f}"
    suite = Xml.Element("testsuite", about)
    properties = Xml.SubElement(suite, "properties")
    values = {"student": mark.student.id, "lesson": mark.lesson, "max_score": f"{mark.max_score:g}"}
    if mark.score is not None:
        values["score"] = f"{mark.score:.10g}"
    if mark.warning:
        values["warning"] = mark.warning
    for name, value in values.items():
        Xml.SubElement(properties, "property", name=name, value=_text(value))
    suite.extend(cases)
    return suite


def _case(mark: Mark, id: str, packed: PackedExercise) -> Xml.Element:
    verdict = next((one for one in mark.verdicts if one.exercise == id), None)
    case = Xml.Element(
        "testcase",
        name=_text(f"{id} {packed.exercise.title}"),
        classname=_text(f"{mark.lesson}.{mark.student.id}"),
        time=f"{verdict.seconds if verdict else 0:.2f}",
    )
    if verdict is None:
        Xml.SubElement(case, "skipped", message="not graded")
    elif verdict.status == "not_attempted":
        Xml.SubElement(case, "skipped", message="not attempted")
    elif not verdict.passed:
        kind = "failure" if verdict.status == "failed" else "error"
        name = verdict.diagnosis.id if verdict.diagnosis else verdict.status
        said = _said(verdict)
        message = said.splitlines()[0] if said else verdict.status
        Xml.SubElement(case, kind, message=message, type=_text(name)).text = said
    return case


def _said(verdict: Verdict) -> str:
    failed = [criterion for criterion in verdict.criteria if not criterion.passed]
    return _text("\n".join(f"{criterion.name}: {criterion.message}" for criterion in failed))


def _text(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
