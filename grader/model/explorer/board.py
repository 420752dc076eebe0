"""A query and its events as they are now, their result, and what the last change did."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta

from grader.feedback.lens.event_marks import Mark, axis_micros
from grader.feedback.lens.scene import Scene, make_scene
from grader.judging.instants import is_time, moment, moment_text
from grader.model import NotModelled, Played, Refused, play
from grader.model.explorer.knobs import Knob, knobs_of, turned
from grader.model.explorer.model_fates import known_of
from grader.model.explorer.run_changes import changes_between
from grader.model.query import Query
from grader.scenario import Event, Exercise, Scenario


class CannotPlay(ValueError):
    """A change that cannot be played; the message says why, and the board stays as it was."""


@dataclass
class Board:
    """One small stream. After every change the model plays all of it again.

    Each event keeps its number, so that it is the same event after it was moved.
    """

    exercise: Exercise
    query: Query
    events: dict[int, Event]
    steps: int
    played: Played
    said: list[str] = field(default_factory=list)
    _made: tuple[Played, Scene] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, exercise: Exercise, scenario: Scenario, query: Query) -> Board:
        """Raises NotModelled or Refused if the model does not play the query."""
        events = dict(enumerate(scenario.events))
        return cls(exercise, query, events, scenario.steps, play(query, scenario))

    @property
    def scenario(self) -> Scenario:
        return Scenario(sorted(self.events.values(), key=lambda event: event.step), self.steps)

    @property
    def knobs(self) -> list[Knob]:
        return knobs_of(self.query)

    def scene(self) -> Scene:
        """The run as the lens draws it; made once for each run."""
        played, scene = self._made or (None, None)
        if scene is None or played is not self.played:
            known = known_of(self.played)
            scene = make_scene(self.exercise, self.scenario, self.played.recording, known=known)
            self._made = self.played, scene
        return scene

    def turn(self, knob: str, value: str) -> None:
        self._change(query=turned(self.query, knob, value))

    def move(self, number: int, step: int) -> None:
        """Let an event come in a different step."""
        self._change(events={**self.events, number: replace(self.events[number], step=step)})

    def shift(self, number: int, seconds: float) -> None:
        """Give an event an earlier or a later time."""
        event = self.events[number]
        column = self.exercise.inputs[event.input].event_time
        if not isinstance(event.value, dict) or not is_time(event.value.get(column or "")):
            raise CannotPlay(
                "This event has no time in ISO 8601, so it cannot be given another one here."
            )
        assert column is not None
        later = moment(event.value[column]) + timedelta(seconds=seconds)
        moved = replace(event, value={**event.value, column: moment_text(later.isoformat())})
        self._change(events={**self.events, number: moved})

    def remove(self, number: int) -> None:
        if len(self.events) == 1:
            raise CannotPlay("One event has to stay.")
        self._change(events={n: e for n, e in self.events.items() if n != number})

    def add(self, like: int) -> int:
        """Add a copy of an event; returns its number."""
        number = max(self.events) + 1
        self._change(events={**self.events, number: replace(self.events[like])})
        return number

    def _change(self, query: Query | None = None, events: dict[int, Event] | None = None) -> None:
        """Play the changed board, or leave it as it was and raise CannotPlay."""
        was = (self.query, self.events, self.played, self._marks())
        self.query, self.events = query or self.query, events or self.events
        try:
            self.played = play(self.query, self.scenario)
        except (NotModelled, Refused) as error:
            self.query, self.events = was[:2]
            who = "Spark refuses this" if isinstance(error, Refused) else "This is not modelled"
            raise CannotPlay(f"{who}: {error}.") from error
        self.said = changes_between(was[2].recording, self.played.recording, was[3], self._marks())

    def _marks(self) -> dict[int, Mark]:
        """The marks of the lens by the numbers of their events."""
        numbers = {id(event): number for number, event in self.events.items()}
        marks, scenario = self.scene().marks, self.scenario
        timed = [
            event
            for event in scenario.events
            if axis_micros(event, self.exercise, scenario) is not None
        ]
        if len(marks) != len(timed):  # thinned out
            return {}
        return {numbers[id(event)]: mark for event, mark in zip(timed, marks, strict=True)}
