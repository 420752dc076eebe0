"""Rows read by the files that a table's log names are those that Delta reads; where only Delta can tell, it is asked."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from grader.authoring.proof import Bench
from grader.replay.delta_log import snapshot_of
from grader.replay.delta_tables import DeltaTables
from grader.scenario import Input

pytestmark = pytest.mark.slow

PAGES = Input(schema="page STRING, clicks BIGINT, at TIMESTAMP", table=True)
FOUR = "VALUES ('a', 1, now()), ('b', 2, now()), (null, 3, null), ('c', null, now())"
APPEND = f"INSERT INTO {{t}} SELECT /*+ COALESCE(1) */ * FROM ({FOUR})"
MERGE = (
    "MERGE INTO {t} AS old USING (SELECT 'a' AS page, 9 AS clicks) AS new ON old.page = new.page "
    "WHEN MATCHED THEN UPDATE SET clicks = new.clicks"
)
# histories of a table, and whether the log alone says what is in it
HISTORIES: dict[str, tuple[list[str], bool]] = {
    "empty": ([], True),
    "appends": ([APPEND, APPEND], True),
    "changes": ([APPEND, MERGE, "DELETE FROM {t} WHERE page IS NULL"], True),
    "emptied": ([APPEND, "DELETE FROM {t}"], True),
    "overwritten": ([APPEND, f"INSERT OVERWRITE {{t}} {FOUR}"], True),
    "restored": ([APPEND, MERGE, "RESTORE TABLE {t} TO VERSION AS OF 1"], True),
    "reorganized": ([APPEND, APPEND, "OPTIMIZE {t}", MERGE], True),
    "checkpoints": (
        ["ALTER TABLE {t} SET TBLPROPERTIES ('delta.checkpointInterval' = '2')", *[APPEND] * 4],
        True,
    ),
    "more columns": (
        [
            APPEND,
            "ALTER TABLE {t} ADD COLUMNS (more INT)",
            APPEND.replace("now())", "now(), 7)").replace("null)", "null, 7)"),
        ],
        True,
    ),
    "change feed": (
        [
            "ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')",
            APPEND,
            MERGE,
        ],
        True,
    ),
    "deletion vectors": (
        [
            "ALTER TABLE {t} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
            APPEND,
            "DELETE FROM {t} WHERE page = 'a'",
        ],
        False,
    ),
    "mapped columns": (
        [
            "ALTER TABLE {t} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
            APPEND,
            "ALTER TABLE {t} RENAME COLUMN clicks TO n",
        ],
        False,
    ),
    "partitions": (
        ["REPLACE TABLE {t} USING delta PARTITIONED BY (page) AS SELECT 'a' AS page, 1 AS clicks"],
        False,
    ),
}


@pytest.fixture
def tables(bench: Bench, tmp_path: Path) -> Iterator[DeltaTables]:
    tables = DeltaTables(bench.spark, tmp_path, {"pages": PAGES})
    tables.create()
    yield tables
    tables.close()


def rows(spark: SparkSession, tables: DeltaTables, *, by_delta: bool) -> tuple[str, list[str]]:
    path = tables.path("pages")
    frame = spark.read.format("delta").load(path) if by_delta else tables.read("pages")
    return frame.schema.simpleString(), sorted(map(str, frame.collect()))


@pytest.mark.parametrize("history", HISTORIES)
def test_the_rows_are_those_that_delta_reads(
    bench: Bench, tables: DeltaTables, history: str
) -> None:
    statements, by_its_files = HISTORIES[history]
    table = f"delta.`{tables.path('pages')}`"
    for statement in statements:
        bench.spark.sql(statement.format(t=table))
    read, by_delta = (rows(bench.spark, tables, by_delta=by) for by in (False, True))
    assert read == by_delta
    assert (snapshot_of(Path(tables.path("pages"))) is not None) == by_its_files


def test_without_a_whole_log_delta_is_asked(bench: Bench, tables: DeltaTables) -> None:
    folder = Path(tables.path("pages"))
    bench.spark.sql(APPEND.format(t=f"delta.`{folder}`"))
    assert snapshot_of(folder) is not None
    (folder / "_delta_log" / f"{0:020}.json").unlink()
    assert snapshot_of(folder) is None
    assert snapshot_of(folder / "nowhere") is None
