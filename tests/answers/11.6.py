"""Answers to 11.6: other ways to eight stores, and ways that miss them."""

import json
import shutil
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

PARTITIONS = "spark.sql.shuffle.partitions"

_WIDE: set[str] = set()


def _state(spark: SparkSession, checkpoint: str) -> DataFrame:
    return spark.read.format("statestore").load(checkpoint)


def _known(spark: SparkSession, checkpoint: str) -> DataFrame:
    return _state(spark, checkpoint).select(
        F.col("key.page").alias("page"), F.col("value.count").alias("clicks")
    )


def _entries(checkpoint: str) -> list[Path]:
    """The entries of the offset log, the newest last."""
    return sorted(Path(checkpoint, "offsets").glob("[0-9]*"), key=lambda entry: int(entry.name))


def _pinned(entry: Path) -> int:
    about: dict[str, Any] = json.loads(entry.read_text().splitlines()[1])
    return int(about["conf"][PARTITIONS])


def _widen(spark: SparkSession, checkpoint: str) -> None:
    spark._streamingCheckpointManager.repartition(checkpoint, 8)


def right_counts_the_folders(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Counts the stores' folders in the checkpoint: two before, eight afterwards."""
    stores = [path for path in Path(checkpoint, "state", "0").iterdir() if path.name.isdigit()]
    if len(stores) < 8:
        _widen(spark, checkpoint)
    return _known(spark, checkpoint)


def right_reads_the_log_with_spark(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Reads the offset log as text files, newest entry by its number; the state in SQL."""
    partitions = F.regexp_extract("value", r'"spark\.sql\.shuffle\.partitions":"(\d+)"', 1)
    newest = (
        spark.read.text(f"{checkpoint}/offsets")
        .select(F.col("_metadata.file_name").cast("int").alias("number"), partitions.alias("n"))
        .where("n <> ''")
        .orderBy(F.desc("number"))
        .first()
    )
    if newest.n != "8":
        _widen(spark, checkpoint)
    _state(spark, checkpoint).createOrReplaceTempView("known")
    return spark.sql("SELECT key.page AS page, value.count AS clicks FROM known")


def right_reads_first_then_widens(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Takes the rows out before the change, which does not touch any count, and makes a table of them."""
    rows = [(row.key.page, row.value["count"]) for row in _state(spark, checkpoint).collect()]
    if _pinned(_entries(checkpoint)[-1]) != 8:
        _widen(spark, checkpoint)
    return spark.createDataFrame(rows, "page STRING, clicks LONG")


def right_asks_by_the_commit_log(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Finds the newest batch in the commit log: it stands still, so every batch has its commit."""
    commits = [int(path.name) for path in Path(checkpoint, "commits").glob("[0-9]*")]
    entry = Path(checkpoint, "offsets", str(max(commits)))
    if f'"{PARTITIONS}":"8"' not in entry.read_text():
        manager = spark._streamingCheckpointManager
        manager.repartition(checkpoint_location=checkpoint, num_partitions=8)
    state = _state(spark, checkpoint).select("key.*", "value.*")
    return state.withColumnRenamed("count", "clicks").select("page", "clicks")


def right_added_up_by_page(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Adds the counts of a page up once more, though there is one of each, and names the operator."""
    if _pinned(max(_entries(checkpoint), key=lambda entry: int(entry.stem))) in range(1, 8):
        _widen(spark, checkpoint)
    state = spark.read.format("statestore").option("operatorId", 0).load(checkpoint)
    by_page = state.groupBy(F.col("key.page").alias("page"))
    return by_page.agg(F.sum("value.count").alias("clicks"))


def wrong_newest_by_its_text(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Takes the last name in the order of texts: "99" comes after "100".

    "the query may be hundreds of batches old": it is widened again then, and that is refused.
    """
    newest = max(Path(checkpoint, "offsets").glob("[0-9]*"), key=lambda path: path.name)
    if _pinned(newest) != 8:
        _widen(spark, checkpoint)
    return _known(spark, checkpoint)


def wrong_first_entry(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Looks into the oldest entry, which says two for ever: the second change is refused."""
    if _pinned(_entries(checkpoint)[0]) != 8:
        _widen(spark, checkpoint)
    return _known(spark, checkpoint)


def wrong_every_time(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Repartitions after every step, also where it is done."""
    _widen(spark, checkpoint)
    return _known(spark, checkpoint)


def wrong_remembered_in_python(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Remembers in a set of Python's what it has widened.

    "only the checkpoint can tell": the next call may come from another process.
    """
    if checkpoint not in _WIDE:
        _widen(spark, checkpoint)
        _WIDE.add(checkpoint)
    return _known(spark, checkpoint)


def wrong_remembered_by_the_session(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Remembers it in a setting of the session; "the next call may come in another session"."""
    if spark.conf.get("shop.widened", "no") != "yes":
        _widen(spark, checkpoint)
        spark.conf.set("shop.widened", "yes")
    return _known(spark, checkpoint)


def wrong_asks_the_metadata(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Asks state-metadata for the number of partitions, which still tells of two afterwards."""
    metadata = spark.read.format("state-metadata").load(checkpoint)
    if metadata.first().numPartitions != 8:
        _widen(spark, checkpoint)
    return _known(spark, checkpoint)


def wrong_eight_written_into_the_entry(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Writes 8 into the newest entry by hand: Spark looks for stores that never existed."""
    known = spark.createDataFrame(
        [tuple(row) for row in _known(spark, checkpoint).collect()], "page STRING, clicks LONG"
    )
    newest = _entries(checkpoint)[-1]
    text = newest.read_text().replace(f'"{PARTITIONS}":"2"', f'"{PARTITIONS}":"8"')
    newest.write_text(text)
    newest.with_name(f".{newest.name}.crc").unlink(missing_ok=True)
    return known


def wrong_a_copy_is_widened(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Widens a copy, to be on the safe side, and never puts it in place."""
    copy = str(Path(mkdtemp(), "checkpoint"))
    shutil.copytree(checkpoint, copy)
    _widen(spark, copy)
    rows = [tuple(row) for row in _known(spark, copy).collect()]
    shutil.rmtree(copy)
    return spark.createDataFrame(rows, "page STRING, clicks LONG")


def wrong_no_page_left_out(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Leaves out the clicks without a page: the state knows them, too."""
    if _pinned(_entries(checkpoint)[-1]) != 8:
        _widen(spark, checkpoint)
    return _known(spark, checkpoint).where("page IS NOT NULL")


def wrong_store_beside_the_count(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Gives the number of the store as well; "exactly page, clicks"."""
    if _pinned(_entries(checkpoint)[-1]) != 8:
        _widen(spark, checkpoint)
    state = _state(spark, checkpoint)
    return state.selectExpr("key.page", "value.count AS clicks", "partition_id")


def wrong_count_without_its_name(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Leaves the name that the state has for the count."""
    if _pinned(_entries(checkpoint)[-1]) != 8:
        _widen(spark, checkpoint)
    return _state(spark, checkpoint).select("key.page", "value.count")


def wrong_widened_before_the_third_step(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Waits until there are twelve batches; "from the next step on" is after the first step, that has eleven."""
    entries = _entries(checkpoint)
    if len(entries) > 11 and _pinned(entries[-1]) != 8:
        _widen(spark, checkpoint)
    return _known(spark, checkpoint)


def wrong_after_the_first_batch_only(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Widens where the checkpoint knows of one batch.

    "the query may be hundreds of batches old" when it is first stopped: it stays at two then.
    """
    if len(_entries(checkpoint)) == 1:
        _widen(spark, checkpoint)
    return _known(spark, checkpoint)
