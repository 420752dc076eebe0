"""The lesson's own solution, live: over TLS, under the shop's load, killed hard."""

import os
import random
from collections.abc import Iterator

import pytest
from testkit.capstone_program import figures, lesson_program

from grader import capstone
from grader.capstone.pipeline_process import PipelineError
from grader.capstone.shop_broker import Shop

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
CORES = 2
KILLS = int(os.environ.get("CAPSTONE_KILLS", "2"))  # ten of them by night


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with capstone.open_shop() as opened:
        yield opened


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_SPARK_MASTER", f"local[{CORES}]")


def test_each_hot_page_is_told_once_under_load_and_old_windows_are_forgotten(shop: Shop) -> None:
    """How fast it is, `grader bench capstone` says."""
    found = capstone.run(shop, lesson_program(), settings=figures(CORES), seconds=30, fast=False)
    print(found.text())
    assert found.differences() == []
    assert len(found.expected()) > 0
    assert found.repeated() == 0, "nothing was killed"
    assert sum(batch.rows for batch in found.batches) >= found.sent
    assert sum(batch.late for batch in found.batches) == 0
    assert found.batches[-1].state < len(found.counts), "windows that are over are forgotten"


def test_nothing_is_lost_over_kills_at_random_moments(shop: Shop) -> None:
    seed = random.randrange(1_000_000)
    print("seed", seed)
    found = capstone.run(
        shop,
        lesson_program(),
        settings=figures(CORES),
        seconds=5,
        kills=KILLS,
        random=random.Random(seed),
    )
    print(found.text())
    assert found.differences() == []
    assert len(found.outages) == KILLS
    assert len(found.expected()) > 3 * KILLS


def test_a_pipeline_that_loses_alarms_is_found_out(shop: Shop) -> None:
    only_just = lesson_program().replace('F.col("clicks") > limit', 'F.col("clicks") == limit + 1')
    found = capstone.run(shop, only_just, settings=figures(CORES), seconds=12)
    assert any("nothing told" in difference for difference in found.differences())


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("raise RuntimeError('shop was closed')", "shop was closed$"),
        ("return SCHEMA", "'SCHEMA' is not defined\n.* needs inside it"),
    ],
)
def test_a_pipeline_that_ends_by_itself_says_why(shop: Shop, body: str, why: str) -> None:
    with pytest.raises(PipelineError, match=why):
        capstone.run(shop, f"def pipeline(spark, kafka):\n    {body}", settings={})
