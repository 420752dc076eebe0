"""Bring the course of this image to the learner's volume; what the learner wrote stays."""

import filecmp
import shutil
import sys
from pathlib import Path


def hand_out(course: Path, work: Path) -> None:
    """Copy course/ to work/course. A notebook that differs from the one handed out is the learner's."""
    as_handed_out = work / ".handed-out"
    for source in sorted(path for path in course.rglob("*") if path.is_file()):
        name = source.relative_to(course)
        target, before = work / "course" / name, as_handed_out / name
        touched = target.exists() and not (before.exists() and filecmp.cmp(target, before, False))
        if source.suffix == ".ipynb" and touched:
            continue
        for copy in (target, before):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
    (work / "course").mkdir(parents=True, exist_ok=True)


if __name__ == "__main__":
    hand_out(Path(sys.argv[1]), Path(sys.argv[2]))
