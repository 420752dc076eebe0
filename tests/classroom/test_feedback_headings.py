"""Feedback pages can be read by ear: a language, and headings that differ. nbgrader's own template is used."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from testkit.shoes import LESSON, grade, hand_in, make_course

from grader.classroom.feedback_headings import with_headings


def test_every_answer_and_verdict_has_a_heading_of_its_own(
    tmp_path: Path, nbgrader: Callable[..., object]
) -> None:
    root = make_course(tmp_path)
    hand_in(root, "ada", "right", "wrong", "right", essay="Shoes.")
    grade(root)
    nbgrader(root, "generate_feedback", LESSON)
    page = (root / "feedback" / "ada" / LESSON / f"{LESSON}.html").read_text()
    assert '<html lang="en">' in page
    headings = re.findall(r"<h2[^>]*nbgrader-label[^>]*>(.*?)</h2>", page)
    assert len(headings) == len(set(headings)) == 7
    assert {"Answer to 91.2 Shoes", "Verdict on 91.2 Shoes"} <= set(headings)
    assert page.count("<h1") >= 1
    contents = page.split('<div id="toc">')[1].split("</ol>")[0]
    links = re.findall(r"<a href=[^>]*>(.*?)</a>", contents)
    assert len(links) == len(set(links)) >= 4 and "Test cell" not in contents


def test_a_page_that_has_a_language_stays_as_it_is() -> None:
    page = '<html lang="de"><h4>x</h4></html>'
    assert with_headings(page, {}) == page
