"""Recordings in few words: a batch a step, with its watermark, its rows out and the state after it."""

from typing import Any

from grader.scenario import Event, Exercise, Input, Scenario
from grader.scenario.recording import Batch, Operator, Recording


def at(clock: str) -> str:
    return f"2026-03-01T{clock}Z"


def span(start: str, end: str) -> dict[str, str]:
    return {"start": at(start), "end": at(end)}


def one_input(name: str, schema: str) -> Exercise:
    return Exercise("99.1", "t", "f", [name], {name: Input(schema, "at")})


def events(name: str, column: str, *told: tuple[int, Any, str]) -> Scenario:
    """Events of one input: each is its step, the value of `column`, and its time."""
    return Scenario([Event(step, name, {column: value, "at": at(t)}) for step, value, t in told])


def batch(
    step: int,
    watermark: str | None = None,
    rows: list[dict[str, Any]] | None = None,
    state: list[dict[str, Any]] | None = None,
    dropped: int = 0,
    kinds: tuple[str, ...] = ("stateStoreSave",),
) -> Batch:
    """A step's only batch. The first of `kinds`, the last operator of a chain, has all state rows;
    the last of them, which the events reach first, dropped what was dropped."""
    operators = [Operator(kind) for kind in kinds]
    if operators:
        operators[0].rows_total = len(state or [])
        operators[-1].dropped = dropped
    return Batch(
        step - 1,
        step,
        rows_in=1,
        watermark=at(watermark) if watermark else None,
        rows=rows or [],
        operators=operators,
        state=state or [],
    )


def run(*batches: Batch) -> Recording:
    return Recording("99.1", steps=len(batches), batches=list(batches))
