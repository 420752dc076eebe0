"""The Java process of Spark's driver: its flags, its start, its log."""

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.errors import SetupError
from grader.runtime.cluster import spark_master
from grader.runtime.jars import pyspark_jars, spark_home, spark_jars
from grader.runtime.java import Java, find_java, java_environment
from grader.runtime.log_tail import log_tail
from grader.runtime.paths import log_dir
from grader.runtime.startup_cache import cache_path, flags_to_use

START_SECONDS = 90
LOG_DAYS = 7

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


@dataclass(frozen=True)
class Starting:
    """A Java process that was started, and the file in which it will say how Python reaches it."""

    java: Java
    process: "subprocess.Popen[bytes]"
    answer: Path

    def connection(self) -> tuple[int, str]:
        """Its port and its secret, as soon as it says them. Raises SetupError if it does not start."""
        from pyspark.serializers import UTF8Deserializer, read_int

        try:
            deadline = time.monotonic() + START_SECONDS
            while not self.answer.is_file():
                if self.process.poll() is not None or time.monotonic() > deadline:
                    end_java(self.process)
                    raise SetupError(
                        f"Spark's Java did not start ({self.java.program}, Java "
                        f"{self.java.version}). Run grader doctor: it names the fix. The end of its log "
                        f"({spark_log()}):\n{log_tail(spark_log())}"
                    )
                time.sleep(0.02)
            with open(self.answer, "rb") as file:
                return read_int(file), UTF8Deserializer().loads(file)
        finally:
            self._forget()

    def end(self, seconds: float = 20) -> None:
        """End it again, before its connection was used."""
        end_java(self.process, seconds)
        self._forget()

    def _forget(self) -> None:
        shutil.rmtree(self.answer.parent, ignore_errors=True)


def start_java(fast: bool = True, flags: Sequence[str] = ()) -> Starting:
    """Start the Java process that Python drives; it boots while the caller does something else.

    It ends when its standard input closes, that is with this process, however that ends. Spark's own
    scripts do the same with a shell and a second Java process. This function saves a second, and Java's
    output goes to a file without touching this process's own. The `flags` replace those of the start-up cache.
    """
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
    answer = Path(tempfile.mkdtemp()) / "gateway"
    environment = {
        **java_environment(),
        "CLASSPATH": os.pathsep.join(map(str, jars)),
        "SPARK_HOME": str(spark_home()),
        "SPARK_CONNECT_MODE": "0",
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(answer),
    }
    if spark_master().startswith("local"):
        environment.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    _forget_old_logs()
    with open(spark_log(), "ab") as log:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C interrupts the cell, not Spark
        )
    return Starting(java, process, answer)


def class_path() -> list[Path]:
    """The class path of the Spark driver: PySpark's jars, then those of the connector and of Delta Lake."""
    return [*pyspark_jars(), *spark_jars()]


def flags_for(java: Java, *, fast: bool = True) -> list[str]:
    """The flags of the driver's JVM, on which its start-up cache depends, too."""
    modules = [f for f in MODULE_FLAGS if VECTOR_MODULE not in f or java.has(VECTOR_MODULE)]
    speed = FAST_FLAGS if fast else ()
    return [HEAP_FLAG, COLLECTOR_FLAG, CODE_CACHE_FLAG, STACK_FLAG, *speed, *modules]


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


def spark_log() -> Path:
    """The log file of this process's Spark: Java's, and its Python workers' output."""
    return log_dir() / f"spark-{os.getpid()}.log"


def _forget_old_logs() -> None:
    for path in log_dir().glob("spark-*.log"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > LOG_DAYS * 24 * 3600:
                path.unlink()
