"""Short paths into a recording, such as `steps.2.watermark`, for questions and worked examples."""

from __future__ import annotations

from grader.judging.instants import clock
from grader.scenario.recording import Recording

FIELDS = ("watermark", "dropped", "state", "rows", "batches")


def value_at(recording: Recording, path: str) -> str:
    """The value as a person writes it. `steps.N.FIELD` is about step N (from 1), `rows` about the run.

    Raises ValueError naming the paths that there are.
    """
    parts = path.split(".")
    if parts == ["rows"]:
        return str(sum(len(batch.rows) for batch in recording.batches))
    if len(parts) == 3 and parts[0] == "steps" and parts[1].isdigit() and parts[2] in FIELDS:
        step = int(parts[1])
        if not 1 <= step <= recording.steps:
            raise ValueError(f"{path}: there are steps 1 to {recording.steps}.")
        if parts[2] == "watermark":
            return clock(recording.watermark_after(step))
        if parts[2] == "dropped":
            return str(recording.dropped_in(step))
        if parts[2] == "state":
            return str(recording.state_after(step))
        batches = recording.of_step(step)
        return str(len(batches) if parts[2] == "batches" else sum(len(b.rows) for b in batches))
    raise ValueError(
        f"{path!r} is no path into a recording: use rows or steps.N.{{{', '.join(FIELDS)}}}."
    )
