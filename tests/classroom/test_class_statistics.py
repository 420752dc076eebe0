"""Over all lessons and over a whole class: overview, discrimination, rings, and a report without names."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import replace

import pytest
from testkit.shoes import LESSON

from grader.classroom.anonymous_report import anonymous
from grader.classroom.class_overview import overview_csv, overview_of, overview_text
from grader.classroom.marks import LessonMarks, Mark, Person
from grader.classroom.report import report_on
from grader.classroom.report_page import report_html
from grader.classroom.report_text import report_text
from grader.classroom.similarity import Pair, Ring, Similarities, similarities
from grader.classroom.submission_result import Reason
from grader.errors import SetupError
from grader.judging.check_pack import Pack, PackedExercise
from grader.judging.verdict import Diagnosis, Verdict
from grader.scenario import Exercise, Scenario

ANSWER = "def answer(clicks):\n" + "".join(
    f"    part{n} = clicks.where('n > {n}').select('page', 'n{n}')\n" for n in range(8)
)


def lesson(id: str, scores: Mapping[str, float | None], best: float = 10) -> LessonMarks:
    """A lesson and its marks by student; None handed in nothing, -1 waits for a person."""
    marks = [
        Mark(
            Person(name),
            f"{id}_lesson",
            handed_in=score is not None,
            score=None if score is None or score < 0 else score,
            max_score=best,
            person=[Reason("not graded")] if score == -1 else [],
        )
        for name, score in scores.items()
    ]
    return LessonMarks(Pack(id, "lesson", "Lesson", {}), f"{id}_lesson", marks)


LESSONS = [
    lesson("01", {"ada": 10, "ben": 5, "cem": None}),
    lesson("02", {"ada": 10, "ben": 10, "cem": 20}, best=20),
    lesson("03", {"ada": 0, "ben": 7.5, "cem": -1}),
]


@pytest.mark.parametrize(
    ("weights", "drop", "totals"),
    [
        ({}, 0, {"ada": 0.5, "ben": 1.75 / 3, "cem": 0.5}),
        ({}, 1, {"ada": 0.75, "ben": 0.625, "cem": 1.0}),
        ({}, 2, {"ada": 1.0, "ben": 0.75, "cem": None}),
        ({"01": 2}, 0, {"ada": 2.5 / 4, "ben": 2.25 / 4, "cem": 1 / 3}),
        ({"01": 0, "02": 3}, 0, {"ada": 1.5 / 4, "ben": 2.25 / 4, "cem": 1.0}),
        # of ben's equal shares the lighter lesson's is dropped
        ({"01": 2}, 1, {"ada": 2.5 / 3, "ben": 1.75 / 3, "cem": 1.0}),
    ],
)
def test_the_total_is_the_weighted_mean_of_what_is_not_dropped(
    weights: dict[str, float], drop: int, totals: dict[str, float | None]
) -> None:
    found = {one.student: one.total for one in overview_of(LESSONS, weights, drop)}
    assert found == {name: total and pytest.approx(total) for name, total in totals.items()}


def test_the_overview_says_what_was_dropped_and_what_still_waits() -> None:
    students = overview_of(LESSONS, drop=1)
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(overview_csv(students)))}
    assert rows["ada"]["03"] == "(0.0)" and rows["ada"]["total"] == "75.0"
    assert (rows["cem"]["01"], rows["cem"]["03"], rows["cem"]["needs_person"]) == (
        "(0.0)",
        "",
        "03",
    )
    assert overview_text(students).splitlines()[1].split()[:2] == ["ada", "ada"]
    with pytest.raises(SetupError, match="Not graded: 04"):
        overview_of(LESSONS, {"04": 1})
    with pytest.raises(SetupError, match="cannot be dropped"):
        overview_of(LESSONS, drop=3)


def class_of(points: list[tuple[float, float, float]]) -> LessonMarks:
    """A lesson of three exercises, 2 points each, and the points of each student."""
    packed = {
        f"91.{n}": PackedExercise(
            Exercise(f"91.{n}", "Shoes", f"answer_{n}", ["clicks"], points=2), Scenario([]), {}
        )
        for n in (1, 2, 3)
    }
    known = Diagnosis("home", "Home is no shoe", "Look again.")
    marks = []
    for number, scores in enumerate(points):
        verdicts = [
            Verdict(f"91.{n}", "passed" if score == 2 else "failed", score, 2.0, [], None if score else known)
            for n, score in enumerate(scores, start=1)
        ]  # fmt: skip
        person = Person(f"name{number}")
        reason = [Reason(f"beside it lies name{number}.zip", "91.1")]
        marks.append(Mark(person, LESSON, True, sum(scores), 6.0, verdicts=verdicts, person=reason))
    return LessonMarks(Pack("91", "shoes", "Shoes", packed), LESSON, marks)


def test_an_exercise_that_tells_who_knows_the_rest_discriminates() -> None:
    few = [(2.0, 2.0, 0.0), (2.0, 2.0, 2.0), (0.0, 0.0, 2.0), (0.0, 0.0, 0.0)]
    assert {one.discrimination for one in report_on(class_of(few)).exercises} == {None}
    report = report_on(class_of([*few, (2.0, 2.0, 0.0), (0.0, 0.0, 2.0)]))
    first, second, third = (one.discrimination for one in report.exercises)
    assert first == second and first is not None and third is not None
    assert first > 0.3 and third < 0
    assert f"discrimination {first:.2f}" in report_text(report.to_dict())
    assert f"<td>{first:.2f}</td>" in report_html(report.to_dict(), "..")
    same = report_on(class_of([(2.0, 1.0, 0.0)] * 6))
    assert {one.discrimination for one in same.exercises} == {None}


def test_a_report_without_names_has_none_anywhere() -> None:
    marks = class_of([(2.0, 2.0, 0.0), (0.0, 2.0, 2.0), (0.0, 0.0, 2.0)])
    names = [mark.student.id for mark in marks.marks]
    alike = Similarities(
        [Pair("91.1", ("name0", "name1"), 1.0, ("# by name0", "# by name1"))],
        [Ring("91.1", names)],
        [Ring("91.2", ["name2"])],
    )
    report = report_on(marks, alike).to_dict()
    hidden = anonymous(report, names, "a secret")
    assert not [name for name in names if name in json.dumps(hidden)]
    assert anonymous(report, names, "a secret") == hidden != anonymous(report, names, "another")
    assert hidden["scores"] == report["scores"] and hidden["title"] == report["title"]
    assert {one["why"] for one in hidden["person"]} == {
        f"beside it lies student {n}.zip" for n in (1, 2, 3)
    }
    assert not [name for name in names if name in report_html(hidden, "..")]
    only = replace(marks, marks=marks.marks[:1])
    assert anonymous(report_on(only).to_dict(), ["name0"], "x")["students"] == 1


def test_rings_copies_of_the_course_and_of_earlier_classes_are_shown() -> None:
    other = ANSWER.replace("n > ", "m < ").replace("page", "user").replace("where", "filter")
    free = {f"s{n}": "def answer(clicks):\n    return clicks" for n in range(6)}
    copies = {f"c{n}": ANSWER.replace("part", f"mine{n}_") for n in range(5)}
    found = similarities("91.1", {**free, **copies})
    assert [ring.students for ring in found.rings] == [sorted(copies)]
    assert found.pairs == [], "so many are what one writes, for pairs"
    found = similarities("91.1", {**free, "ada": ANSWER, "ben": other}, own=ANSWER)
    assert [(x.exercise, x.students) for x in found.like_course] == [("91.1", ["ada"])]
    before = {"autumn/eva": ANSWER.replace("part", "x"), "autumn/fay": ANSWER}
    found = similarities("91.1", {**free, "ada": ANSWER, "ben": other}, earlier=before)
    assert {frozenset(pair.students) for pair in found.pairs} == {
        frozenset((name, "ada")) for name in before
    }
    assert not [pair for pair in found.pairs if "ada" not in pair.students]
