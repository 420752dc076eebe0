"""Imports what a page of the site saved of a drill and of a placement test. What was passed in a page stays there."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from grader.errors import UserFacingError
from grader.learner import progress
from grader.model.drill.mastery import sound
from grader.progress_pages.drill_standing import drilled_text, drills_of
from grader.progress_pages.placement_advice import advice_line, sound_answers

VERSION = 1  # of the file, see grader/site/play/kept.js
_NOTHING = "The file has no topic with more answers than here, and no later placement test."
_LEFT_OUT = (
    "Exercises that were passed in a page are not imported: only the lab's checks count here."
)


class NoSavedDrill(UserFacingError, ValueError):
    """A file that no page saved; the message says what to do."""


def import_drill(file: Path) -> str:
    """Keep the standings and the placement test of a saved file, and say which.

    A standing with fewer answers than the lab's own, or as many, is left out. So is a placement test that is not
    later than the lab's own, and what is damaged. Raises NoSavedDrill.
    """
    saved = _saved(file)
    said = [*_import_standings(saved.get("drill", {})), *_import_placement(saved.get("placement"))]
    return "\n".join([*(said or [_NOTHING]), _LEFT_OUT])


def _import_standings(found: dict[str, Any]) -> list[str]:
    here = progress.drilled()
    newer = {
        topic: standing
        for topic, standing in sound(found).items()
        if standing["answered"] > here.get(topic, {}).get("answered", 0)
    }
    for topic, standing in newer.items():
        progress.remember_drill(topic, standing)
    return drilled_text(drills_of(newer))


def _import_placement(found: Any) -> list[str]:
    answers, when = sound_answers(found), _time_of(found)
    here = _time_of(progress.read().get("placement"))
    if not answers or when is None or (here is not None and when <= here):
        return []
    progress.remember_placement(answers, when)
    return [advice_line(answers)]


def _time_of(placement: Any) -> datetime | None:
    """When the last answer of a test was given; None if nothing says so."""
    try:
        found = datetime.fromisoformat(placement["when"])
    except (TypeError, ValueError, KeyError):
        return None
    return found if found.tzinfo else None


def _saved(file: Path) -> dict[str, Any]:
    """What is in a file that a page saved."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        if found["version"] == VERSION and isinstance(found.get("drill", {}), dict):
            return dict(found)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        pass
    raise NoSavedDrill(
        f"{file} holds no drill. Fix: save a file on the site's page that drills, and name that file."
    )
