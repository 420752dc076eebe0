"""What the model knows about a run beyond its recording: for the lens, if both have the same result."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

from grader.feedback.lens.known_fates import Happening, Known
from grader.judging.instants import micros
from grader.model import Played, play
from grader.model.agreement import behaviour
from grader.model.fates import Fate, in_the_end
from grader.model.query_reader import query_of
from grader.model.timestamps import Window
from grader.model.timestamps import micros as micros_of
from grader.scenario import Exercise, Scenario
from grader.scenario.recording import Recording


def known_beyond(
    query: Callable[..., Any], exercise: Exercise, scenario: Scenario, recording: Recording
) -> Known | None:
    """What the model knows about a function's run; None if it cannot read the function's query.

    It is also None if the model's run differs from the recorded one, in anything that a recording
    shows of batches. Then the model knows nothing about this run.
    """
    if recording.failure is not None or scenario.clocks:
        return None
    try:
        with redirect_stdout(io.StringIO()):  # what the function prints it has printed already
            read = query_of(query, exercise)
        played = play(read, scenario)
    except Exception:  # whatever it stumbles over, it knows nothing then; the run is there
        return None
    return known_of(played) if behaviour(played.recording) == behaviour(recording) else None


def known_of(played: Played) -> Known:
    """A run of the model as the lens takes it."""
    steps = {batch.id: batch.step for batch in played.recording.batches}
    happened: dict[int, list[Happening]] = {}
    for fate in played.fates:
        happened.setdefault(fate.event, []).append(_happening(fate, steps[fate.batch]))
    return Known(
        in_the_end(played.fates),
        happened,
        [[(_stand(w.drops), _stand(w.evicts)) for w in batch] for batch in played.watermarks],
    )


def _happening(fate: Fate, step: int) -> Happening:
    windows = [value for value in fate.key.values() if isinstance(value, Window)]
    stretch = (
        (float(micros_of(windows[0].start)), float(micros_of(windows[0].end))) if windows else None
    )
    return Happening(step, fate.what, fate.operator, stretch)


def _stand(watermark: str | None) -> float | None:
    return None if watermark is None else float(micros(watermark))
