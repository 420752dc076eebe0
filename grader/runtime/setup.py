"""Set-up: Java, the locked jars, the class-data archives (python -m grader.runtime.setup)."""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from grader.runtime import broker, session
from grader.runtime.archive import archive_path, remove_old
from grader.runtime.errors import SetupError
from grader.runtime.jars import fetch_jars
from grader.runtime.java import find_java
from grader.runtime.locks import file_lock
from grader.runtime.paths import cache_dir
from grader.runtime.scratch import make_scratch, remove_scratch

DUMP_SECONDS = 180


def set_up(*, force: bool = False, say: Callable[[str], None] = print) -> None:
    """Bring everything here that the lab needs; what is there already is checked and kept.

    Raises SetupError with the mend.
    """
    java = find_java(fetch=True, say=say)
    say(f"Java {java.version} in {java.home}")
    broker_jars = fetch_jars("broker", say=say)
    connector_jars = fetch_jars("connector", say=say)
    count = len(broker_jars) + len(connector_jars)
    say(f"{count} jars for Kafka and Spark, each as its lock has it")
    with file_lock(cache_dir() / "archives.lock"):
        for_broker = archive_path("broker", java, broker_jars)
        for_spark = archive_path("spark", java, session.class_path())
        if force or not (for_broker.is_file() and for_spark.is_file()):
            say("Making the class-data archives (once, about a minute; Java starts faster then)")
            started = time.monotonic()
            make_archives(for_broker, for_spark, say)
            size = (for_broker.stat().st_size + for_spark.stat().st_size) / 1e6
            say(f"  made in {time.monotonic() - started:.0f} s, {size:.0f} MB")
        remove_old("broker", for_broker)
        remove_old("spark", for_spark)
    say(f"Ready. Everything is in {cache_dir()}")


def make_archives(for_broker: Path, for_spark: Path, say: Callable[[str], None]) -> None:
    """Run a broker and Spark once and write down the classes that they loaded."""
    from grader.runtime.warmup import tour

    data = make_scratch("setup")
    settings, port, cluster_id = broker.write_settings(data)
    servers = f"127.0.0.1:{port}"
    parts = [path.with_suffix(".part") for path in (for_broker, for_spark)]
    with open(broker.broker_log(), "wb") as log:
        kafka = subprocess.Popen(
            broker.broker_command(find_java().program, settings, _dump_to(parts[0])),
            env=broker.broker_environment(broker.jar_paths("broker")),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        broker.wait_until_ready(servers, cluster_id, lambda: kafka.poll() is not None)
        say("  Kafka is up")
        spark = session.spark_session(java_flags=_dump_to(parts[1]))
        say("  Spark is up, running a few streams")
        tour(spark, servers)
        say("  writing down the classes that they loaded")
        session.stop_spark(DUMP_SECONDS)
        kafka.terminate()
        kafka.wait(DUMP_SECONDS)
    except (broker.BrokerEndedError, subprocess.TimeoutExpired) as error:
        raise SetupError(f"Could not make the class-data archives: {error}") from error
    finally:
        session.stop_spark()
        kafka.kill()
        kafka.wait()
        remove_scratch(data)
    for part, path in zip(parts, (for_broker, for_spark), strict=True):
        if not part.is_file():
            raise SetupError(
                f"Java wrote no class-data archive {path.name}. Is there room in {path.parent}? "
                f"Its words are in {broker.broker_log()} and {session.spark_log()}."
            )
        os.replace(part, path)


def _dump_to(path: Path) -> list[str]:
    return [f"-XX:ArchiveClassesAtExit={path}"]


def main() -> int:
    """The command line of the set-up; its exit code."""
    parser = argparse.ArgumentParser(prog="grader.runtime.setup", description=__doc__)
    parser.add_argument("--force", action="store_true", help="make the archives again")
    try:
        set_up(force=parser.parse_args().force)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
