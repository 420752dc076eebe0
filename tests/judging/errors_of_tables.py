"""Errors of Delta tables, each raised by a query or a write of its own: by the name of the known error."""

from collections.abc import Callable

from delta.tables import DeltaTable
from error_shop import Shop, fresh
from pyspark.sql import DataFrame


def made(shop: Shop, *pages: str) -> str:
    """The path of a new table of pages with a row for each."""
    path = fresh()
    shop.bench.spark.sql(f"CREATE TABLE delta.`{path}` (page STRING) USING delta")
    for page in pages:
        shop.bench.spark.sql(f"INSERT INTO delta.`{path}` VALUES ('{page}')")
    return path


def streamed(shop: Shop, path: str, **options: str | bool | int) -> DataFrame:
    return shop.bench.spark.readStream.format("delta").options(**options).load(path)


def merged_from_two_rows(shop: Shop) -> None:
    table = DeltaTable.forPath(shop.bench.spark, made(shop, "home")).alias("old")
    twice = shop.bench.spark.createDataFrame([("home",), ("home",)], "page STRING").alias("new")
    table.merge(twice, "old.page = new.page").whenMatchedUpdateAll().execute()


def in_update_mode(shop: Shop) -> None:
    counts = shop.counts().select("page", "count")
    shop.run(counts, mode="update", sink="delta", path=fresh())


def updated_between_two_runs(shop: Shop) -> None:
    path, checkpoint = made(shop, "home"), fresh()
    shop.run(streamed(shop, path), checkpoint)
    shop.bench.spark.sql(f"UPDATE delta.`{path}` SET page = 'hats'")
    shop.run(streamed(shop, path), checkpoint)


def feed_that_is_not_there(shop: Shop) -> None:
    shop.run(streamed(shop, made(shop, "home"), readChangeFeed=True, startingVersion=0))


def version_of_the_future(shop: Shop) -> None:
    reader = shop.bench.spark.read.format("delta").option("versionAsOf", 99)
    reader.load(made(shop, "home")).collect()


OF_TABLES: dict[str, Callable[[Shop], None]] = {
    "several source rows for a row of MERGE": merged_from_two_rows,
    "update mode into a table": in_update_mode,
    "a stream from a table that was changed": updated_between_two_runs,
    "a table without a change feed": feed_that_is_not_there,
    "a version that the table does not have": version_of_the_future,
}
