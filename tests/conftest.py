"""The running lab that the tests share: one broker lease and one Spark session a test run."""

from collections.abc import Iterator

import pytest

from grader.authoring.prove import Bench, open_bench


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    with open_bench() as opened:
        yield opened
