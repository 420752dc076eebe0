"""Debezium's connector for PostgreSQL in a standalone worker of Kafka Connect."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.connectors.change_data.maven_downloads import MavenFile, maven_files
from grader.connectors.change_data.postgres_server import USER, Postgres
from grader.runtime.jars import jar_paths
from grader.runtime.java import find_java, java_environment
from grader.runtime.ports import own_ports
from grader.toml_file import read_toml

LOCK = Path(__file__).with_name("jars") / "jgo.lock.toml"
MEGABYTES = 17  # of the jars that the lab's broker does not have
SECONDS_TO_STOP = 60


@contextmanager
def connect_worker(
    folder: Path, servers: str, database: Postgres, *, flush_seconds: int = 1
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a worker as below; it stops with the block, and stores its offsets.

    Its offsets stay in `folder` for the next worker. A worker that is killed does not store them.
    """
    command, environment = worker_command(
        folder, fetch_debezium(), servers, database, flush_seconds=flush_seconds
    )
    log = (folder / "worker.log").open("ab")
    process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(SECONDS_TO_STOP)
        log.close()


def worker_command(
    folder: Path,
    jars: list[Path],
    servers: str,
    database: Postgres,
    *,
    prefix: str = "shop",
    flush_seconds: int = 1,
) -> tuple[list[str], dict[str, str]]:
    """The command and environment of a worker with one connector that captures the table `orders`.

    The topic is `PREFIX.public.orders`. It stores its offsets in `folder` every `flush_seconds`.
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
        "name": prefix,
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "plugin.name": "pgoutput",
        "database.hostname": "127.0.0.1",
        "database.port": str(database.port),
        "database.user": USER,
        "database.password": database.password,
        "database.dbname": "postgres",
        "topic.prefix": prefix,
        "table.include.list": "public.orders",
        "publication.autocreate.mode": "filtered",
        "slot.name": "shop",
    }
    files = [folder / "worker.properties", folder / "connector.properties"]
    for file, settings in zip(files, (worker, connector), strict=True):
        file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    flags = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData", f"-Djava.io.tmpdir={folder}"]
    main = "org.apache.kafka.connect.cli.ConnectStandalone"
    environment = {
        **java_environment(),
        "CLASSPATH": os.pathsep.join(map(str, jars)),
    }
    return [str(find_java().program), *flags, main, *map(str, files)], environment


def fetch_debezium(say: Callable[[str], None] = print) -> list[Path]:
    """The jars of Debezium and Connect, and the broker's, which hold Kafka's client; the first call downloads them.

    Raises SetupError with the fix.
    """
    of_the_broker = jar_paths("broker")
    names = {path.name for path in of_the_broker}
    locked = [
        MavenFile(entry["groupId"], entry["artifactId"], entry["version"], entry["sha256"])
        for entry in read_toml(LOCK)["dependencies"]
    ]
    missing = [file for file in locked if file.name not in names]
    return [*maven_files(missing, "Debezium", MEGABYTES, say=say), *of_the_broker]
