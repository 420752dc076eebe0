"""Debezium's connector for PostgreSQL in a standalone worker of Kafka Connect."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.runtime.java import find_java, java_environment
from grader.runtime.ports import own_ports

POM = Path(__file__).with_name("pom.xml")
SECONDS_TO_STOP = 60


def fetch_jars(folder: Path) -> None:
    """Let Maven copy Debezium, Kafka Connect and all that they need into a folder (38 MB)."""
    copy = ["mvn", "-q", "-B", "-f", str(POM), "dependency:copy-dependencies"]
    subprocess.run([*copy, "-DincludeScope=runtime", f"-DoutputDirectory={folder}"], check=True)


@contextmanager
def connect_worker(
    folder: Path, servers: str, database_port: int, *, flush_seconds: int = 1
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a worker with one connector that captures the table `orders`; it stops with the block.

    Its jars are in `folder`/jars, its offsets stay in `folder` for the next worker. It stores its offsets
    every `flush_seconds` and when it is stopped, not when it is killed.
    """
    (port,) = own_ports(1)
    worker = {
        "bootstrap.servers": servers,
        "key.converter": "org.apache.kafka.connect.json.JsonConverter",
        "key.converter.schemas.enable": "false",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter.schemas.enable": "false",
        "offset.storage.file.filename": f"{folder}/offsets",
        "offset.flush.interval.ms": str(1000 * flush_seconds),
        "plugin.discovery": "service_load",
        "listeners": f"http://127.0.0.1:{port}",
    }
    connector = {
        "name": "shop",
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "plugin.name": "pgoutput",
        "database.hostname": "127.0.0.1",
        "database.port": str(database_port),
        "database.user": "postgres",
        "database.dbname": "postgres",
        "topic.prefix": "shop",
        "table.include.list": "public.orders",
        "publication.autocreate.mode": "filtered",
        "slot.name": "shop",
    }
    files = [folder / "worker.properties", folder / "connector.properties"]
    for file, settings in zip(files, (worker, connector), strict=True):
        file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    process = subprocess.Popen(
        [
            str(find_java().program),
            "-Xmx256m",
            "org.apache.kafka.connect.cli.ConnectStandalone",
            *map(str, files),
        ],
        env={**java_environment(), "CLASSPATH": os.path.join(folder, "jars", "*")},
        stderr=(folder / "worker.log").open("ab"),
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(SECONDS_TO_STOP)
