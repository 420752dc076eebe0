"""Events grouped in steps: the input side of every check, as JSON Lines."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

FIELDS = {"step", "input", "partition", "key", "value", "note", "timestamp", "clock"}


class ScenarioError(ValueError):
    """A scenario file that cannot be read; the message names the file, the line and the fix."""


@dataclass(frozen=True)
class Event:
    """A Kafka record that a scenario will send.

    - `value`: a dict (sent as JSON text), a string (sent unchanged, so that a scenario can have malformed
      records) or `{"base64": "…"}` (sent as bytes)
    - `partition` counts from 0
    - `timestamp`: the record's own time in ISO 8601
    - `note` is only for the reader
    """

    step: int
    input: str
    value: Any
    partition: int = 0
    key: str | None = None
    note: str = ""
    timestamp: str | None = None

    def payload(self) -> bytes | None:
        """The bytes of the record's value (None is a Kafka tombstone)."""
        if self.value is None:
            return None
        if isinstance(self.value, str):
            return self.value.encode()
        if isinstance(self.value, dict) and set(self.value) == {"base64"}:
            return base64.b64decode(self.value["base64"])
        return json.dumps(self.value, ensure_ascii=False).encode()

    def timestamp_ms(self) -> int | None:
        """The record's own time in milliseconds since 1970, if the event names one."""
        if self.timestamp is None:
            return None
        return _milliseconds(self.timestamp)

    def to_line(self) -> dict[str, Any]:
        """The event as its JSON Lines object, defaults left out."""
        line: dict[str, Any] = {"step": self.step, "input": self.input}
        if self.partition:
            line["partition"] = self.partition
        if self.key is not None:
            line["key"] = self.key
        line["value"] = self.value
        if self.timestamp:
            line["timestamp"] = self.timestamp
        if self.note:
            line["note"] = self.note
        return line


@dataclass(frozen=True)
class Scenario:
    """Events in the order they are sent, and how many steps they are sent in (from 1).

    For scenarios with processing time, `clocks` says what Spark's clock shows in each step (ISO 8601).
    Then a step is one batch, because Spark runs no no-data batch. Raises ScenarioError if a step has no
    time, no event, or a time that is not later than the one before.
    """

    events: list[Event]
    steps: int = field(default=0)
    clocks: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        last = max((event.step for event in self.events), default=0)
        object.__setattr__(self, "steps", max(self.steps, last, *self.clocks, 0))
        if self.clocks:
            self._check_clocks()

    def _check_clocks(self) -> None:
        times = []
        for step in range(1, self.steps + 1):
            if step not in self.clocks or not self.of_step(step):
                raise ScenarioError(
                    f"step {step} needs a `clock` and an event: once one step has a clock, all do."
                )
            times.append(self.clock_ms(step))
        if times != sorted(set(times)):
            raise ScenarioError("each step's `clock` must be later than the one before.")

    def clock_ms(self, step: int) -> int:
        """What Spark's clock shows in a step, in milliseconds since 1970."""
        return _milliseconds(self.clocks[step])

    def of_step(self, step: int) -> list[Event]:
        return [event for event in self.events if event.step == step]

    def inputs(self) -> set[str]:
        return {event.input for event in self.events}

    def to_lines(self) -> list[dict[str, Any]]:
        clocks = [{"step": step, "clock": clock} for step, clock in self.clocks.items()]
        lines = sorted([*clocks, *(e.to_line() for e in self.events)], key=lambda x: x["step"])
        if self.steps > max((event.step for event in self.events), default=0):
            lines.append({"step": self.steps})
        return lines


def scenario_from_lines(lines: Iterable[dict[str, Any]], *, source: str = "scenario") -> Scenario:
    """Build a scenario from JSON objects; raises ScenarioError naming the line that is wrong."""
    events, steps, clocks = [], 0, {}
    for number, line in enumerate(lines, start=1):
        where = f"{source}, line {number}"
        step = line.get("step")
        if not isinstance(step, int) or step < 1:
            raise ScenarioError(f"{where}: every line needs an integer `step`, counted from 1.")
        if step < steps:
            raise ScenarioError(f"{where}: step {step} comes after step {steps}; sort the lines.")
        steps = step
        unknown = set(line) - FIELDS
        if unknown:
            raise ScenarioError(
                f"{where}: unknown field {sorted(unknown)[0]!r}; known: {sorted(FIELDS)}."
            )
        if "clock" in line:
            clocks[step] = line["clock"]
        if set(line) <= {"step", "clock"}:
            continue
        if "input" not in line or "value" not in line:
            raise ScenarioError(f"{where}: an event needs `input` and `value`.")
        if line["value"] is None and line.get("key") is None:
            raise ScenarioError(f"{where}: an event without a value needs a `key`.")
        events.append(Event(**{name: line[name] for name in line if name != "clock"}))
    try:
        return Scenario(events, steps, clocks)
    except ScenarioError as error:
        raise ScenarioError(f"{source}: {error}") from error


def _milliseconds(moment: str) -> int:
    return int(datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp() * 1000)


def read_scenario(path: Path) -> Scenario:
    """Read a scenario from a JSON Lines file; raises ScenarioError with file and line."""

    def parsed() -> Iterator[dict[str, Any]]:
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if text.strip():
                try:
                    yield json.loads(text)
                except json.JSONDecodeError as error:
                    raise ScenarioError(
                        f"{path}, line {number}: not JSON ({error.msg})."
                    ) from error

    return scenario_from_lines(parsed(), source=str(path))
