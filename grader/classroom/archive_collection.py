"""Archives from a learning platform, as nbgrader's zip_collect takes them in: a bad one does not stop the others.

A student's archive within the platform's becomes a folder with the same name. If it is alone in a folder of the
platform's archive, it becomes that folder. So one regular expression finds the student of a notebook and of an
archive.
"""

from __future__ import annotations

import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbgrader.plugins import ExtractorPlugin, FileNameCollectorPlugin

ZIPS, TARS = (".zip",), (".tar", ".gz", ".tgz")
MOST_MEGABYTES = 2000  # unpacked, of one archive
MOST_DEEP = 3  # archives within archives
_JUNK = ("__MACOSX", ".ipynb_checkpoints", ".DS_Store")


class ArchiveExtractor(ExtractorPlugin):  # type: ignore[misc]
    """Unpacks what is in downloaded/LESSON/archive; what cannot be unpacked is named and left out."""

    def extract(self, archive_path: str, extracted_path: str) -> None:
        source, target = Path(archive_path), Path(extracted_path)
        for path in _files(source):
            folder = target / path.relative_to(source).parent
            if is_archive(path):
                self._unpack(path, folder / _stem(path))
            else:
                _copy(path, folder / path.name)

    def _unpack(self, archive: Path, folder: Path, *, deep: int = 1) -> None:
        """Unpack an archive into a folder: the platform's with its folders, a student's without."""
        with tempfile.TemporaryDirectory() as name:
            scratch = Path(name)
            try:
                _extract(archive, scratch)
            except Exception as error:  # zipfile and tarfile raise many kinds
                self._leave_out(archive, f"it cannot be unpacked ({error}). Fix: ask for it again")
                return
            files = sorted(_files(scratch), key=lambda path: (len(path.parts), path))
            for path in files:
                inside = path.relative_to(scratch).parent
                place = folder / inside if deep == 1 else folder
                if not is_archive(path):
                    self._put(path, place / path.name)
                elif deep == MOST_DEEP:
                    self._leave_out(path, "it lies too deep in other archives")
                elif deep > 1 or (inside.parts and _alone(path, files)):
                    self._unpack(path, place, deep=deep + 1)
                else:  # of several students
                    self._unpack(path, place / _stem(path), deep=deep + 1)

    def _put(self, path: Path, place: Path) -> None:
        if place.exists():  # nbgrader ends at the second file of a student
            self._leave_out(path, f"{place.parent.name} has another file of this name")
        else:
            _copy(path, place)

    def _leave_out(self, path: Path, why: str) -> None:
        self.log.error("%s is left out: %s.", path.name, why)


class NotebookCollector(FileNameCollectorPlugin):  # type: ignore[misc]
    """Finds the student in a file's path; a folder with the name of the notebook in it is no student's."""

    def _match(self, filename: str) -> dict[str, Any] | None:
        path = Path(filename)
        folders = [part for part in path.parts[:-1] if part != path.stem]
        return super()._match(str(Path(*folders, path.name)))  # type: ignore[no-any-return]


def is_archive(path: Path) -> bool:
    return path.suffix.lower() in (*ZIPS, *TARS)


def _alone(path: Path, files: list[Path]) -> bool:
    """Whether a file is the only one in its folder: then the folder is a student's."""
    return sum(other.parent == path.parent for other in files) == 1


def _extract(archive: Path, folder: Path) -> None:
    if archive.suffix.lower() in ZIPS:
        with zipfile.ZipFile(archive) as zipped:
            _demand_room(sum(one.file_size for one in zipped.infolist()))
            if damaged := zipped.testzip():
                raise ValueError(f"{damaged} in it is damaged")
            zipped.extractall(folder)
        return
    with tarfile.open(archive) as tar:
        members = [one for one in tar.getmembers() if one.isfile() and _is_within(one.name)]
        _demand_room(sum(one.size for one in members))
        for one in members:
            one.mode |= 0o600
            tar.extract(one, folder)


def _is_within(name: str) -> bool:
    return not Path(name).is_absolute() and ".." not in Path(name).parts


def _demand_room(size: int) -> None:
    if size > MOST_MEGABYTES << 20:
        raise ValueError(f"it unpacks to more than {MOST_MEGABYTES} MB")


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        junk = set(parts) & set(_JUNK) or path.name.startswith("._")
        if path.is_file() and not path.is_symlink() and not junk:
            yield path


def _stem(path: Path) -> str:
    return path.name.removesuffix(path.suffix).removesuffix(".tar")


def _copy(path: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, place)
