"""Which start-up caches and jars no clone on this machine can use any more."""

import shutil
from collections.abc import Sequence
from pathlib import Path


def remove_useless(kind: str, mine: Path, folders: Sequence[Path], jars: Path) -> None:
    """Remove the caches of this kind ("broker" or "spark") that no clone can use any more.

    Next to each cache is a note of the folders that it was made from. Those of other clones stay
    for as long as the clones do; `mine`, made from `folders`, takes the place of what this clone had
    before. Clones differ in the folders outside of `jars`, which all of them share.
    """
    made_from = sorted({str(folder) for folder in folders})
    note_of(mine).write_text("\n".join(made_from) + "\n")
    for path in mine.parent.glob(f"{kind}-*"):
        noted = _noted(path)
        own = [folder for folder in noted if Path(folder).parent != jars]
        of_another = (
            noted
            and own != [folder for folder in made_from if Path(folder).parent != jars]
            and all(Path(folder).is_dir() for folder in noted)
        )
        if path.stem != mine.stem and not of_another:
            path.unlink(missing_ok=True)


def remove_unused_jars(jars: Path, caches: Path) -> None:
    """Remove the folders of jars that no start-up cache was made from: those of older locks."""
    used = {folder for note in caches.glob("*.from") for folder in _noted(note)}
    for folder in jars.iterdir():
        if str(folder) not in used:
            shutil.rmtree(folder, ignore_errors=True)


def note_of(cache: Path) -> Path:
    """The file that says which folders a cache was made from, one line each."""
    return cache.with_suffix(".from")


def _noted(cache: Path) -> list[str]:
    note = note_of(cache)
    return note.read_text().splitlines() if note.is_file() else []
