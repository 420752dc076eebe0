"""The Kafka broker of the lab: one for all notebooks, gone with the last of its users."""

import base64
import json
import os
import secrets
import select
import shutil
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

import javaproperties

from grader.errors import SetupError
from grader.runtime import broker_guard
from grader.runtime.file_locks import file_lock
from grader.runtime.jars import jar_paths
from grader.runtime.java import find_java, java_environment
from grader.runtime.paths import log_dir, state_dir
from grader.runtime.scratch_folders import make_scratch
from grader.runtime.startup_cache import cache_path, flags_to_use

START_SECONDS = 60
TRIES = 3
LOG_TAIL_LINES = 25

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

# Why some differ from Kafka's defaults:
# - retention and timestamps: scenarios carry timestamps of any year, and nothing may expire;
# - dedupe buffer and index sizes: the defaults (128 MB, 10 MB a segment) are for servers;
# - a rebalance delay of 0: a new consumer need not wait for others that never come.
SETTINGS = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller_port}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={data}/log
num.partitions=1
default.replication.factor=1
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
log.retention.ms=-1
log.message.timestamp.before.max.ms=9223372036854775807
log.message.timestamp.after.max.ms=9223372036854775807
log.cleaner.dedupe.buffer.size=2097152
log.index.size.max.bytes=1048576
log.segment.delete.delay.ms=1000
num.network.threads=2
num.io.threads=2
num.recovery.threads.per.data.dir=1
"""

_guards: list["subprocess.Popen[bytes]"] = []  # those this process started


@dataclass
class Broker:
    """A lease on a broker. It stays up until its last lease is closed or its holder ends."""

    bootstrap_servers: str
    cluster_id: str = ""
    _lease: socket.socket | None = field(default=None, repr=False)

    def close(self) -> None:
        """Give the lease back; twice is fine."""
        if self._lease is not None:
            self._lease.close()
            self._lease = None
        for guard_process in _guards:
            guard_process.poll()  # or it stays a zombie

    def __enter__(self) -> "Broker":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def lease_broker() -> Broker:
    """A lease on the running broker, or on a new one; ready for clients when this returns.

    The environment variable GRADER_KAFKA names an external one instead (host:port).
    Raises SetupError, with the end of its log, if the broker does not start.
    """
    external = os.environ.get("GRADER_KAFKA")
    if external:
        return Broker(external)
    problem = ""
    for _ in range(TRIES):
        lease, about = _join_or_start()
        try:
            wait_until_ready(
                about["bootstrap_servers"], about["cluster_id"], partial(_guard_spoke, lease)
            )
        except BrokerEndedError as ended:  # most likely another program took a port first
            problem = str(ended)
            lease.close()
            continue
        except BaseException:
            lease.close()
            raise
        return Broker(about["bootstrap_servers"], about["cluster_id"], lease)
    raise SetupError(f"The Kafka broker did not start: {problem}\nRun grader doctor for the mend.")


def running_broker() -> str | None:
    """The address of the lab's broker if one is running, without holding a lease on it."""
    try:
        entry = json.loads(broker_registry().read_text())
    except (OSError, ValueError):
        return None
    joined = _ask(entry["port"], entry["token"])
    if joined is None:
        return None
    lease, about = joined
    lease.close()
    return str(about["bootstrap_servers"])


def broker_log() -> Path:
    """The log file of the broker started last."""
    return log_dir() / "broker.log"


def broker_registry() -> Path:
    """The file that says where the running broker's guard listens."""
    return state_dir() / "broker.json"


class BrokerEndedError(Exception):
    """The broker ended while somebody waited for it; the message is the end of its log."""


def _join_or_start() -> tuple[socket.socket, dict[str, Any]]:
    """A lease from the registered guard, or from a new one; the lock keeps two from starting."""
    registry = broker_registry()
    with file_lock(registry.with_suffix(".lock")):
        try:
            entry = json.loads(registry.read_text())
        except (OSError, ValueError):
            entry = None
        if entry is not None:
            joined = _ask(entry["port"], entry["token"])
            if joined is not None:
                return joined
            _clear_away(entry)
        return _start_guard()


def _ask(port: int, token: str) -> tuple[socket.socket, dict[str, Any]] | None:
    """Ask a guard for a lease: the connection and what it says of its broker, or None."""
    try:
        lease = socket.create_connection(("127.0.0.1", port), timeout=5)
    except OSError:
        return None
    try:
        lease.sendall(token.encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            part = lease.recv(4096)
            if not part:
                raise ConnectionError("refused")
            answer += part
        about = json.loads(answer)
        if "bootstrap_servers" not in about:
            raise ConnectionError("not a guard of ours")
        return lease, about
    except (OSError, ValueError, TypeError):
        lease.close()
        return None


def _start_guard() -> tuple[socket.socket, dict[str, Any]]:
    """Start a guard with a new broker, register it, take the first lease."""
    java = find_java()
    class_path = jar_paths("broker")
    data = make_scratch("broker", owned=False)
    settings, port, cluster_id = write_settings(data)
    flags = flags_to_use(cache_path("broker", java, class_path))
    token = secrets.token_hex(16)
    about = {"bootstrap_servers": f"127.0.0.1:{port}", "cluster_id": cluster_id}
    broker_log().unlink(missing_ok=True)
    task = {
        "command": broker_command(java.program, settings, flags),
        "environment": broker_environment(class_path),
        "log": str(broker_log()),
        "data": str(data),
        "token": token,
        "registry": str(broker_registry()),
        "about": about,
    }
    with open(broker_log(), "ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", broker_guard.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
            cwd="/",
        )
    _guards.append(process)
    assert process.stdin is not None and process.stdout is not None
    with process.stdin, process.stdout:  # an open input counts as a lease until ours is there
        process.stdin.write(json.dumps(task).encode() + b"\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if answer:
            entry = {**json.loads(answer), **about, "token": token, "data": str(data)}
            _register(entry)
            joined = _ask(entry["port"], token)
            if joined is not None:
                return joined
    raise SetupError(f"The broker's guard did not start. Its log:\n{broker_log_tail()}")


def _register(entry: dict[str, Any]) -> None:
    """Say to other processes where the guard is (readable by this user only: it has the token)."""
    registry = broker_registry()
    new = registry.with_suffix(".new")
    new.touch(mode=0o600)
    new.write_text(json.dumps(entry))
    os.replace(new, registry)


def broker_command(program: Path, settings: Path, flags: Sequence[str] = ()) -> list[str]:
    """The command that runs a broker in the foreground."""
    log4j = Path(__file__).with_name("log4j2-broker.properties")
    logging = f"-Dlog4j2.configurationFile={log4j.as_uri()}"
    return [str(program), *JAVA_FLAGS, *flags, logging, "kafka.Kafka", str(settings)]


def broker_environment(class_path: Sequence[Path]) -> dict[str, str]:
    """The environment of a broker process; its class path goes here to keep `ps` readable."""
    kept = {k: v for k, v in java_environment().items() if not k.startswith("KAFKA_")}
    return {**kept, "CLASSPATH": os.pathsep.join(map(str, class_path))}


def write_settings(data: Path) -> tuple[Path, int, str]:
    """Prepare an empty data folder: its settings file, the client port, the cluster id.

    Does what Kafka's own `format` tool does, without the second that its Java takes.
    """
    if "," in str(data):
        raise SetupError(
            f"Kafka takes {data} for several folders, as it has a comma. Set TMPDIR to one without."
        )
    port, controller_port = free_ports(2)
    cluster_id = _kafka_uuid()
    log = data / "log"
    log.mkdir()
    (log / "meta.properties").write_text(
        f"version=1\ncluster.id={cluster_id}\nnode.id=1\ndirectory.id={_kafka_uuid()}\n"
    )
    settings = data / "server.properties"
    written = javaproperties.escape(str(data))  # Java reads such a file as Latin-1
    settings.write_text(SETTINGS.format(port=port, controller_port=controller_port, data=written))
    return settings, port, cluster_id


def wait_until_ready(bootstrap_servers: str, cluster_id: str, ended: Callable[[], bool]) -> None:
    """Wait until the broker with this cluster id answers; a stranger on its port does not count.

    Raises BrokerEndedError when `ended` says so, SetupError after START_SECONDS.
    """
    from kafka import KafkaAdminClient
    from kafka.errors import KafkaError

    host, port = bootstrap_servers.rsplit(":", 1)
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if ended():
            raise BrokerEndedError(broker_log_tail())
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
            admin = KafkaAdminClient(
                bootstrap_servers=bootstrap_servers,
                request_timeout_ms=5000,
                bootstrap_timeout_ms=2000,  # a mute stranger: look whether ours has ended
            )
            try:
                if admin.describe_cluster().get("cluster_id") == cluster_id:
                    return
                raise BrokerEndedError(f"another program's Kafka answers on port {port}")
            finally:
                admin.close()
        except (OSError, KafkaError):
            time.sleep(0.05)
    raise SetupError(
        f"The Kafka broker did not answer within {START_SECONDS} s. Is the machine very busy? "
        f"The end of its log ({broker_log()}):\n{broker_log_tail()}"
    )


def broker_log_tail() -> str:
    """The last lines of the broker's log."""
    try:
        lines = broker_log().read_text(errors="replace").splitlines()
    except OSError:
        return "(it has written no log)"
    return "\n".join(lines[-LOG_TAIL_LINES:]) or "(its log is empty)"


def _guard_spoke(lease: socket.socket) -> bool:
    """Whether the guard has said that the broker ended, or is gone itself."""
    readable, _, _ = select.select([lease], [], [], 0)
    return bool(readable)


def _clear_away(entry: dict[str, Any]) -> None:
    """Remove what a killed guard has left: where the kernel cannot end its broker, we do."""
    import psutil

    try:
        java = psutil.Process(entry["java_pid"])
        if any(entry["data"] in word for word in java.cmdline()):
            java.kill()
            java.wait(10)
    except psutil.Error:
        pass
    shutil.rmtree(entry["data"], ignore_errors=True)


def free_ports(count: int) -> list[int]:
    """Ports of the loopback that nobody listens on at this moment."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def _kafka_uuid() -> str:
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).rstrip(b"=").decode()
