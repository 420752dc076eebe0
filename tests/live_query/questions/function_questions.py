"""Questions about Python functions in a query: foreachBatch, foreach, UDFs, applyInPandas."""

import threading
from collections.abc import Callable
from typing import Any

import pandas as pd
from live_query.questions.question_data import SOON, run, settled
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from testkit.planting import Shop, click

import grader


def by_rows(shop: Shop, writer: Any) -> StreamingQuery:
    """A query with foreach on one click."""
    writing = shop.clicks(shop.topic(click(1))).writeStream.foreach(writer)
    query = writing.option("checkpointLocation", grader.fresh_checkpoint()).start()
    shop.queries.append(query)
    return settled(query, SOON)


def by_batches(shop: Shop, frame: DataFrame, function: Callable[..., Any]) -> StreamingQuery:
    return run(shop, frame, "", function=function, every=SOON)


def batch_used_twice(shop: Shop) -> StreamingQuery:
    def write(batch: DataFrame, _number: int) -> None:
        batch.where("page = 'home'").collect()
        batch.where("page = 'hats'").collect()

    return by_batches(shop, shop.clicks(shop.topic(click(1), click(2, "hats"))), write)


def writer_that_raises(shop: Shop) -> StreamingQuery:
    class Writer:
        def process(self, row: Any) -> None:
            raise RuntimeError("no space left")

    return by_rows(shop, Writer())


def first_row_of_an_empty_batch(shop: Shop) -> StreamingQuery:
    def write(batch: DataFrame, _number: int) -> None:
        print(batch.first()["page"])  # type: ignore[index]

    clicks = shop.clicks(shop.topic(click(1)))
    return by_batches(shop, clicks.where("page = 'coats'"), write)


def lock_in_a_function(shop: Shop) -> StreamingQuery:
    lock = threading.Lock()

    def price(page: str) -> int:
        with lock:
            return len(page)

    clicks = shop.clicks(shop.topic(click(1)))
    return run(shop, clicks.select(F.udf(price, "int")("page").alias("price")))


def foreach_with_two_parameters(shop: Shop) -> StreamingQuery:
    def write(batch: Any, number: Any) -> None:
        batch.write.parquet("somewhere")

    return by_rows(shop, write)


def view_of_another_session(shop: Shop) -> StreamingQuery:
    spark = shop.running.spark

    def write(batch: DataFrame, _number: int) -> None:
        batch.createOrReplaceTempView("updates_of_a_batch")
        spark.sql("SELECT page FROM updates_of_a_batch").collect()

    return by_batches(shop, shop.clicks(shop.topic(click(1))), write)


def one_query_of_two_has_failed(shop: Shop) -> StreamingQuery:
    topic = shop.topic(click(1))
    run(shop, shop.clicks(topic), "kafka", every=SOON)
    share = F.udf(lambda page: 1 / (len(page) - 4), "double")
    frame = shop.clicks(topic).select(share("page").alias("share"))
    return run(shop, frame, "kafka", every=SOON)


def groups_of_one_batch(shop: Shop) -> StreamingQuery:
    def count(frame: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"page": [frame.page.iloc[0]], "n": [len(frame)]})

    topic = shop.topic(click(1), click(2))
    counts = shop.clicks(topic).groupBy("page").applyInPandas(count, "page STRING, n INT")
    query = run(shop, counts, "kafka", every=SOON)
    shop.send(topic, click(3))
    query.processAllAvailable()
    return query
