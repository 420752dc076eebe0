"""Discussions of solutions, which check packs hold: left out of what a class gets, and published after a deadline."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

from traitlets.config import Config

from grader.classroom.course import Course
from grader.judging.check_pack import FILE_NAME, read_pack, write_pack


def without_discussions(pack: Path, out: Path) -> Path:
    """Write a lesson's check pack to `out` without the discussions of the solutions; `out`."""
    given = read_pack(pack)
    exercises = {id: replace(one, discussion="") for id, one in given.exercises.items()}
    write_pack(replace(given, exercises=exercises), out)
    return out


class LeaveOutDiscussions:
    """nbgrader's post-convert hook of generate_assignment: what is released is as in the students' zip."""

    def __init__(self, **directory: str):
        self._config = Config(CourseDirectory=Config(directory))

    def __call__(self, assignment: str, student: str, notebooks: list[str]) -> None:
        directory = Course.running(self._config).directory
        folder = directory.format_path(directory.release_directory, student, assignment)
        pack = Path(folder) / FILE_NAME
        if pack.is_file():
            pack.chmod(pack.stat().st_mode | 0o200)  # nbgrader may have made it read-only
            without_discussions(pack, pack)
            logging.getLogger("traitlets").info("%s is released without discussions", pack)

    def __deepcopy__(self, memo: Any) -> LeaveOutDiscussions:
        return self  # nbgrader makes a copy of its settings for every converter
