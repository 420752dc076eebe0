"""A tree is made whole whatever a garbage collection in the middle of it sets off."""

import ast
import gc
from collections.abc import Iterator

import pytest

from grader.validity.syntax_tree import parse

TEXT = "\n".join(f"a{n} = [b(c, d=[1, {{2: 3}}]) for e in f if g]" for n in range(300))


@pytest.fixture
def collections_that_parse() -> Iterator[None]:
    """What another thread does when a collection lets it run, without the thread."""

    def parse_a_line(phase: str, about: object) -> None:
        ast.parse("x = 1")

    often = gc.get_threshold()
    gc.callbacks.append(parse_a_line)
    gc.set_threshold(50)
    try:
        yield
    finally:
        gc.set_threshold(*often)
        gc.callbacks.remove(parse_a_line)


@pytest.mark.usefixtures("collections_that_parse")
def test_a_collection_that_parses_does_not_disturb_a_tree() -> None:
    assert len(parse(TEXT).body) == 300
    assert gc.isenabled(), "the next collection comes"


def test_what_is_no_python_is_said_so_and_collections_go_on() -> None:
    with pytest.raises(SyntaxError):
        parse("a = (")
    assert gc.isenabled()
