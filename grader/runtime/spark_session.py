"""The Spark session of the lab: its settings, its start and its end."""

import atexit
import logging
import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from grader.runtime.cluster import given_settings, spark_master, wait_for_executor
from grader.runtime.jars import spark_jars
from grader.runtime.kafka_settings import teach_spark
from grader.runtime.paths import own_commands_first
from grader.runtime.python_workers import fork_workers
from grader.runtime.scratch_folders import make_scratch
from grader.runtime.spark_internals.context_internals import (
    delete_within_java,
    drop_hadoop_defaults,
    handle_accumulator_errors,
    has_context,
    stop_context,
)
from grader.runtime.spark_internals.java_gateway import connect, disconnect, has_gateway
from grader.runtime.spark_jvm import Starting, end_java, spark_log, start_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Hadoop's own local file system starts chmod for every file that it creates, and readlink for
# every rename: three processes for each file of a checkpoint, more than the rest of a small batch costs.
LOCAL_FILES = {
    "spark.hadoop.fs.file.impl": "com.globalmentor.apache.hadoop.fs.BareLocalFileSystem",
    "spark.sql.streaming.checkpointFileManagerClass": "org.apache.spark.sql.execution.streaming"
    ".checkpointing.FileSystemBasedCheckpointFileManager",
}

# Delta Lake's tables, beside all other formats. By default Delta reads a table's log in 50 tasks, and
# Spark lists a table's files in up to 10,000: for a lesson's small tables one or two are enough.
TABLES = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
    # Delta sets these two itself, with the first query of a session.
    "spark.sql.parquet.fieldId.read.enabled": "true",
    "spark.sql.parquet.fieldId.write.enabled": "true",
}

# Defaults of MapReduce and YARN, which are no part of the lab. For each batch with state Spark sends all
# of Hadoop's settings to its tasks, twice, and Hadoop compresses each by itself: two thirds are these.
NOT_OURS = ("mapred-default.xml", "mapred-site.xml", "yarn-default.xml", "yarn-site.xml")

# Spark looks once a minute for producers to close. Its own ten minutes are longer than Kafka's five
# after which a producer asks for all its topics, and makes those again that were deleted.
PRODUCERS_IDLE = "1ms"

_lock = threading.RLock()
_java: "subprocess.Popen[bytes] | None" = None
_begun: Starting | None = None


def begin() -> None:
    """Let Java boot while this process does something else: `spark_session` uses it later.

    For callers that need a session soon. If a session's JVM is there already, nothing happens.
    """
    global _begun
    with _lock:
        if _begun is None and not has_gateway():
            _use_utc()
            _use_this_python()
            _begun = start_java()


def spark_session(
    *,
    fast: bool = True,
    extra_conf: Mapping[str, str] | None = None,
    java_flags: Sequence[str] = (),
) -> "SparkSession":
    """The Spark session of this process, started if there is none (time zone UTC throughout).

    The environment variable GRADER_SPARK_MASTER names a master other than local[*]. Raises SetupError
    with the fix.

    - `fast` compiles less, which suits lessons; benchmarks need the full compiler (fast=False)
    - `extra_conf` is set on a running session too, as far as Spark allows
    - `java_flags` replace those of the start-up cache
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    with _lock:
        if not has_context():
            _use_utc()
            _use_this_python()
            settings = {**session_settings(), **(extra_conf or {})}
            if not has_gateway():
                _start_java(fast, java_flags)
            context = SparkContext(conf=SparkConf().setAll(list(settings.items())))
            _hush(context)
            if settings["spark.master"].startswith("local"):
                drop_hadoop_defaults(context, NOT_OURS)
            else:
                try:
                    wait_for_executor(context)
                except BaseException:
                    stop_spark()
                    raise
            teach_spark()
            fork_workers(context)
            delete_within_java(context)
        builder = SparkSession.builder
        for name, value in (extra_conf or {}).items():
            builder = builder.config(name, value)
        return builder.getOrCreate()


def stop_spark(seconds: float = 20) -> None:
    """Stop this process's Spark session and its Java process; the next session starts from scratch.

    Java is killed if it takes longer than `seconds`.
    """
    global _java
    with _lock:
        stop_context()
        disconnect(forget=True)
        if _java is not None:
            end_java(_java, seconds)
            _java = None
        _end_begun(seconds)


def session_settings() -> dict[str, str]:
    """The Spark settings of a lab session; those of the file GRADER_SPARK_CONF win."""
    master = spark_master()
    scratch = make_scratch("spark")
    settings = {
        "spark.master": master,
        "spark.app.name": "stateful-streams",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.local.dir": str(scratch / "local"),
        # Spark's 200 make every small stateful batch slow.
        "spark.sql.shuffle.partitions": str(os.cpu_count() or 2),
        "spark.sql.streaming.numRecentProgressUpdates": "1000",
        "spark.kafka.producer.cache.timeout": PRODUCERS_IDLE,
        "spark.sql.streaming.stopTimeout": "20s",
        # what Spark keeps for its web pages; plans of a batch are read from there, too
        "spark.sql.ui.retainedExecutions": "200",
        "spark.ui.retainedJobs": "200",
        "spark.ui.retainedStages": "200",
        "spark.ui.retainedTasks": "2000",
        **TABLES,
    }
    if master.startswith("local"):
        settings["spark.driver.host"] = settings["spark.driver.bindAddress"] = "127.0.0.1"
        settings |= LOCAL_FILES
    else:  # its executors lack these jars, and are in a different time zone
        settings["spark.jars"] = ",".join(str(path) for path in spark_jars())
        settings["spark.executorEnv.TZ"] = "UTC"
        settings["spark.sql.warehouse.dir"] = str(make_scratch("checkpoint") / "warehouse")
    return {**settings, **given_settings()}


def _start_java(fast: bool, flags: Sequence[str]) -> None:
    """Start Java, or take the one that has begun, and make it the gateway of PySpark's next context."""
    global _java
    if not fast or flags:
        _end_begun()
    starting = _take_begun() or start_java(fast, flags)
    # half a second of imports (pandas among them) that PySpark needs as soon as Java answers
    import pyspark.testing.utils  # noqa: F401

    port, secret = starting.connection()
    _java = starting.process
    connect(_java, port, secret)


def _take_begun() -> Starting | None:
    global _begun
    begun, _begun = _begun, None
    return begun


def _end_begun(seconds: float = 20) -> None:
    """End a Java process that was started in advance and never used."""
    begun = _take_begun()
    if begun is not None:
        begun.end(seconds)


def _hush(context: Any) -> None:
    """Write the errors of PySpark's accumulator server to the log, and drop PySpark's own copies.

    If Java ends before Python does, that server has errors, which a learner would see last.
    And PySpark logs an exception with its query context as a page of JSON before it raises it.
    """
    from pyspark.logger import PySparkLogger

    for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)

    def handle_error(*_: object) -> None:
        with open(spark_log(), "a") as log:
            traceback.print_exc(file=log)

    handle_accumulator_errors(context, handle_error)


def _use_this_python() -> None:
    """Run Spark's Python workers on this Python; on a cluster PYSPARK_PYTHON may name another path."""
    if spark_master().startswith("local"):
        os.environ["PYSPARK_PYTHON"] = sys.executable
    else:
        own_commands_first()  # a bare name such as python3 means this Python in the driver
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable


def _use_utc() -> None:
    """Make UTC the time zone of this process and of Spark's Python workers.

    Without it a collected timestamp is shown in the machine's zone, but Spark's own in UTC.
    """
    os.environ["TZ"] = "UTC"
    time.tzset()


def _end_with_python() -> None:
    """End Java after the connections to it: a late finalizer would still call it, and complain."""
    if _java is not None:
        disconnect()
        end_java(_java)
    _end_begun()


atexit.register(_end_with_python)
