"""Showing the progress page in a notebook or a terminal."""

from __future__ import annotations

from pathlib import Path

from grader.feedback.display import Display, in_notebook
from grader.judging.check_pack import FILE_NAME as FILE_OF_CHECKS
from grader.judging.check_pack import read_pack
from grader.learner import progress
from grader.learner.course_packs import packs_near
from grader.progress_pages.drill_standing import drills_of
from grader.progress_pages.placement_advice import advice_line
from grader.progress_pages.progress_page import progress_html, progress_text

_shown: Display | None = None  # the page that follows the file


def show(*, live: bool = False) -> None:
    """Show the page (text outside a notebook); `live` keeps it up to date while the kernel runs."""
    global _shown
    display = Display()
    if live and in_notebook():
        _shown = display
        progress.follow(lambda: _draw(display), lambda: display is _shown)
    else:
        _draw(display)


def _draw(display: Display) -> None:
    packs = [read_pack(path) for _, path in sorted(packs_near(Path.cwd()).items())]
    if not packs:
        display.text(
            "No lesson is near this folder. Open a notebook in course/, or type this in the project's folder."
        )
        return
    done, drills = progress.read()["exercises"], drills_of(progress.drilled())
    up = "../" if (Path.cwd() / FILE_OF_CHECKS).exists() else ""
    placed = advice_line(progress.placement())
    display.rich(
        progress_text(packs, done, drills, placed), progress_html(packs, done, up, drills, placed)
    )
