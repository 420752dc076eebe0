"""The running lab that the tests share: one broker lease and one Spark session a test process."""

import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession
from xdist.scheduler import LoadScopeScheduling

from grader.authoring.proof import Bench, open_bench
from grader.runtime.bubblewrap import NoBubblewrapError, find_bubblewrap
from grader.runtime.paths import state_dir
from grader.runtime.spark_internals.session_internals import is_stopped

pytest_plugins = ["testkit.counting_lesson", "testkit.installed_wheel", "testkit.own_lab"]
WORKER = os.environ.get("PYTEST_XDIST_WORKER")  # set where tests run in several processes


def pytest_configure() -> None:
    """Each process of a test run has a lab of its own, and none has the user's."""
    os.environ["GRADER_STATE"] = str(state_dir() / (WORKER or "tests"))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """A failure is told when it happens: a run that is ended from outside never comes to its summary."""
    if report.failed and not WORKER:
        print(
            f"\nFAILED after {report.duration:.0f} s: {report.nodeid}\n{report.longreprtext[-4000:]}",
            file=sys.__stderr__,
        )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long comes first, so that all processes end together."""
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    return 0 if item.get_closest_marker("docker") else 1 if item.get_closest_marker("slow") else 2


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    return TogetherByFile(config, log)


class TogetherByFile(LoadScopeScheduling):  # type: ignore[misc]
    """A file's tests stay in one process, in their order."""

    def _split_scope(self, nodeid: str) -> str:
        """The Docker tests share their containers; the lessons' notebooks share nothing."""
        if nodeid.startswith("tests/docker/"):
            return "docker"
        file = nodeid.partition("::")[0]
        return nodeid if file.endswith("/test_lessons.py") else file


@pytest.fixture(scope="session", autouse=True)
def graded_without_a_sandbox_where_none_can_be() -> Iterator[None]:
    """In a container that allows no namespaces the rest of the tests still hold; GitHub's machines have to allow them."""
    with pytest.MonkeyPatch.context() as patch:
        try:
            find_bubblewrap()
        except NoBubblewrapError as problem:
            assert not os.environ.get("GITHUB_ACTIONS"), (
                f"the tests of sandboxes would be left out: {problem}"
            )
            patch.setenv("GRADER_SANDBOX", "none")
        yield


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    with open_bench() as opened:
        yield opened


@pytest.fixture(autouse=True)
def same_session_and_settings_afterwards() -> Iterator[None]:
    """The tests of a process share a Spark session: what one leaves behind makes another fail, in some orders."""
    before = _session_and_settings()
    yield
    after = _session_and_settings()
    assert after or not before, "this test ended the Spark session that others go on with"
    if before and after and before[0].sparkContext is after[0].sparkContext:
        assert after[0] is before[0]
        assert set(after[1].items()) ^ set(before[1].items()) == set()


def _session_and_settings() -> tuple[SparkSession, dict[str, str]] | None:
    session = SparkSession._instantiatedSession
    if session is None or is_stopped(session):
        return None
    settings = dict(session.conf.getAll)
    settings.pop("spark.databricks.delta.lastCommitVersionInSession", None)  # each commit sets it
    return session, settings
