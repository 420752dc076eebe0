"""A PostgreSQL server with logical decoding, for as long as a block."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.errors import SetupError
from grader.runtime.ports import own_ports

USER = "postgres"
SETTINGS = (
    "-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c wal_level=logical -c timezone=UTC"
)


@dataclass(frozen=True)
class Postgres:
    """Where the server listens, and the folder of its programs."""

    port: int
    programs: Path

    def sql(self, statements: str) -> str:
        """What psql prints for the statements; several in one string are one transaction."""
        address = ["-h", "127.0.0.1", "-p", str(self.port), "-U", USER, "-d", "postgres"]
        command = [str(self.programs / "psql"), *address, "-qAtX", "-c", statements]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


@contextmanager
def postgres_server() -> Iterator[Postgres]:
    """Start a server with no data on a free port of the loopback; it answers when the block begins.

    PostgreSQL refuses to run as root. Then its programs run as the user `postgres`, which its package
    makes. Raises SetupError if there is no PostgreSQL.
    """
    programs = _programs()
    (port,) = own_ports(1)
    owner = USER if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="postgres-") as folder:
        if owner:
            shutil.chown(folder, owner)
        control = [
            str(programs / "pg_ctl"),
            "-D",
            f"{folder}/data",
            "-s",
            "-w",
            "-l",
            f"{folder}/log",
        ]

        def run(*arguments: str) -> None:
            subprocess.run([*control, *arguments], check=True, user=owner, cwd=folder)

        run("init", "-o", f"-U {USER} -A trust -E UTF8 --no-sync")
        run("start", "-o", f"-p {port} {SETTINGS}")
        try:
            yield Postgres(port, programs)
        finally:
            run("stop", "-m", "fast")


def _programs() -> Path:
    """The folder of PostgreSQL's programs: on the path, or where Debian has the newest."""
    if (named := shutil.which("pg_ctl")) is not None:
        return Path(named).resolve().parent
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    if not found:
        raise SetupError("PostgreSQL is missing. Fix: apt-get install postgresql")
    return found[-1].parent
