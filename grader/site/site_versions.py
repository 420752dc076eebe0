"""Sites of several versions in one tree, and in each of them the list from which a reader chooses a version.

    python -m grader.site.site_versions build/site RELEASE-site.zip…

puts the zipped site of each release into a folder of its own in `build/site`.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from packaging.version import Version

from grader.errors import SetupError

LATEST = "latest"  # the version of a site that is no release's
LIST = "_static/versions.json"  # in each site, read by the theme
_ARCHIVE = re.compile(r"stateful-streams-(\d[\w.]*)-site\.zip")
_FOLDER = "site"  # in the archive of a release


def write_list(site: Path, own: str, others: Sequence[str] = ()) -> None:
    """Write a site's list: its `own` version at the root, and the `others` in folders in it."""
    _write(site, [(own, "./"), *((other, f"{other}/") for other in others)])


def add_releases(site: Path, archives: Iterable[Path]) -> list[str]:
    """Put each release into a folder in the `site` of the latest version, and write the lists of all.

    Returns the releases, the newest first. Addresses are relative, so that the tree can be served from anywhere.
    """
    found = {_version(archive): archive for archive in archives}
    releases = sorted(found, key=Version, reverse=True)
    for release in releases:
        _unpack(found[release], site / release)
        around = [(LATEST, "../"), *((other, f"../{other}/") for other in releases)]
        _write(site / release, around)
    write_list(site, LATEST, releases)
    return releases


def _version(archive: Path) -> str:
    name = _ARCHIVE.fullmatch(archive.name)
    if not name:
        raise SetupError(
            f"{archive.name} is not the site of a release. Fix: name a stateful-streams-VERSION-site.zip."
        )
    return name[1]


def _unpack(archive: Path, folder: Path) -> None:
    """Put a release's site into a folder, in the place of the same release's older one."""
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as scratch, zipfile.ZipFile(archive) as packed:
        packed.extractall(scratch)
        shutil.move(Path(scratch, _FOLDER), folder)


def _write(site: Path, versions: Iterable[tuple[str, str]]) -> None:
    """The list in the form of pydata-sphinx-theme; `url` is relative to the site's root, as site.js reads it."""
    entries = [{"name": name, "version": name, "url": url} for name, url in versions]
    path = site / LIST
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")


def main(site: str, *archives: str) -> int:
    """Add the releases and print them; the exit code."""
    try:
        releases = add_releases(Path(site), map(Path, archives))
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    print("Versions:", ", ".join([LATEST, *releases]))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
