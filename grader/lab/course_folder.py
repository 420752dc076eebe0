"""The course in a learner's folder, laid out from the package: what the learner changed stays.

A record in the folder holds a digest of each file as it was last handed out. A file that still has this digest is
replaced by its new version. Next to a file that was changed, the new version gets a name of its own.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from grader.errors import SetupError
from grader.judging.check_pack import FILE_NAME as FILE_OF_CHECKS
from grader.runtime.course_files import COURSE, DATASETS
from grader.runtime.paths import APP

RECORD = ".handed-out.json"
FORMAT = 1
_NOT_WRITTEN_IN = (FILE_OF_CHECKS, ".svg")  # ends of names: there is nothing of a learner in these
_LEFT_OVER = ("__pycache__", ".ipynb_checkpoints")
_SHOWN = 3


@dataclass
class LaidOut:
    """What was done: names of files, relative to the folder."""

    folder: Path
    new: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)

    def text(self) -> str:
        """It in a line, and a line for each new version next to a changed file."""
        counts = {"new": self.new, "updated": self.updated}
        done = ", ".join(f"{len(names)} files {what}" for what, names in counts.items() if names)
        lines = [f"{self.folder}" + (f": {done}" if done else "")]
        lines += [f"You changed its file, so the new version is {name}" for name in self.beside]
        return "\n            ".join(lines)


def course_around(start: Path) -> Path | None:
    """The nearest folder, from `start` upwards, that holds the course; None if there is none."""
    for folder in [start, *start.parents]:
        if any(folder.glob(f"{COURSE}/[0-9][0-9]_*/{FILE_OF_CHECKS}")):
            return folder
    return None


def is_laid_out(folder: Path) -> bool:
    """Whether `lay_out` made this folder, so that it may bring it up to date."""
    return (folder / RECORD).is_file()


def lay_out(folder: Path, package: Path) -> LaidOut:
    """Bring the folder up to date with the course in `package`; make the folder if it is not there.

    Raises SetupError with the fix: the folder holds something else, cannot be written, or the disk is full. Each
    file is replaced as a whole, so that running it again continues where it stopped.
    """
    done, files = LaidOut(folder.absolute()), _handed_out(package)
    try:
        _demand_ours(done.folder)
        done.folder.mkdir(parents=True, exist_ok=True)
        record = _read_record(done.folder)
        _write_record(done.folder, record)  # from now on the folder is known as ours
        try:
            for name, source in files.items():
                record[name] = _bring(name, source.read_bytes(), record.get(name), done)
            for name in sorted(record.keys() - files.keys()):
                _take_away(done.folder / name, record.pop(name))
        finally:
            _write_record(done.folder, record)
    except OSError as error:
        raise SetupError(
            f"The course cannot be laid out in {done.folder}: {error.strerror}. All that was there is kept. "
            f"Fix: free some space there, fix the permissions, or choose another folder: "
            f"{APP} lab --folder FOLDER"
        ) from error
    return done


def _demand_ours(folder: Path) -> None:
    """Raise SetupError if something is there that is neither ours nor an empty folder."""
    if not folder.exists() and not folder.is_symlink():
        return
    if not folder.is_dir():
        raise SetupError(
            f"{folder} is not a folder. Fix: choose another one, {APP} lab --folder FOLDER."
        )
    names = sorted(path.name for path in folder.iterdir())
    if names and not is_laid_out(folder):
        there = ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
        raise SetupError(
            f"{folder} holds something else ({there}), and nothing is written there. Fix: choose another folder, "
            f"{APP} lab --folder FOLDER. If this is a clone of the project, change into it and run make lab."
        )


def _handed_out(package: Path) -> dict[str, Path]:
    """The package's files for learners, by name in the learner's folder."""
    files = [path for top in (COURSE, DATASETS) for path in sorted((package / top).rglob("*"))]
    return {
        path.relative_to(package).as_posix(): path
        for path in files
        if path.is_file() and not set(path.parts) & set(_LEFT_OVER)
    }


def _bring(name: str, content: bytes, recorded: str | None, done: LaidOut) -> str:
    """Write one file if that takes nothing from the learner; the digest to record."""
    place, wanted = done.folder / name, _digest(name, content)
    there = _digest(name, place.read_bytes()) if place.exists() else None
    if there == wanted:
        return wanted
    if there is None or there == recorded or name.endswith(_NOT_WRITTEN_IN):
        _write(place, content)
        (done.new if there is None else done.updated).append(name)
    elif recorded != wanted:
        version = metadata.version(APP)
        beside = place.with_name(f"{place.stem}-{version}{place.suffix}")
        if not beside.exists():
            _write(beside, content)
        done.beside.append(beside.relative_to(done.folder).as_posix())
    return wanted


def _take_away(place: Path, recorded: str) -> None:
    """Remove a file that the course no longer has, unless the learner changed it."""
    if place.is_file() and _digest(place.name, place.read_bytes()) == recorded:
        place.unlink()


def _digest(name: str, content: bytes) -> str:
    """What identifies a file's content; of a notebook only what people write, and not what a run prints."""
    if name.endswith(".ipynb"):
        try:
            cells = [
                [cell["cell_type"], "".join(cell["source"]), cell["metadata"].get("nbgrader")]
                for cell in json.loads(content)["cells"]
            ]
            content = json.dumps(cells, sort_keys=True).encode()
        except (ValueError, KeyError, TypeError, AttributeError):
            pass  # not a notebook that can be read: its bytes count
    return hashlib.sha256(content).hexdigest()


def _write(place: Path, content: bytes) -> None:
    """Write a file: it is there whole or as it was."""
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        os.replace(part, place)
    finally:
        part.unlink(missing_ok=True)


def _read_record(folder: Path) -> dict[str, str]:
    """Name → digest. A damaged record is none: then each file that differs counts as changed."""
    try:
        data = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        return {str(name): str(digest) for name, digest in data["files"].items()}
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _write_record(folder: Path, record: dict[str, str]) -> None:
    data = {"format": FORMAT, "release": metadata.version(APP), "files": record}
    _write(folder / RECORD, (json.dumps(data, indent=1, sort_keys=True) + "\n").encode())
