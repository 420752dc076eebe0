"""Questions about files as a source, and about sources in Python."""

import os
import time
from collections.abc import Iterator
from typing import Any

from live_query.questions.question_data import SOON, json_file, run
from pyspark.sql import DataFrame
from pyspark.sql.datasource import DataSource, DataSourceReader, SimpleDataSourceStreamReader
from pyspark.sql.streaming.query import StreamingQuery
from testkit.planting import SCHEMA, Shop, click

import grader


def of_files(shop: Shop, folder: str, **options: str) -> DataFrame:
    return shop.running.spark.readStream.schema(SCHEMA).options(**options).json(folder)


def file_older_than_a_week(shop: Shop) -> StreamingQuery:
    folder = grader.fresh_checkpoint()
    json_file(folder, "new.json", click(5))
    query = run(shop, of_files(shop, folder), "kafka", every=SOON)
    path = json_file(folder, ".old.json", click(6))
    ten_days = time.time() - 10 * 86_400
    os.utime(path, (ten_days, ten_days))
    path.rename(path.with_name("old.json"))
    query.processAllAvailable()
    return query


def file_written_again(shop: Shop) -> StreamingQuery:
    folder = grader.fresh_checkpoint()
    json_file(folder, "clicks.json", click(5))
    query = run(shop, of_files(shop, folder), "kafka", every=SOON)
    json_file(folder, "clicks.json", click(5), click(6))
    query.processAllAvailable()
    return query


def folder_that_is_not_there(shop: Shop) -> StreamingQuery:
    return run(shop, of_files(shop, f"{grader.fresh_checkpoint()}/none"))


def archive_without_a_folder(shop: Shop) -> StreamingQuery:
    folder = grader.fresh_checkpoint()
    json_file(folder, "clicks.json", click(5))
    return run(shop, of_files(shop, folder, cleanSource="archive"), "kafka")


def reader_that_stands_still(shop: Shop) -> StreamingQuery:
    class Reader(SimpleDataSourceStreamReader):
        def initialOffset(self) -> dict[str, int]:  # noqa: N802
            return {"at": 0}

        def read(self, start: dict[str, int]) -> tuple[Iterator[tuple[str]], dict[str, int]]:
            return iter([("home",)]), start

        def readBetweenOffsets(self, start: Any, end: Any) -> Iterator[tuple[str]]:  # noqa: N802
            return iter([("home",)])

    class Still(DataSource):
        @classmethod
        def name(cls) -> str:
            return "stands_still"

        def schema(self) -> str:
            return "page STRING"

        def simpleStreamReader(self, schema: Any) -> Reader:  # noqa: N802
            return Reader()

    spark = shop.running.spark
    spark.dataSource.register(Still)
    return run(shop, spark.readStream.format("stands_still").load(), every="500 milliseconds")


def source_for_batches_only(shop: Shop) -> StreamingQuery:
    class Reader(DataSourceReader):
        def read(self, partition: Any) -> Iterator[tuple[str]]:
            return iter([("home",)])

    class Batches(DataSource):
        @classmethod
        def name(cls) -> str:
            return "batches_only"

        def schema(self) -> str:
            return "page STRING"

        def reader(self, schema: Any) -> Reader:
            return Reader()

    spark = shop.running.spark
    spark.dataSource.register(Batches)
    return run(shop, spark.readStream.format("batches_only").load(), every=SOON)
