"""Links between the project's documents lead to files, and what GitHub reads has the form that it wants."""

import re
from pathlib import Path

import pytest
import yaml
from testkit.lab_processes import ROOT

PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / ".github").glob("*.md"),
]
OF_OTHERS = ("json.py",)  # what an attack hands in


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    broken = []
    text = re.sub(r"`[^`\n]+`", "", page.read_text(encoding="utf-8"))
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, anchor = link.partition("#")
        target = page if not name else page.parent / name
        if link.startswith(("http", "../../issues/")) or (target.exists() and not anchor):
            continue
        if not target.exists() or anchor not in anchors(target):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_modules_that_a_page_names_are_there(page: Path) -> None:
    """By name alone or with a path: `run.py`, `judging/judge.py`."""
    named = re.findall(r"`(?:[^`\n]* )?([\w./]*\b[a-z]\w*\.py)\b", page.read_text(encoding="utf-8"))
    found = [*ROOT.glob("*.py"), *ROOT.glob("[a-z]*/**/*.py")]
    there = [f"/{path.relative_to(ROOT).as_posix()}" for path in found]
    own = [name for name in named if name not in OF_OTHERS and not name.startswith("/")]
    assert [name for name in own if not any(path.endswith(f"/{name}") for path in there)] == []


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


FORMS = set((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


@pytest.mark.parametrize("path", sorted(p for p in FORMS if p.name != "config.yml"))
def test_an_issue_form_has_required_fields(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {"name", "description", "labels", "body"} == set(form)
    ids = [field["id"] for field in form["body"]]
    assert len(ids) == len(set(ids))
    assert any(field.get("validations", {}).get("required") for field in form["body"])
