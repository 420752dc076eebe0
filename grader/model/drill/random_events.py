"""Small streams of events, made by chance from a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from random import Random

from grader.scenario import Event, Scenario

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Shape:
    """The shape of a stream: steps, events per step, how often one is late, and by how many minutes at most."""

    steps: int
    most: int = 3
    late: float = 0.35
    back: int = 9
    ahead: int = 4


def shape(level: int) -> Shape:
    return {1: Shape(2, 3, 0.3), 2: Shape(3, 3), 3: Shape(4, 3, 0.4, back=12)}[level]


def minutes_by_step(rng: Random, shape: Shape) -> list[list[int]]:
    """Minutes after the full hour, in the order of arrival; later steps reach further on."""
    front, found = rng.randint(1, 4), []
    for _ in range(shape.steps):
        of_step = []
        for _ in range(rng.randint(1, shape.most)):
            if rng.random() < shape.late and front > 2:
                of_step.append(max(0, front - rng.randint(1, shape.back)))
            else:
                front += rng.randint(1, shape.ahead)
                of_step.append(front)
        found.append(of_step)
    return found


def stream(
    rng: Random, shape: Shape, input: str, value: Callable[[int, str], dict[str, str]]
) -> Scenario:
    """Events of one input: `value` makes one from its number and its time."""
    hour = rng.randint(8, 18)
    events = [
        (step, at(hour, minute))
        for step, of_step in enumerate(minutes_by_step(rng, shape), start=1)
        for minute in of_step
    ]
    made = [Event(step, input, value(n, time)) for n, (step, time) in enumerate(events)]
    return Scenario(made, shape.steps)


def at(hour: int, minute: int) -> str:
    time = datetime(2026, 3, 2, hour, tzinfo=timezone.utc) + timedelta(minutes=minute)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def clicks(rng: Random, shape: Shape) -> Scenario:
    """Each click has a letter, in the order in which they come."""
    return stream(rng, shape, "clicks", lambda n, time: {"id": LETTERS[n], "at": time})
