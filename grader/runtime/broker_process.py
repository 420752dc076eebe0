"""The Java process of a Kafka broker: its command, its log, and when it is ready."""

import os
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from grader.errors import SetupError
from grader.runtime.jars import jar_paths
from grader.runtime.java import find_java, java_environment
from grader.runtime.log_tail import log_tail
from grader.runtime.paths import log_dir
from grader.runtime.startup_cache import cache_path, flags_to_use

START_SECONDS = 60
HANDSHAKE_SECONDS = 2

# Serial collector and the first compiler: a lesson's broker is small and short-lived. What a request
# needs fits into survivor spaces of this size; else it goes to the old generation, which grows with
# every check until it is full (22 MB and 1 MB in 100 plays).
JAVA_FLAGS = (
    "-Xmx192m",
    "-Xms64m",
    "-Xmn24m",
    "-XX:SurvivorRatio=2",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Xss512k",
)


class BrokerEndedError(Exception):
    """The broker ended before it was ready; the message is the end of its log."""


def broker_command(settings: Path, flags: Sequence[str] | None = None) -> list[str]:
    """The command that runs a broker in the foreground; `flags` replace the start-up cache's."""
    java = find_java()
    if flags is None:
        flags = flags_to_use(cache_path("broker", java, jar_paths("broker")))
    log4j = Path(__file__).with_name("log4j2-broker.properties")
    logging = f"-Dlog4j2.configurationFile={log4j.as_uri()}"
    return [str(java.program), *JAVA_FLAGS, *flags, logging, "kafka.Kafka", str(settings)]


def broker_environment() -> dict[str, str]:
    """The environment of a broker process; its class path goes here to keep `ps` readable."""
    kept = {k: v for k, v in java_environment().items() if not k.startswith("KAFKA_")}
    return {**kept, "CLASSPATH": os.pathsep.join(map(str, jar_paths("broker")))}


def broker_log() -> Path:
    """The log file of the broker started last."""
    return log_dir() / "broker.log"


def wait_until_ready(
    servers: str,
    cluster_id: str,
    ended: Callable[[], bool],
    *,
    log: Path | None = None,
    authority: Path | None = None,
) -> None:
    """Wait until the broker with this cluster id answers; a stranger on its port does not count.

    `log` is that of a broker which is not the lab's, `authority` the certificate of one that speaks TLS.
    Raises BrokerEndedError when `ended` says so, SetupError after START_SECONDS.
    """
    from kafka.errors import KafkaError

    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if ended():
            raise BrokerEndedError(log_tail(log or broker_log()))
        try:
            _shake_hands(servers, authority)
            if _cluster_at(servers, authority) == cluster_id:
                return
        except (OSError, KafkaError):
            time.sleep(0.05)
        else:
            raise BrokerEndedError(
                f"another program's Kafka answers on port {servers.rpartition(':')[2]}"
            )
    what = "broker with TLS" if authority else "Kafka broker"
    where = "" if log else f" ({broker_log()})"  # another broker's log does not outlive that broker
    raise SetupError(
        f"The {what} did not answer within {START_SECONDS} s. Is the machine very busy? "
        f"The end of its log{where}:\n{log_tail(log or broker_log())}"
    )


def _shake_hands(servers: str, authority: Path | None) -> None:
    """Connect, over TLS if there is an `authority`: Kafka's client would wait forever for a silent stranger."""
    host, port = servers.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=HANDSHAKE_SECONDS) as plain:
        if authority is not None:
            trusting = ssl.create_default_context(cafile=authority)
            trusting.wrap_socket(plain, server_hostname=host).close()


def _cluster_at(servers: str, authority: Path | None) -> str | None:
    from kafka import KafkaAdminClient

    trust = {"security_protocol": "SSL", "ssl_cafile": str(authority)} if authority else {}
    admin: Any = KafkaAdminClient(
        bootstrap_servers=servers,
        request_timeout_ms=5000,
        bootstrap_timeout_ms=2000,  # a mute stranger: look whether ours has ended
        **trust,
    )
    try:
        return admin.describe_cluster().get("cluster_id")  # type: ignore[no-any-return]
    finally:
        admin.close()
