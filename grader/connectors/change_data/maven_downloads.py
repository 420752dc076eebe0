"""Files of a Maven repository, each checked against its SHA-256 whenever it is used."""

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import requests

from grader.errors import SetupError
from grader.runtime.file_locks import file_lock
from grader.runtime.jars import repositories, room_in, sha256
from grader.runtime.paths import cache_dir

SECONDS = 30  # without a byte
BLOCK = 1 << 20
STEPS = 10  # lines that a download prints
FIX = (
    "Check the network. Behind a company or school proxy set GRADER_MAVEN_MIRROR to its Maven mirror and "
    "REQUESTS_CA_BUNDLE to its certificates. Then run this again: files that are here are kept."
)


@dataclass(frozen=True)
class MavenFile:
    """One locked file; `ending` follows its version, such as ".jar"."""

    group: str
    artifact: str
    version: str
    sha256: str
    ending: str = ".jar"

    @property
    def name(self) -> str:
        return f"{self.artifact}-{self.version}{self.ending}"

    @property
    def path(self) -> str:
        """Where a repository has it."""
        return f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{self.name}"


def maven_files(
    files: Sequence[MavenFile], title: str, megabytes: int, *, say: Callable[[str], None] = print
) -> list[Path]:
    """The files in the cache of downloads, all of them as their locks have them.

    What is not there is downloaded, and `say` gets the progress: `title`, and how much of `megabytes`.
    Raises SetupError with the fix.
    """
    folder = cache_dir() / "maven"
    folder.mkdir(exist_ok=True)
    with file_lock(folder / ".lock"), room_in(folder):
        paths = {file: folder / file.name for file in files}
        missing = [file for file, path in paths.items() if not _is_whole(path, file)]
        if missing:
            say(f"Downloading {title}, once ({megabytes} MB) …")
            progress = _Progress(megabytes, say)
            for file in missing:
                _fetch(file, folder, progress)
            say("… verified.")
    return list(paths.values())


def _is_whole(path: Path, file: MavenFile) -> bool:
    return path.exists() and sha256(path) == file.sha256


def _fetch(file: MavenFile, folder: Path, progress: "_Progress") -> None:
    """Download a file into the folder from the first repository that has it: it is whole or not there."""
    problems = []
    for address in repositories().values():
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".incoming-", delete=False) as incoming:
            path = Path(incoming.name)
            try:
                with requests.get(f"{address}/{file.path}", stream=True, timeout=SECONDS) as answer:
                    answer.raise_for_status()
                    for block in answer.iter_content(BLOCK):
                        incoming.write(block)
                        progress.add(len(block))
                incoming.flush()
                found = sha256(path)
                if found == file.sha256:
                    path.chmod(0o644)
                    os.replace(path, folder / file.name)
                    return
                problems.append(f"its SHA-256 is {found}, the lock has {file.sha256}")
            except requests.RequestException as error:
                problems.append(str(error))
            finally:
                path.unlink(missing_ok=True)
    raise SetupError(f"Could not download {file.name}: {'; '.join(problems)}. {FIX}")


class _Progress:
    """Says from time to time how much has arrived."""

    def __init__(self, megabytes: int, say: Callable[[str], None]) -> None:
        self.total, self.say, self.arrived, self.said = megabytes * 1e6, say, 0, 0

    def add(self, count: int) -> None:
        self.arrived += count
        step = int(STEPS * self.arrived / self.total)
        if self.said < step < STEPS:
            self.said = step
            self.say(f"  {self.arrived / 1e6:.0f} of {self.total / 1e6:.0f} MB")
