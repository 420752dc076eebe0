"""Copies under other names are found, what independent people write is not, and no code does harm."""

from __future__ import annotations

import ast
import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from testkit.shoes import LESSON, grade, hand_in, make_course

from grader.authoring.lesson_source import read_lessons, solved_away
from grader.classroom.class_similarity import similarities_in
from grader.classroom.marks import read_marks
from grader.classroom.report import report_on
from grader.classroom.report_page import report_html
from grader.classroom.report_text import report_text
from grader.classroom.similarity import FEWEST_WORDS, MANY, pairs, words
from grader.cli import main

PROJECT = Path(__file__).resolve().parents[2]
GIVEN = '''
def busy_pages(clicks: DataFrame) -> DataFrame:
    """Pages with more than two clicks in a window: page, window, n."""
    raise NotImplementedError("your code here")
'''
ORIGINAL = '''
def busy_pages(clicks: DataFrame) -> DataFrame:
    """Pages with more than two clicks in a window: page, window, n."""
    late = "10 seconds"  # as the task says
    timed = clicks.withWatermark("event_time", late)
    windows = F.window("event_time", "5 minutes")
    # first count, then choose
    counted = timed.groupBy("page", windows).agg(F.count("*").alias("n"))
    busy = counted.where(F.col("n") > 2)
    return busy.select("page", "window", "n")
'''
COPY = '''
# my own work
def busy_pages(stream: DataFrame) -> DataFrame:
    """What I did."""
    delay = "10 seconds"
    # the watermark goes first
    x = stream.withWatermark(
        "event_time",
        delay,
    )
    w = F.window('event_time', '5 minutes')
    y = x.groupBy("page", w).agg(F.count("*").alias("n"))
    z = (y.where(F.col("n") > 2))
    return z.select("page", "window", "n")  # done <img src=x onerror="alert(1)">
'''
INDEPENDENT = '''
def busy_pages(clicks: DataFrame) -> DataFrame:
    """Pages with more than two clicks in a window: page, window, n."""
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window(F.col("event_time"), "5 minutes"), "page")
        .count()
        .filter("count > 2")
        .withColumnRenamed("count", "n")
    )
'''
Answers = dict[str, str]


def of_the_course() -> Iterator[tuple[str, str, Answers]]:
    """Exercise, its cell as handed out, and all its right answers in that cell."""
    for lesson in read_lessons(PROJECT / "solutions"):
        for source in lesson.exercises:
            if source.exercise.kind != "exercise":
                continue
            own = lesson.cell(source.exercise.answer)
            answers = {"own": own}
            for other in source.equivalents:
                (function,) = (
                    node
                    for node in ast.parse(other.answer.text).body
                    if isinstance(node, ast.FunctionDef) and node.name == other.id
                )
                function.name = source.exercise.answer
                answers[other.id] = ast.unparse(function)
            yield source.exercise.id, solved_away(own), answers


COURSE = list(of_the_course())


def renamed(code: str) -> str:
    """The same under other names, with other layout, without comments but for one."""
    tree = ast.parse(code)
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        bound = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                bound.add(node.id)
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id in bound - functions:
                node.id = f"my_{node.id}"
            elif isinstance(node, ast.arg) and node.arg in bound:
                node.arg = f"my_{node.arg}"
    return "# all mine\n" + ast.unparse(tree)


def test_right_answers_that_are_independent_are_not_found() -> None:
    found = [pair for id, given, answers in COURSE for pair in pairs(id, answers, given)]
    assert found == []
    compared = [
        sum(len(words(text, given)) >= FEWEST_WORDS for text in answers.values())
        for _, given, answers in COURSE
    ]
    assert sum(count >= 2 for count in compared) > 50, "or the test would show nothing"


def test_a_copy_under_other_names_is_found_in_the_whole_course() -> None:
    tried = 0
    for id, given, answers in COURSE:
        for name, text in answers.items():
            if len(words(text, given)) < FEWEST_WORDS:
                continue
            (pair,) = pairs(id, {**answers, "copy": renamed(text)}, given)
            assert set(pair.students) == {name, "copy"} and pair.share > 0.95, id
            tried += 1
    assert tried > 150


def test_a_copy_is_found_among_a_class() -> None:
    answers = {"ada": ORIGINAL, "ben": COPY, "cem": INDEPENDENT}
    (pair,) = pairs("03.1", answers, GIVEN)
    assert (set(pair.students), pair.share) == ({"ada", "ben"}, 1)
    assert pair.answers == tuple(answers[student] for student in pair.students)


def test_what_the_course_itself_answers_accuses_nobody() -> None:
    assert pairs("03.1", {"ada": ORIGINAL, "ben": COPY}, GIVEN, own=ORIGINAL) == []


def test_what_many_wrote_accuses_nobody() -> None:
    few = {f"s{n}": ORIGINAL for n in range(MANY + 1)}
    many = {**few, "one more": COPY}
    assert len(pairs("03.1", few, GIVEN)) == len(list(itertools.combinations(few, 2)))
    assert pairs("03.1", many, GIVEN) == []
    class_of_50 = {f"t{n}": "" for n in range(50)}
    assert len(pairs("03.1", {**class_of_50, **many}, GIVEN)) == 10, "five of fifty are not many"


@pytest.mark.parametrize(
    "text",
    [
        GIVEN,  # untouched
        'def busy_pages(clicks):\n    return clicks.where("n > 1").groupBy("page").count()',
        "def busy_pages(clicks) return",
        "x = " + "(" * 400 + ")" * 400,
        "x = " + "-" * 40_000 + "1",
        "x = " + "[" * 90 + "]" * 90 + " + 1" * 9_000,
        "x = 1\n" * 100_000,
        "x = '\ud800'",
        "x = '\0'",
        "x = " + "9" * 5000,
    ],
    ids=range(10),
)
def test_what_says_too_little_or_is_no_python_is_left_out(text: str) -> None:
    assert pairs("03.1", {"ada": text, "ben": text}, GIVEN) == []


def test_the_report_shows_both_side_by_side_and_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = make_course(tmp_path)
    hand_in(root, "ada", ORIGINAL, "right", "right")
    hand_in(root, "ben", COPY, "right", "right")
    hand_in(root, "cem", INDEPENDENT, "right", "right")
    (hand_in(root, "dua") / f"{LESSON}.ipynb").write_text("{")
    grade(root)
    (marks,) = read_marks(root)
    report = report_on(marks, similarities_in(root, marks)).to_dict()
    (pair,) = report["alike"]
    assert (pair["exercise"], set(pair["students"])) == ("91.1", {"ada", "ben"})
    page = report_html(report, "../..")
    assert page.count("<pre>") == 2 and "delay = &quot;10 seconds&quot;" in page
    assert "<img" not in page and "&lt;img" in page
    for told in (page, report_text(report)):
        assert "100 %" in told and "This proves nothing" in told
    monkeypatch.chdir(root)
    assert main(["report", "91", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["alike"][0]["answers"] == list(pair["answers"])
