"""A declarative pipeline on the lab's own Spark: run, read, run again, and told why where it cannot."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader import capstone
from grader.authoring.proof import Bench
from grader.capstone.analytical_twin import TwinError

pytestmark = pytest.mark.slow
DEFINITIONS = """
from pyspark import pipelines as dp
from pyspark.sql import SparkSession

spark = SparkSession.active()

@dp.table(name="twin_bronze")
def bronze():
    return (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", "{servers}")
        .option("subscribe", "{topic}")
        .option("startingOffsets", "earliest")
        .load()
        .selectExpr("string(value) AS page")
    )

@dp.materialized_view(name="twin_gold")
def gold():
    over = int(spark.conf.get("shop.limit"))
    counts = spark.read.table("twin_bronze").groupBy("page").count()
    return counts.where(counts["count"] > over)
"""


@pytest.fixture
def topic(bench: Bench) -> Iterator[str]:
    name = bench.kafka.unique_topic("twin")
    yield name
    bench.kafka.delete_topics([name])
    for table in ("twin_bronze", "twin_gold"):
        bench.spark.sql(f"DROP TABLE IF EXISTS {table}")


def test_each_run_goes_on_where_the_one_before_ended(
    bench: Bench, topic: str, tmp_path: Path
) -> None:
    text = DEFINITIONS.format(servers=bench.kafka.bootstrap_servers, topic=topic)

    def gold() -> dict[str, int]:
        lines = capstone.run_twin(bench.spark, text, tmp_path, {"shop.limit": "1"})
        assert "Run is COMPLETED" in lines[-1]
        return {row.page: row["count"] for row in bench.spark.table("twin_gold").collect()}

    bench.kafka.send(topic, ["/tea", "/tea", "/jam"])
    assert gold() == {"/tea": 2}
    bench.kafka.send(topic, ["/jam"])
    assert gold() == {"/tea": 2, "/jam": 2}
    assert bench.spark.table("twin_bronze").count() == 4


def test_with_another_folder_it_begins_anew(bench: Bench, topic: str, tmp_path: Path) -> None:
    """Its first batch has the number of one that the table knows: it would be taken for that one."""
    text = DEFINITIONS.format(servers=bench.kafka.bootstrap_servers, topic=topic)
    for number, pages in enumerate([["/tea", "/tea"], ["/jam", "/jam"]], start=1):
        bench.kafka.create_topic(topic)
        bench.kafka.send(topic, pages)
        capstone.run_twin(bench.spark, text, tmp_path / str(number), {"shop.limit": "1"})
        gold = {row.page: row["count"] for row in bench.spark.table("twin_gold").collect()}
        assert gold == {pages[0]: 2}


STOPPED = """
import sys
from pathlib import Path
import grader
from grader.capstone.analytical_twin import run_twin
for number in (1, 2):
    spark, kafka = grader.start()
    topic = kafka.create_topic(f"twin-{number}")
    kafka.send(topic, ["/tea", "/tea"])
    text = Path(sys.argv[1]).read_text().format(servers=kafka.bootstrap_servers, topic=topic)
    run_twin(spark, text, Path(sys.argv[2]) / str(number), {"shop.limit": "1"})
    print(spark.table("twin_gold").collect())
    spark.stop()
"""


def test_it_runs_on_the_spark_that_came_after_one_that_was_stopped(tmp_path: Path) -> None:
    (tmp_path / "definitions").write_text(DEFINITIONS)
    command = [sys.executable, "-c", STOPPED, str(tmp_path / "definitions"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.count("[Row(page='/tea', count=2)]") == 2, done.stdout


def test_a_pipeline_that_cannot_run_says_why(bench: Bench, topic: str, tmp_path: Path) -> None:
    text = DEFINITIONS.format(servers=bench.kafka.bootstrap_servers, topic=topic)
    with pytest.raises(TwinError, match="twin_gold"):
        capstone.run_twin(
            bench.spark,
            text.replace('read.table("twin_bronze")', 'read.table("twin_silver")'),
            tmp_path,
            {"shop.limit": "1"},
        )


@pytest.mark.parametrize("method", ['dropna(subset=["page"])', 'dropDuplicates(["page"])'])
def test_a_method_that_looks_columns_up_too_early_is_told_with_its_fix(
    bench: Bench, topic: str, tmp_path: Path, method: str
) -> None:
    text = DEFINITIONS.format(servers=bench.kafka.bootstrap_servers, topic=topic)
    early = text.replace('read.table("twin_bronze")', f'read.table("twin_bronze").{method}')
    with pytest.raises(TwinError, match="columns of twin_bronze, which this pipeline") as caught:
        capstone.run_twin(bench.spark, early, tmp_path, {"shop.limit": "1"})
    assert "where(" in str(caught.value)


def test_a_name_that_is_not_in_the_definitions_is_told_with_its_fix(
    bench: Bench, topic: str, tmp_path: Path
) -> None:
    text = DEFINITIONS.format(servers=bench.kafka.bootstrap_servers, topic=topic)
    unknown = text.replace('int(spark.conf.get("shop.limit"))', "LIMIT")
    with pytest.raises(TwinError, match=r"'LIMIT' is not defined\n.* needs inside it"):
        capstone.run_twin(bench.spark, unknown, tmp_path, {})
