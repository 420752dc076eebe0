"""The course that came with the package: a wheel has it inside of the package, a clone next to it."""

import os
from pathlib import Path

from grader.runtime.paths import PACKAGE, datasets_dir

COURSE, DATASETS = "course", "datasets"


def packaged_course() -> Path | None:
    """The folder of lessons inside of the installed package; None in a clone, which has its own."""
    course = PACKAGE / COURSE
    return course if course.is_dir() else None


def dataset_folder() -> Path:
    """The folder of the events that lessons name; GRADER_DATASETS overrides it."""
    packaged = PACKAGE / DATASETS
    if packaged.is_dir() and not os.environ.get("GRADER_DATASETS"):
        return packaged
    return datasets_dir()
