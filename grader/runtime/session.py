"""The Spark session of the lab: its Java process, its settings, its log."""

import atexit
import contextlib
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.runtime.cluster import given_settings, wait_for_executor
from grader.runtime.errors import SetupError
from grader.runtime.jars import jar_paths, pyspark_jars, spark_home
from grader.runtime.java import Java, find_java
from grader.runtime.kafka_settings import teach_spark
from grader.runtime.paths import log_dir, own_commands_first
from grader.runtime.scratch import make_scratch
from grader.runtime.startup_cache import cache_path, flags_to_use

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

START_SECONDS = 90
LOG_DAYS = 7
LOG_TAIL_LINES = 25

# What Spark's own launcher adds (a test holds this to the installed Spark). A Java without the
# vector module, such as the lab's own, runs Spark too, but not with the flag that asks for it.
VECTOR_MODULE = "jdk.incubator.vector"
MODULE_FLAGS = (
    "-XX:+IgnoreUnrecognizedVMOptions",
    f"--add-modules={VECTOR_MODULE}",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
    "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/java.net=ALL-UNNAMED",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.util=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
    "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.cs=ALL-UNNAMED",
    "--add-opens=java.base/sun.security.action=ALL-UNNAMED",
    "--add-opens=java.base/sun.util.calendar=ALL-UNNAMED",
    "--add-opens=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.allocator.type=pooled",
    "-Dio.netty.handler.ssl.defaultEndpointVerificationAlgorithm=NONE",
    "--sun-misc-unsafe-memory-access=allow",
    "--enable-native-access=ALL-UNNAMED",
    "-Dderby.connection.requireAuthentication=false",
)
HEAP_FLAG = "-Xmx576m"
FAST_FLAGS = (
    "-XX:TieredStopAtLevel=1",  # a lesson's code is too short-lived for the second compiler
    # Survivor spaces that hold what one batch needs: with Java's own sizes twice as much of every
    # check goes to the old generation, and stays in memory until that is full.
    "-Xmn192m",
    "-XX:SurvivorRatio=4",
)
# Without the second compiler Java reserves 48 MB for compiled code: a long lab fills it, and
# everything turns slow.
CODE_CACHE_FLAG = "-XX:ReservedCodeCacheSize=240m"
# Spark reads a failed foreachBatch's message with a regular expression that overflows a 1 MB stack.
STACK_FLAG = "-Xss4m"
# Part of what a start-up cache depends on, therefore the same with and without `fast`.
COLLECTOR_FLAG = "-XX:+UseSerialGC"

# Hadoop's own local file system starts chmod for every file that it creates, and readlink for
# every rename: three processes for each file of a checkpoint, more than the rest of a small batch costs.
LOCAL_FILES = {
    "spark.hadoop.fs.file.impl": "com.globalmentor.apache.hadoop.fs.BareLocalFileSystem",
    "spark.sql.streaming.checkpointFileManagerClass": "org.apache.spark.sql.execution.streaming"
    ".checkpointing.FileSystemBasedCheckpointFileManager",
}

# Spark looks once a minute for producers to close. Its own ten minutes are longer than Kafka's five
# after which a producer asks for all its topics, and makes those again that were deleted.
PRODUCERS_IDLE = "1ms"

_lock = threading.RLock()
_java: "subprocess.Popen[bytes] | None" = None


def spark_session(
    *,
    fast: bool = True,
    extra_conf: Mapping[str, str] | None = None,
    java_flags: Sequence[str] = (),
) -> "SparkSession":
    """The Spark session of this process, started if there is none (time zone UTC throughout).

    `fast` compiles less, which suits lessons; benchmarks want the full compiler (fast=False).
    `extra_conf` is set on a running session too, as far as Spark allows. `java_flags` replace the
    start-up cache's. The environment variable GRADER_SPARK_MASTER names another master than
    local[*]. Raises SetupError with the mend.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    with _lock:
        if SparkContext._active_spark_context is None:
            _use_utc()
            _use_this_python()
            settings = {**session_settings(), **(extra_conf or {})}
            if SparkContext._gateway is None:
                _start_java(fast, java_flags)
            context = SparkContext(conf=SparkConf().setAll(list(settings.items())))
            _hush(context)
            if not settings["spark.master"].startswith("local"):
                try:
                    wait_for_executor(context)
                except BaseException:
                    stop_spark()
                    raise
            teach_spark()
        builder = SparkSession.builder
        for name, value in (extra_conf or {}).items():
            builder = builder.config(name, value)
        return builder.getOrCreate()


def stop_spark(seconds: float = 20) -> None:
    """Stop this process's Spark session and its Java process; the next session starts anew.

    Java is killed if it takes longer than `seconds`.
    """
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    global _java
    with _lock:
        session = SparkSession.getActiveSession() or SparkSession._instantiatedSession
        if session is not None:
            session.stop()
        elif SparkContext._active_spark_context is not None:
            SparkContext._active_spark_context.stop()
        gateway, SparkContext._gateway, SparkContext._jvm = SparkContext._gateway, None, None
        if gateway is not None:
            gateway.shutdown()
        if _java is not None:
            end_java(_java, seconds)
            _java = None


def spark_log() -> Path:
    """The log file of this process's Spark: Java's, and its Python workers' output."""
    return log_dir() / f"spark-{os.getpid()}.log"


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
    }
    if master.startswith("local"):
        settings["spark.driver.host"] = settings["spark.driver.bindAddress"] = "127.0.0.1"
        settings |= LOCAL_FILES
    else:  # its executors lack the connector, and stand in another time zone
        settings["spark.jars"] = ",".join(str(path) for path in jar_paths("connector"))
        settings["spark.executorEnv.TZ"] = "UTC"
        settings["spark.sql.warehouse.dir"] = str(make_scratch("checkpoint") / "warehouse")
    return {**settings, **given_settings()}


def spark_master() -> str:
    """The master that sessions use: GRADER_SPARK_MASTER, else all cores of this machine."""
    return os.environ.get("GRADER_SPARK_MASTER") or "local[*]"


def class_path() -> list[Path]:
    """The class path of the Spark driver: PySpark's jars, then the connector's."""
    return [*pyspark_jars(), *jar_paths("connector")]


def flags_for(java: Java, *, fast: bool = True) -> list[str]:
    """The flags of the driver's Java, on which its start-up cache depends, too."""
    modules = [f for f in MODULE_FLAGS if VECTOR_MODULE not in f or java.has(VECTOR_MODULE)]
    speed = FAST_FLAGS if fast else ()
    return [HEAP_FLAG, COLLECTOR_FLAG, CODE_CACHE_FLAG, STACK_FLAG, *speed, *modules]


def start_java(fast: bool, flags: Sequence[str]) -> "tuple[subprocess.Popen[bytes], int, str]":
    """Start the Java process that Python drives: the process, its port, its secret.

    It ends when its standard input closes, that is with this process, however that ends.
    Spark's own scripts do the same by way of a shell and a second Java; this saves a second,
    and lets Java's output go to a file without touching this process's own.
    """
    from pyspark.serializers import UTF8Deserializer, read_int

    java = find_java()
    jars = class_path()
    log4j = Path(__file__).with_name("log4j2.properties")
    command = [
        str(java.program),
        *flags_for(java, fast=fast),
        *(flags or flags_to_use(cache_path("spark", java, jars))),
        f"-Dlog4j2.configurationFile={log4j.as_uri()}",
        "-Duser.timezone=UTC",
        "org.apache.spark.api.python.PythonGatewayServer",
    ]
    folder = Path(tempfile.mkdtemp())
    answer = folder / "gateway"
    environment = {
        **os.environ,
        "CLASSPATH": os.pathsep.join(map(str, jars)),
        "SPARK_HOME": str(spark_home()),
        "SPARK_CONNECT_MODE": "0",
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(answer),
    }
    if spark_master().startswith("local"):
        environment.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    _forget_old_logs()
    try:
        with open(spark_log(), "ab") as log:
            process = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C interrupts the cell, not Spark
            )
        deadline = time.monotonic() + START_SECONDS
        while not answer.is_file():
            if process.poll() is not None or time.monotonic() > deadline:
                end_java(process)
                raise SetupError(
                    f"Spark's Java did not start ({java.program}, Java {java.version}). Run "
                    f"grader doctor for the mend. The end of its log ({spark_log()}):\n"
                    f"{spark_log_tail()}"
                )
            time.sleep(0.02)
        with open(answer, "rb") as file:
            return process, read_int(file), UTF8Deserializer().loads(file)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def end_java(process: "subprocess.Popen[bytes]", seconds: float = 20) -> None:
    """Close the process's input, which ends it; kill it if that takes too long."""
    with contextlib.suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def spark_log_tail() -> str:
    """The last lines of this process's Spark log."""
    try:
        lines = spark_log().read_text(errors="replace").splitlines()
    except OSError:
        return "(it has written no log)"
    return "\n".join(lines[-LOG_TAIL_LINES:]) or "(its log is empty)"


def _start_java(fast: bool, flags: Sequence[str]) -> None:
    """Start Java and make it the gateway of PySpark's next context."""
    from pyspark import SparkContext
    from pyspark.java_gateway import launch_gateway

    global _java
    _java, port, secret = start_java(fast, flags)
    with _environment(PYSPARK_GATEWAY_PORT=str(port), PYSPARK_GATEWAY_SECRET=secret):
        gateway: Any = launch_gateway()
    gateway.proc = _java
    SparkContext._ensure_initialized(gateway=gateway)


def _hush(context: Any) -> None:
    """Write the errors of PySpark's accumulator server to the log, and drop PySpark's own copies.

    When Java ends before Python does, it has one for each; they would be a learner's last words.
    And PySpark logs an exception with its query context as a page of JSON before it raises it.
    """
    from pyspark.logger import PySparkLogger

    for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)

    def handle_error(*_: object) -> None:
        with open(spark_log(), "a") as log:
            traceback.print_exc(file=log)

    context._accumulatorServer.handle_error = handle_error


@contextlib.contextmanager
def _environment(**variables: str) -> Iterator[None]:
    """Set environment variables for a moment."""
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            os.environ.pop(name, None)


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

    Without it a collected timestamp is shown in the machine's zone, beside Spark's own in UTC.
    """
    os.environ["TZ"] = "UTC"
    time.tzset()


def _forget_old_logs() -> None:
    for path in log_dir().glob("spark-*.log"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > LOG_DAYS * 24 * 3600:
                path.unlink()


def _end_with_python() -> None:
    """End Java after the connections to it: a late finalizer would still call it, and complain."""
    from pyspark import SparkContext

    if _java is not None:
        if SparkContext._gateway is not None:
            SparkContext._gateway.shutdown()
        end_java(_java)


atexit.register(_end_with_python)
