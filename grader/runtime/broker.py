"""The Kafka broker of the lab: one for all notebooks, gone with the last of its users."""

import json
import os
import secrets
import select
import shutil
import socket
import subprocess
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from grader.errors import SetupError
from grader.runtime.broker_process import (
    BrokerEndedError,
    broker_command,
    broker_environment,
    broker_log,
    wait_until_ready,
)
from grader.runtime.broker_settings import write_loopback_settings
from grader.runtime.file_locks import file_lock
from grader.runtime.kafka_probe import stranger_at
from grader.runtime.log_tail import log_tail
from grader.runtime.paths import state_dir
from grader.runtime.process_guard import start_guard
from grader.runtime.scratch_folders import make_scratch

TRIES = 3

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
    Raises SetupError, with the end of its log, if the broker does not start; or if a different program
    answers at the external one's address.
    """
    external = os.environ.get("GRADER_KAFKA")
    if external:
        if stranger := stranger_at(external):
            raise SetupError(
                f"At GRADER_KAFKA={external} answers no Kafka broker, but {stranger}. Fix: correct the address, "
                "or unset it for the lab's own broker: unset GRADER_KAFKA"
            )
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
    raise SetupError(
        f"The Kafka broker did not start: {problem}\nRun grader doctor: it names the fix."
    )


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


def broker_registry() -> Path:
    """The file that says where the running broker's guard listens."""
    return state_dir() / "broker.json"


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
    """Ask a guard for a lease: the connection and what it says about its broker, or None."""
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
    data = make_scratch("broker", owned=False)
    settings, servers, cluster_id = write_loopback_settings(data)
    token = secrets.token_hex(16)
    about = {"bootstrap_servers": servers, "cluster_id": cluster_id}
    broker_log().unlink(missing_ok=True)
    task = {
        "command": broker_command(settings),
        "environment": broker_environment(),
        "data": str(data),
        "token": token,
        "registry": str(broker_registry()),
        "about": about,
    }
    process, answer = start_guard(task, broker_log())
    _guards.append(process)
    assert process.stdin is not None and process.stdout is not None
    with process.stdin, process.stdout:  # an open input counts as a lease until ours is there
        if answer is not None:
            entry: dict[str, Any] = {**answer, **about, "token": token, "data": str(data)}
            _register(entry)
            joined = _ask(entry["port"], token)
            if joined is not None:
                return joined
    raise SetupError(f"The broker's guard did not start. Its log:\n{log_tail(broker_log())}")


def _register(entry: dict[str, Any]) -> None:
    """Say to other processes where the guard is (readable by this user only: it has the token)."""
    registry = broker_registry()
    new = registry.with_suffix(".new")
    new.touch(mode=0o600)
    new.write_text(json.dumps(entry))
    os.replace(new, registry)


def _guard_spoke(lease: socket.socket) -> bool:
    """Whether the guard has said that the broker ended, or is gone itself."""
    readable, _, _ = select.select([lease], [], [], 0)
    return bool(readable)


def _clear_away(entry: dict[str, Any]) -> None:
    """Remove what a killed guard has left: if the kernel cannot end its broker, we do."""
    import psutil

    try:
        java = psutil.Process(entry["java_pid"])
        if any(entry["data"] in word for word in java.cmdline()):
            java.kill()
            java.wait(10)
    except psutil.Error:
        pass
    shutil.rmtree(entry["data"], ignore_errors=True)
