"""The running lab that the tests share: one broker lease and one Spark session a test process."""

import os
from collections.abc import Iterator

import pytest

from grader.authoring.prove import Bench, open_bench
from grader.runtime.bubblewrap import NoBubblewrapError, find_bubblewrap
from grader.runtime.paths import state_dir

WORKER = os.environ.get("PYTEST_XDIST_WORKER")  # set where tests run in two processes side by side


def pytest_configure() -> None:
    """Each process of a test run has a lab of its own."""
    if WORKER:
        os.environ["GRADER_STATE"] = str(state_dir() / WORKER)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A file's tests stay in one process; what takes long comes first, so that both end together."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))
    items.sort(key=_rank)


def _group(item: pytest.Item) -> str:
    """The Docker tests share their containers; the lessons' notebooks share nothing."""
    if item.get_closest_marker("docker"):
        return "docker"
    alone = item.path.name == "test_lessons.py"
    return item.nodeid if alone else item.nodeid.partition("::")[0]


def _rank(item: pytest.Item) -> int:
    return 0 if item.get_closest_marker("docker") else 1 if item.get_closest_marker("slow") else 2


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
