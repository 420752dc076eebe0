"""docs/glossary.md leads from a word that people search for to the lesson that teaches it."""

import re
from functools import cache
from pathlib import Path

import pytest

from grader.authoring.glossary import naming, read_glossary
from grader.authoring.prose_lint import prose_of

ROOT = Path(__file__).resolve().parents[2]
GLOSSARY = ROOT / "docs" / "glossary.md"
TERMS = read_glossary(GLOSSARY)
OFFICIAL = (
    "https://spark.apache.org/docs/latest/",
    "https://kafka.apache.org/",
    "https://prometheus.io/docs/",
    "https://docs.delta.io/",
)


@cache
def headings_of(lesson: str) -> set[str]:
    (path,) = (ROOT / "solutions").glob(f"{lesson}_*/lesson.py")
    cells = [prose.text for prose in prose_of(path) if prose.cell]
    return {found for cell in cells for found in re.findall(r"^#+ (.+)$", cell, re.MULTILINE)}


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)
def test_a_term_has_one_sentence_and_a_heading_that_teaches_it(term) -> None:
    assert term.heading in headings_of(term.lesson), f"lesson {term.lesson} has no such heading"
    assert len(term.meaning.split()) <= 25
    assert re.fullmatch(r"[^.]+(\.[^.\s][^.]*)*\.", term.meaning), "one sentence"
    assert term.official.startswith(OFFICIAL)


def test_terms_are_in_order_and_every_lesson_teaches_one() -> None:
    names = [term.name.lower() for term in TERMS]
    assert names == sorted(set(names))
    links = dict(re.findall(r"^\[(\d\d)\]: (\S+)$", GLOSSARY.read_text("utf-8"), re.MULTILINE))
    lessons = {path.parent.name for path in (ROOT / "solutions").glob("*/lesson.py")}
    assert links == {name[:2]: f"../course/{name}/{name}.ipynb" for name in lessons}
    assert {term.lesson for term in TERMS} == set(links)


@pytest.mark.parametrize(
    ("searched", "lesson"),
    [
        ("emit", "04"),
        ("idempotent", "01"),
        ("late data", "03"),
        ("late event", "03"),
        ("watermark delay", "03"),
        ("allowed lateness", "03"),
        ("no output in append mode", "04"),
        ("state grows forever", "02"),
    ],
)
def test_a_search_leads_to_the_lesson(searched: str, lesson: str) -> None:
    found = {term.lesson for term in TERMS if searched in map(str.lower, term.names)}
    assert found == {lesson}


def test_an_entry_of_another_form_is_an_error(tmp_path: Path) -> None:
    page = tmp_path / "glossary.md"
    page.write_text(GLOSSARY.read_text("utf-8") + "\n### Emission\n\nA term without a lesson.\n")
    with pytest.raises(ValueError, match="Emission"):
        read_glossary(page)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Watermarks", "Watermarks"),
        ("the dropDuplicates of a batch", "dropDuplicates"),
        ("statement", None),
    ],
)
def test_a_term_is_found_as_a_word(text: str, found: str | None) -> None:
    match = naming(TERMS).search(text)
    assert (match and match[0]) == found
