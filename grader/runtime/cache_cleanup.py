"""Which start-up caches nobody can use any more."""

from collections.abc import Sequence
from pathlib import Path


def remove_useless(kind: str, mine: Path, folders: Sequence[Path]) -> None:
    """Remove the caches of this kind ("broker" or "spark") that nobody can use any more.

    Beside each cache stands a note of the folders that it was made from. Those of other clones stay
    for as long as the clones do; `mine`, made from `folders`, takes the place of what these had before.
    """
    made_from = sorted({str(folder) for folder in folders})
    note_of(mine).write_text("\n".join(made_from) + "\n")
    for path in mine.parent.glob(f"{kind}-*"):
        note = note_of(path)
        noted = note.read_text().splitlines() if note.is_file() else []
        of_another = noted and noted != made_from and all(Path(each).is_dir() for each in noted)
        if path.stem != mine.stem and not of_another:
            path.unlink(missing_ok=True)


def note_of(cache: Path) -> Path:
    """The file that says which folders a cache was made from, a line each."""
    return cache.with_suffix(".from")
