"""The table of sentences and the code that fills them in name the same things."""

import ast
import re
from string import Formatter
from typing import Any

from grader.judging.wording.sentences import words_in
from grader.runtime.paths import PACKAGE

JUDGING = PACKAGE / "judging"


def kinds_found() -> set[str]:
    """The kinds of finding that a criterion may have: the second argument of passed() and failed()."""
    kinds = set()
    for path in JUDGING.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("passed", "failed"):
                second = node.args[1]
                kinds |= {c.value for c in ast.walk(second) if isinstance(c, ast.Constant)}
    return {kind for kind in kinds if isinstance(kind, str)}


def test_every_kind_of_finding_has_words_and_no_other() -> None:
    of_failures = {"failure"}
    assert kinds_found() - of_failures | {"hidden_right"} == set(
        words_in("messages.toml")["criterion"]
    )


def sentences(table: dict[str, Any], place: str = "") -> list[tuple[str, str]]:
    found = []
    for name, value in table.items():
        if isinstance(value, dict):
            found += sentences(value, f"{place}{name}.")
        elif isinstance(value, str):
            found.append((f"{place}{name}", value))
    return found


def test_every_sentence_can_be_filled_in() -> None:
    all_of_them = sentences(words_in("messages.toml"))
    assert len(all_of_them) > 150
    for name, text in all_of_them:
        fields = [field for _, field, _, _ in Formatter().parse(text) if field is not None]
        assert all(re.fullmatch(r"[a-z_]+(\.[a-z_]+)?", field) for field in fields), name
        assert text.strip() and "  " not in text.replace("`", ""), name


def test_every_section_has_a_reader() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in JUDGING.rglob("*.py"))
    unread = [
        name for name in words_in("messages.toml") if not re.search(rf"[\"'.]{name}[\"'.]", code)
    ]
    assert unread == []
