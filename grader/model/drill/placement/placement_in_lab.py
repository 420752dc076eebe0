"""The placement test in the lab: kept in the progress file, next to the notebooks that are near."""

from __future__ import annotations

from pathlib import Path

from grader.judging.check_pack import FILE_NAME, read_pack
from grader.learner import progress
from grader.learner.course_packs import packs_near
from grader.model.drill.placement.placement import Placement
from grader.model.drill.placement.placement_result import Lesson, PlacementResult
from grader.progress_pages.progress_page import notebook_of


def placement_near(near: Path, seed: int | None = None) -> PlacementResult:
    """A new test, with the lessons in the folder `near` or the course/ around it."""
    packs = {lesson: read_pack(path) for lesson, path in packs_near(near).items()}
    lessons = {lesson: Lesson(pack.title, notebook_of(pack)) for lesson, pack in packs.items()}
    up = "../" if (near / FILE_NAME).exists() else ""
    return PlacementResult(Placement(progress.remember_placement, seed=seed), lessons, up)
