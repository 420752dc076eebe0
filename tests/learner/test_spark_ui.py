"""`grader.start(ui=True)`: the Spark UI, the metrics of queries, and what is said if Spark began without it."""

import subprocess
import sys

import pytest

WITH_UI = """
from urllib.request import urlopen
import grader
spark, kafka = grader.start(ui=True)
clicks = kafka.create_topic("clicks-of-test")
kafka.send(clicks, [{"page": "home", "event_time": "2026-03-01T12:00:00Z"}])
query = (
    grader.read_topic(clicks, "page STRING, event_time TIMESTAMP")
    .withWatermark("event_time", "1 minute").groupBy("event_time").count()
    .writeStream.format("noop").outputMode("append").queryName("named query")
    .option("checkpointLocation", grader.fresh_checkpoint()).start()
)
query.processAllAvailable()
ui = spark.sparkContext.uiWebUrl
def read(path):
    with urlopen(ui + path) as reply:
        return reply.read().decode()
print("tab:", "named query" in read("/StreamingQuery/"))
page = " ".join(read(f"/StreamingQuery/statistics/?id={query.runId}").split())
print("panels:", all(title in page for title in (
    "Input Rate", "Process Rate", "Input Rows", "Batch Duration", "Operation Duration",
    "Global Watermark Gap", "Aggregated Number Of Total State Rows",
    "Aggregated Number Of Late Rows Dropped By Watermark",
)))
metric = "metrics_lab_driver_spark_streaming_named_query_states_rowsTotal_Value"
print("metric:", [line for line in read("/metrics/prometheus/").splitlines() if metric in line])
query.stop()
print("stopped:", "named_query" in read("/metrics/prometheus/"))
spark.stop()
spark, kafka = grader.start(ui=True)
"""

WITHOUT = """
import grader
spark, kafka = grader.start()
grader.start(ui=True)
print("still", spark.range(3).count())
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_ui_shows_a_query_and_its_metrics_on_this_machine_only() -> None:
    said = run(WITH_UI)
    assert said.count("Spark UI: http://127.0.0.1:") == 2, said
    assert "tab: True\npanels: True\n" in said
    assert "_states_rowsTotal_Value{type=" in said.split("metric:")[1].splitlines()[0]
    assert "stopped: False" in said


@pytest.mark.slow
def test_a_lab_that_runs_without_the_ui_says_how_to_get_it() -> None:
    said = run(WITHOUT)
    assert "The Spark UI is off" in said
    assert "Fix: restart the kernel" in said
    assert "still 3" in said
