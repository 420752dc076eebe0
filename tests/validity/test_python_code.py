"""Code is seen, and nothing that only people read."""

import ast

import pytest

from grader.validity.python_code import code_of, names_imported

PLAIN = '''
"""A module."""

LIMIT = 10  # seconds


def late(row, limit=LIMIT):
    """Says when a row is late."""
    return (
        row["delay"] > limit,
        f"{row['page']:>10} after {limit} s"
    )


class Window:
    """Five minutes."""
'''


@pytest.mark.parametrize(
    "changed",
    [
        PLAIN.replace("# seconds", "# in seconds, as the task says"),
        PLAIN.replace("A module.", "Another sentence."),
        PLAIN.replace("Says when a row is late.", "Lateness."),
        PLAIN.replace('    """Says when a row is late."""\n', ""),
        PLAIN.replace("(row, limit=LIMIT)", "(\n    row,\n    limit=LIMIT,\n)"),
        PLAIN.replace('row["delay"]', "row['delay']").replace("\n\n\n", "\n\n"),
        PLAIN.replace(' after {limit} s"', ' after "\n        f"{limit} s"'),
    ],
    ids=["comment", "docstring", "another", "no docstring", "layout", "quotes", "parted string"],
)
def test_what_only_people_read_is_not_seen(changed: str) -> None:
    assert changed != PLAIN
    assert code_of(changed) == code_of(PLAIN)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("= 10", "= 11"),
        (">", ">="),
        ("limit=LIMIT", "limit=None"),
        ('"delay"', '"latency"'),
        (":>10", ":<10"),
        ("after", "behind"),
        ("Window", "Windows"),
        ('row["delay"] >', 'not row["delay"] >'),
    ],
)
def test_every_other_change_is_seen(old: str, new: str) -> None:
    assert code_of(PLAIN.replace(old, new)) != code_of(PLAIN)


def test_constants_of_equal_value_and_other_type_differ() -> None:
    values = ["1", "1.0", "True", "'1'", "b'1'", "None", "...", "()", "[]"]
    assert len({code_of(f"x = {value}") for value in values}) == len(values)


def test_a_function_that_gives_none_is_not_one_that_gives_nothing() -> None:
    assert code_of("def f():\n    return None") != code_of("def f():\n    return")


def test_what_is_no_python_is_kept_whole() -> None:
    assert code_of("def f(:") == "def f(:"
    assert names_imported("def f(:") == frozenset()


def test_imports_are_found_wherever_code_runs() -> None:
    text = '''
from typing import TYPE_CHECKING
import grader.replay.kafka as kafka
from grader.scenario import Event
if TYPE_CHECKING:
    from grader.judging.verdict import Verdict
else:
    import grader.model
RUN = [sys.executable, "-m", "grader.sandbox.runner"]
PROGRAM = "import sys\\nfrom grader.runtime.java import find_java\\n"


def late():
    """Like grader.learner.check, whose name here is only words."""
    from grader.feedback import display
'''
    assert names_imported(text) == {
        "grader.replay.kafka",
        "grader.scenario",
        "grader.scenario.Event",
        "grader.model",
        "grader.sandbox.runner",
        "grader.runtime.java",
        "grader.feedback",
        "grader.feedback.display",
    }


def test_a_text_reads_the_same_after_it_was_parsed() -> None:
    assert ast.parse(PLAIN) is not None  # the sample itself is Python
    assert code_of(PLAIN) == code_of(PLAIN + "\n\n# the end\n")
