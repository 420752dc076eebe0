"""The files of a query's checkpoint: the offsets in them, and what is missing or broken."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

# topic → partition → offset, as Spark writes them
Offsets = dict[str, dict[str, int]]


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint folder, which may be damaged; what cannot be read counts as not there."""

    path: Path

    def began(self) -> Offsets:
        """Where each topic was begun; Spark's connector writes it down at the first start."""
        found: Offsets = {}
        for path in self.path.glob("sources/*/0"):
            text = _text(path)
            found |= offsets_in(text[text.find("{") :])
        return found

    def committed(self) -> Offsets:
        """How far the last committed micro-batch has read."""
        found: Offsets = {}
        done = self.numbers("commits")
        for line in self._lines("offsets", max(done))[2:] if done else ():
            found |= offsets_in(line)
        return found

    def numbers(self, folder: str) -> list[int]:
        """The micro-batches that a log of the checkpoint has an entry for."""
        return sorted(int(p.name) for p in (self.path / folder).glob("*") if p.name.isdigit())

    def operators(self) -> list[int]:
        return self.numbers("state")

    def damage(self, *, stateful: bool) -> list[str]:
        """What is missing or broken, each in words, the worst first; empty for a checkpoint that is whole."""
        offsets, commits = self.numbers("offsets"), self.numbers("commits")
        if not commits and not offsets:
            return []
        found = []
        if not (self.path / "metadata").exists():
            found.append("the file metadata is missing")
        if commits and (not offsets or max(offsets) < max(commits)):
            found.append(
                f"commits says that micro-batch {max(commits)} is done, and the folder offsets has "
                + (f"no entry after {max(offsets)}" if offsets else "no entry")
            )
        elif commits and self._is_older("commits", "offsets", max(commits)):
            found.append(
                f"commits/{max(commits)} is older than offsets/{max(commits)}: the offsets of an earlier run were "
                "removed, and this run wrote new ones"
            )
        found += [  # asynchronous progress tracking leaves some micro-batches out of both logs
            f"the file offsets/{number} is missing"
            for number in commits
            if offsets and offsets[0] < number < offsets[-1] and number not in offsets
        ]
        found += self._unreadable(offsets[-1:])
        found += self._lost_state(commits) if stateful else []
        return found

    def _unreadable(self, newest: list[int]) -> list[str]:
        lines = [(number, self._lines("offsets", number)) for number in newest]
        return [
            f"the file offsets/{number} {'is empty' if not read else 'cannot be read'}"
            for number, read in lines
            if not read or not read[0].startswith("v")
        ]

    def _lost_state(self, commits: list[int]) -> list[str]:
        if commits and not self.operators():
            return ["the folder state is missing or empty"]
        wanted = max(commits, default=-1) + 1
        found = []
        for folder in sorted({p.parent for p in (self.path / "state").rglob("*.delta")}):
            deltas = {int(p.stem) for p in folder.glob("*.delta") if p.stem.isdigit()}
            snapshots = [int(p.stem) for p in folder.glob("*.snapshot") if p.stem.isdigit()]
            base = max((number for number in snapshots if number <= wanted), default=0)
            missing = sorted(set(range(base + 1, wanted + 1)) - deltas)
            if missing:
                found.append(
                    f"the file {folder.relative_to(self.path)}/{missing[0]}.delta is missing"
                )
        return found

    def _is_older(self, one: str, other: str, number: int) -> bool:
        try:
            first, second = ((self.path / f / str(number)).stat() for f in (one, other))
        except OSError:
            return False
        return first.st_mtime < second.st_mtime - 1

    def _lines(self, folder: str, number: int) -> list[str]:
        return _text(self.path / folder / str(number)).splitlines()


def offsets_in(text: str) -> Offsets:
    try:
        read = json.loads(text)
    except ValueError:
        return {}
    given = read.items() if isinstance(read, dict) else ()
    return {name: parts for name, parts in given if isinstance(parts, dict)}


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode(errors="replace")
    except OSError:
        return ""
