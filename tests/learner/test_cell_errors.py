"""Spark's errors in cells of one's own are told in words, and the traceback stays."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow


def shown(*lines: str) -> str:
    """What IPython shows for a cell; the lab is started first."""
    program = "\n".join(["import grader", "spark, kafka = grader.start()", *lines])
    command = [sys.executable, "-m", "IPython", "--no-banner", "--colors=NoColor", "-c", program]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=180)
    return ran.stdout + ran.stderr


def test_the_call_on_a_stream_is_named_and_the_traceback_follows() -> None:
    told = shown('spark.readStream.format("rate").load().show()')
    words, _, rest = told.partition("Original message")
    assert "Your code calls `show()` on a stream." in words and "df.writeStream…start()" in words
    assert "Queries with streaming sources must be executed" in rest and "Traceback" in rest
    assert "Read more: https://spark.apache.org/docs/" in rest


def test_what_cannot_go_to_the_workers_is_told_though_python_raised_it() -> None:
    told = shown(
        "import threading",
        "from pyspark.sql import functions as F",
        "lock = threading.Lock()",
        'spark.range(1).select(F.udf(lambda n: lock.locked())("id")).show()',
    )
    assert (
        "holds something that Spark cannot send to its Python workers" in told
        and "Why: " in told
        and "Next: " in told
    )
    assert "Spark rejected" not in told
