"""Imports what a page of the site saved of a drill. What was passed in a page stays there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from grader.errors import UserFacingError
from grader.learner import progress
from grader.model.drill.mastery import sound
from grader.progress_pages.drill_standing import drilled_text, drills_of

VERSION = 1  # of the file, see grader/site/play/kept.js
_LEFT_OUT = (
    "Exercises that were passed in a page are not imported: only the lab's checks count here."
)


class NoSavedDrill(UserFacingError, ValueError):
    """A file that no page saved; the message says what to do."""


def import_drill(file: Path) -> str:
    """Keep the standings of a saved file, and say which.

    A standing with fewer answers than the lab's own, or as many, is left out, and so is a damaged one. Raises
    NoSavedDrill.
    """
    here = progress.drilled()
    newer = {
        topic: standing
        for topic, standing in sound(_saved(file)).items()
        if standing["answered"] > here.get(topic, {}).get("answered", 0)
    }
    for topic, standing in newer.items():
        progress.remember_drill(topic, standing)
    said = drilled_text(drills_of(newer)) or ["The file has no topic with more answers than here."]
    return "\n".join([*said, _LEFT_OUT])


def _saved(file: Path) -> dict[str, Any]:
    """The standings in a file, by topic, as they are there."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        if found["version"] == VERSION and isinstance(found.get("drill", {}), dict):
            return dict(found.get("drill", {}))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        pass
    raise NoSavedDrill(
        f"{file} holds no drill. Fix: save a file on the site's page that drills, and name that file."
    )
