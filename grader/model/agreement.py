"""Whether two runs did the same: one made by the model, one recorded of Spark."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from grader.scenario.recording import Recording


def behaviour(recording: Recording) -> list[dict[str, Any]]:
    """All that a recording says about its batches, except the time they took and what state held."""
    found = recording.lasting().to_dict()["batches"]
    for batch in found:
        for operator in batch["operators"]:
            del operator["metrics"]
    return list(found)


def differences(ours: Recording, theirs: Recording) -> list[str]:
    """Where two recordings differ, batch by batch; empty if they are the same."""
    pairs = zip_longest(behaviour(ours), behaviour(theirs))
    return [f"model {mine}\nSpark {their}" for mine, their in pairs if mine != their]
