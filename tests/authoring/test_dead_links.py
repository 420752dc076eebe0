"""A relative link of a document or a lesson that leads nowhere is found, with its line."""

from pathlib import Path

import pytest

from grader.authoring.dead_links import dead_links

ROOT = Path(__file__).resolve().parents[2]


def test_no_link_of_the_project_is_dead() -> None:
    assert list(map(str, dead_links(ROOT))) == []


@pytest.mark.parametrize(
    ("text", "dead"),
    [
        ("[here](page.md), [there](page.md#a-state-store-of-its-own), [top](#links)", []),
        ("[outside](https://example.org/none), [issues](../../issues), `[code](none.md)`", []),
        ("![picture](none.png)", ["none.png: there is no such file"]),
        ("[03] and more\n\n[03]: none.ipynb", ["none.ipynb: there is no such file"]),
        ("[there](page.md#none)", ["page.md#none: there is no such heading"]),
    ],
)
def test_a_link_is_followed_as_on_github(tmp_path: Path, text: str, dead: list[str]) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "page.md").write_text("## A state store, of its own\n")
    (docs / "links.md").write_text(f"# Links\n\n{text}\n")
    found = list(dead_links(tmp_path))
    assert [(finding.line, finding.words) for finding in found] == [(3, words) for words in dead]


def test_a_link_of_a_lesson_starts_at_its_notebook(tmp_path: Path) -> None:
    for folder in ("course/03_time", "solutions/03_time", "docs"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "docs/page.md").touch()
    lesson = tmp_path / "solutions/03_time/lesson.py"
    lesson.write_text("# %% [markdown]\n# [a](../../docs/page.md)\n#\n# ![b](03.0.svg)\n")
    (finding,) = dead_links(tmp_path)
    assert (finding.file, finding.line) == (lesson, 4)
