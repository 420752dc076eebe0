"""The versions that a step added to Delta tables, in words: a commit without rows makes one, too."""

from __future__ import annotations

from grader.judging.wording.value_text import rows_text
from grader.scenario.recording import Recording


def versions_text(recording: Recording, step: int) -> list[str]:
    """A line for each version of each table, such as `counts, version 2: MERGE, 3 rows`."""
    return [
        f"{name}, version {version['version']}: {version['operation']}, {rows_text(version['rows'])}"
        for name, versions in recording.versions.items()
        for version in versions
        if version["step"] == step
    ]
