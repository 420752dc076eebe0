"""What a bundle for machines without a network has in place of downloads.

- offline/jars/: the locked jars, by environment
- offline/npm/: the locked Node packages, a folder named as in the cache of downloads
- offline/wheels/: the locked Python packages; `make setup` installs from there (Makefile)
"""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from grader.errors import SetupError
from grader.runtime.jars import ENVIRONMENTS, jar_folder, locked_jars, room_in, sha256
from grader.runtime.paths import cache_dir

OFFLINE_FOLDER = Path(__file__).parents[2] / "offline"


def take_offline_downloads(
    offline: Path = OFFLINE_FOLDER, *, say: Callable[[str], None] = print
) -> int:
    """Copy what came with the bundle to where downloads go, and return how much was not there yet.

    Jars are held to the SHA-256 of their lock. Raises SetupError if one is damaged.
    """
    with room_in(cache_dir()):
        taken = sum(_take_jars(offline, environment) for environment in ENVIRONMENTS)
        for packages in sorted(offline.glob("npm/*")):
            place = cache_dir() / "npm" / packages.name
            if not place.exists():
                _take_folder(packages, place)
                taken += 1
    if taken:
        say(f"  {taken} downloads taken from {offline}")
    return taken


def _take_jars(offline: Path, environment: str) -> int:
    folder, taken = jar_folder(environment), 0
    for jar in locked_jars(environment):
        source, place = offline / "jars" / environment / jar.filename, folder / jar.filename
        if not source.is_file() or (place.is_file() and sha256(place) == jar.sha256):
            continue
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{jar.filename}.{os.getpid()}.part"
        try:
            shutil.copyfile(source, part)
            if sha256(part) != jar.sha256:
                raise SetupError(f"{source} is damaged. Unzip the bundle again, then: make setup")
            os.replace(part, place)
        finally:
            part.unlink(missing_ok=True)
        taken += 1
    return taken


def _take_folder(source: Path, place: Path) -> None:
    """Copy a folder: it is there whole or not at all."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".incoming-") as incoming:
        part = Path(incoming, source.name)
        shutil.copytree(source, part)
        os.replace(part, place)
