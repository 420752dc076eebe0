"""The running lab that the tests share: one broker lease and one Spark session a test run."""

from collections.abc import Iterator

import pytest

from grader.authoring.prove import Bench, open_bench
from grader.runtime.bubblewrap import NoBubblewrapError, find_bubblewrap


@pytest.fixture(scope="session", autouse=True)
def graded_without_a_sandbox_where_none_can_be() -> Iterator[None]:
    """In a container that allows no namespaces the rest of the tests still hold."""
    with pytest.MonkeyPatch.context() as patch:
        try:
            find_bubblewrap()
        except NoBubblewrapError:
            patch.setenv("GRADER_SANDBOX", "none")
        yield


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    with open_bench() as opened:
        yield opened
