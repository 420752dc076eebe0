"""A lesson's own query taken a step at a time, on the lab that a notebook has."""

import pytest
from pyspark.sql import functions as F

import grader

pytestmark = pytest.mark.slow


def test_a_query_goes_on_where_it_stopped_and_says_what_it_keeps(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, kafka = grader.start()
    orders, sums = kafka.unique_topic("orders"), kafka.unique_topic("sums")
    checkpoint = grader.fresh_checkpoint()
    rows = grader.read_topic(orders, "price DOUBLE, order_time TIMESTAMP")
    revenue = (
        rows.withWatermark("order_time", "10 seconds")
        .groupBy(F.window("order_time", "1 minute"))
        .agg(F.sum("price").alias("revenue"))
    )
    kafka.send(orders, [{"price": 2.0, "order_time": "2026-03-01T09:00:10Z"}, {"no": "order"}])
    grader.run_once(revenue, sums, checkpoint)
    kafka.send(orders, [{"price": 3.0, "order_time": "2026-03-01T09:01:20Z"}])
    grader.run_once(revenue, sums, checkpoint)
    grader.run_once(revenue, sums, checkpoint)
    grader.run_once(rows, kafka.unique_topic("copies"), grader.fresh_checkpoint())
    assert capsys.readouterr().out.splitlines() == [
        "watermark: 2026-03-01 09:00:00 · rows in state: 1",
        "watermark: 2026-03-01 09:01:10 · rows in state: 1",
        "nothing new to read; what the query keeps is as it was",
        "rows taken in: 3 · no state",
    ]
    assert [row["revenue"] for row in kafka.read(sums)] == [2.0]
