"""What the page refuses, and what it must not take for right, in code as learners write it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from page.page_cases import COURSE

from grader.page.page_verdict import PageVerdict
from grader.page.worker import Worker


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with Worker(COURSE, limit=120) as one:
        yield one


def late_clicks(worker: Worker, *body: str) -> PageVerdict:
    """The verdict on an answer to 03.2."""
    lines = ["def late_clicks(clicks):", *(f"    {line}" for line in body)]
    return worker.check("03.2", "\n".join(lines) + "\n")


RIGHT = (
    'timed = clicks.withWatermark("event_time", "10 seconds")',
    'return timed.groupBy(F.window("event_time", "5 minutes"), "page").agg(F.count("*").alias("clicks"))',
)


def test_a_right_answer_passes_and_says_what_was_not_played(worker: Worker) -> None:
    found = late_clicks(worker, *RIGHT)
    assert found.passed and not found.only_lab
    assert any("restarts" in sentence for sentence in found.not_played)
    assert any("hidden" in sentence for sentence in found.not_played)
    assert found.recording is not None and found.recording.batches


def test_a_wrong_delay_fails_with_its_name(worker: Worker) -> None:
    found = late_clicks(worker, *[line.replace("10 seconds", "10 minutes") for line in RIGHT])
    assert found.verdict is not None and found.verdict.status == "failed"
    assert found.verdict.diagnosis is not None
    assert found.verdict.diagnosis.id == "minutes_for_seconds"


@pytest.mark.parametrize(
    "body",
    [
        # columns of the frame before the watermark: for Spark, they carry none
        (RIGHT[0], RIGHT[1].replace('"event_time"', "clicks.event_time")),
        (RIGHT[0], RIGHT[1].replace('"event_time"', 'clicks["event_time"]')),
        # for Spark, both columns have either name
        (RIGHT[0], 'timed = timed.select("*", F.lit(1).alias("PAGE"))', RIGHT[1]),
        (RIGHT[0], 'timed = timed.withColumn("PAGE", F.lit("/"))', RIGHT[1]),
        (RIGHT[0], 'timed = timed.drop("SENT_AT", "PAGE")', RIGHT[1]),
        # what Python or Spark's optimizer does there is not known
        (RIGHT[0], 'timed = timed.where(F.udf(lambda p: True)("page"))', RIGHT[1]),
        (RIGHT[0], 'timed = timed.where("1 = 1")', RIGHT[1]),
        (RIGHT[0], "timed = timed.where(F.rand() < 2)", RIGHT[1]),
        (RIGHT[0], RIGHT[1] + ".writeStream"),
        (
            RIGHT[0],
            'timed.sparkSession.conf.set("spark.sql.session.timeZone", "Asia/Kolkata")',
            RIGHT[1],
        ),
        ('clicks = clicks.withColumn("from", F.lit("web")).where("`from` = \'web\'")', *RIGHT),
        (RIGHT[0], "timed = timed.where(\"event_time IS NULL OR page <> ''\")", RIGHT[1]),
        # an answer that catches the refusal stays one for the lab
        (RIGHT[0], "try:", "    F.rand()", "except BaseException:", "    pass", RIGHT[1]),
        ("import pandas as pd", "pd.DataFrame()", *RIGHT),
    ],
)
def test_what_is_not_known_is_for_the_lab(worker: Worker, body: tuple[str, ...]) -> None:
    found = late_clicks(worker, *body)
    assert found.verdict is None and found.only_lab


def test_a_watermark_lost_in_a_computed_column_is_refused_as_by_spark(worker: Worker) -> None:
    found = late_clicks(
        worker,
        RIGHT[0],
        'timed = timed.withColumn("event_time", F.col("event_time") + F.expr("INTERVAL 0 SECONDS"))',
        RIGHT[1],
    )
    assert found.verdict is not None and found.verdict.status == "error"


def test_code_that_does_not_run_is_an_error(worker: Worker) -> None:
    found = worker.check("03.2", "def late_clicks(clicks:\n")
    assert found.verdict is not None and found.verdict.criteria[0].name == "syntax"
    found = worker.check("03.2", "nothing = 1 / 0\n")
    assert found.verdict is not None and found.verdict.status == "error"
    found = worker.check("03.2", "def another(clicks): ...\n")
    assert found.verdict is not None and "late_clicks" in found.verdict.criteria[0].message


def test_an_answer_that_exits_gets_a_verdict(worker: Worker) -> None:
    found = late_clicks(worker, "raise SystemExit(0)")
    assert found.verdict is not None and found.verdict.status == "error"
    found = late_clicks(worker, "import os", "os._exit(0)")
    assert found.verdict is None and "process" in found.only_lab


def test_an_exercise_that_needs_the_lab_says_why(worker: Worker) -> None:
    found = worker.check("02.3", "def stamp_cards(spark, kafka): ...\n")
    assert found.verdict is None and "only the lab" in found.only_lab
    assert "no exercise '03.9'" in worker.check("03.9", "").only_lab


def test_an_endless_loop_ends_with_a_message() -> None:
    with Worker(COURSE, limit=3) as worker:
        found = worker.check("12.1", "def percentiles(*_, **given):\n    while True: pass\n")
        assert found.verdict is not None and found.verdict.status == "timeout"
        assert "3 s" in found.verdict.criteria[0].message
        worker.limit = 120
        assert late_clicks(worker, *RIGHT).passed  # the next check has a new process


@pytest.mark.parametrize(
    "after", ['.drop("sent_at")', '.withColumn("x", F.lit(1)).select("order_id", "item")']
)
def test_a_deduplication_without_its_time_keeps_what_spark_keeps(
    worker: Worker, after: str
) -> None:
    """Spark leaves out the unused time, also under two projections: no late row is dropped."""
    code = f"""
def orders_once(orders):
    return orders.withWatermark("sent_at", "5 minutes").dropDuplicates(["order_id"]){after}
"""
    found = worker.check("07.1", code)
    assert found.recording is not None and found.verdict is not None
    assert found.verdict.status == "failed"
    assert not any(batch.dropped for batch in found.recording.batches)


def test_sql_over_a_view_is_read(worker: Worker) -> None:
    found = late_clicks(
        worker,
        'clicks.withWatermark("event_time", "10 seconds").createOrReplaceTempView("timed")',
        "return clicks.sparkSession.sql('''",
        "    WITH windowed AS (SELECT window(event_time, '5 minutes') AS window, page FROM timed)",
        "    SELECT window, page, count(1) AS clicks FROM windowed GROUP BY ALL''')",
    )
    assert found.passed
