"""The prose lint finds what docs/style.toml refuses, in each kind of file, and nothing in code."""

from pathlib import Path

import pytest

from grader.authoring.glossary import naming, read_glossary
from grader.authoring.prose_lint import ProseLint, prose_of
from grader.toml_file import read_toml

ROOT = Path(__file__).resolve().parents[2]
STYLE = read_toml(ROOT / "docs/style.toml")
TERMS = naming(read_glossary(ROOT / "docs/glossary.md"))
LINT = ProseLint(STYLE, TERMS)
LONG = "word " * 25 + "and one."


def rules_of(path: Path) -> list[tuple[str, int]]:
    return [(f.rule, f.line) for prose in prose_of(path) for f in LINT.findings(prose)]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("The row comes out.", ["vocabulary"]),
        ("The row is emitted.", []),
        ("Its colour is grey.", ["spelling", "spelling"]),
        ("`anew()` and ```\\nanew\\n``` are code.", []),
        ("See [the guide](anew.md) for more.", []),
        (LONG, ["long sentence"]),
        (f"{LONG[10:]} Short.", []),
        (f"- {LONG[10:]}\n- {LONG[10:]}", []),
        ("| " + "cell " * 40 + "|", []),
        ("It works. (The reason is told elsewhere.)", ["parenthesized sentence"]),
        ("It works (see lesson 03).", []),
    ],
)
def test_a_text_breaks_these_rules(tmp_path: Path, text: str, rules: list[str]) -> None:
    path = tmp_path / "text.md"
    path.write_text(text)
    assert [rule for rule, _ in rules_of(path)] == rules


def test_each_kind_of_file_is_read_where_people_read_it(tmp_path: Path) -> None:
    lesson = tmp_path / "lesson.py"
    cell = "# %% [markdown]\n# ## A state\n# It comes out.\n\n# %%\nanew = 1  # anew\n"
    lesson.write_text(cell + "\n# %% [markdown]\n# " + "Few words. " * 126)
    table = tmp_path / "exercise.toml"
    table.write_text('answer = "anew"\nhints = ["What is to be made anew?"]\n')
    module = tmp_path / "module.py"
    module.write_text(
        '"""Made anew."""\n\n\ndef anew(why: str) -> str:\n    return "anew"\n\n\n'
        'print(f"The topic was made anew: {why}.")\n'
    )
    assert rules_of(lesson) == [("vocabulary", 3), ("long cell", 9)]
    assert rules_of(table) == [("vocabulary", 2)]
    assert rules_of(module) == [("vocabulary", 1), ("vocabulary", 8)]


@pytest.mark.parametrize(
    ("heading", "rules"),
    [
        ("## When a window is emitted", []),
        ("### `dropDuplicates`, again", []),
        ("## Exercise 03.2: Any words", []),
        ("## Recap: the facts", []),
        ("## When it is over", ["heading without a glossary term"]),
        ("## The statement", ["heading without a glossary term"]),
        ("#### Any words", []),
    ],
)
def test_a_heading_of_a_lesson_contains_a_term(
    tmp_path: Path, heading: str, rules: list[str]
) -> None:
    lesson = tmp_path / "lesson.py"
    lesson.write_text(f"# %% [markdown]\n# {heading}\n")
    assert [rule for rule, _ in rules_of(lesson)] == rules


def test_the_exceptions_among_headings_are_few_and_needed() -> None:
    exceptions = STYLE["headings"]["exceptions"]
    assert len(exceptions) <= 10
    texts = "".join(path.read_text("utf-8") for path in ROOT.glob("solutions/*/lesson.py"))
    assert [heading for heading in exceptions if f"# {heading}\n" not in texts] == []
