"""What a question is about: a query and the events that it gets, and how both are spoken of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from grader.judging.instants import clock
from grader.model import Played, play
from grader.model.query import (
    Node,
    Query,
    Source,
    Watermark,
    changed,
    nodes,
    watermarks,
)
from grader.model.timestamps import EPOCH, length, moment
from grader.scenario import Event, Exercise, Input, Scenario


@dataclass(frozen=True)
class Situation:
    """A query of the model and its events; each event is an object with a name and one time.

    `played` is the truth: what the model does with it.
    """

    query: Query
    scenario: Scenario

    @cached_property
    def played(self) -> Played:
        return play(self.query, self.scenario)

    @cached_property
    def sources(self) -> dict[str, Source]:
        """The inputs in the order in which the query names them."""
        found = [node for node in nodes(self.query.plan) if isinstance(node, Source)]
        return {source.input: source for source in found}

    def time(self, event: Event) -> datetime:
        return moment(event.value[time_column(self.sources[event.input])])

    def name(self, number: int) -> str:
        """An event as it is called in a question: its label and its time."""
        event = self.scenario.events[number]
        kind = f"{event.input[:-1]} " if len(self.sources) > 1 else ""
        return f"{kind}{self.label(number)} {clock(event.value[self._time_column(event)])}"

    def label(self, number: int) -> str:
        """The value of an event that is not its time."""
        event = self.scenario.events[number]
        return str(next(v for k, v in event.value.items() if k != self._time_column(event)))

    def delay(self, input: str) -> str:
        plan = self.query.plan
        return next(node.delay for node in watermarks(plan) if input in inputs_of(node))

    def numbers(self, step: int) -> list[int]:
        """The places of a step's events in the scenario."""
        return [n for n, event in enumerate(self.scenario.events) if event.step == step]

    def exercise(self) -> Exercise:
        """What the lens has to know of the inputs."""
        inputs = {
            name: Input(source.schema, time_column(source)) for name, source in self.sources.items()
        }
        return Exercise("drill", "Drill", "answer", list(inputs), inputs)

    def _time_column(self, event: Event) -> str:
        return time_column(self.sources[event.input])


Rule = Callable[[Situation], Played]  # how a situation is played: rightly, or by a wrong idea


def truth(situation: Situation) -> Played:
    return situation.played


def time_column(source: Source) -> str:
    return next(name for name, type in source.columns.items() if type == "timestamp")


def inputs_of(node: Node) -> set[str]:
    return {below.input for below in nodes(node) if isinstance(below, Source)}


def watermark_before(played: Played, step: int) -> datetime:
    """The watermark that a step's events meet; 1970 while there is none."""
    text = played.recording.watermark_after(step - 1)
    return EPOCH if text is None else moment(text)


def with_delay(query: Query, delay: str) -> Query:
    """The same query with a different delay for every watermark."""
    return replace(query, plan=changed(query.plan, lambda node: _delayed(node, delay)))


def _delayed(node: Node, delay: str) -> Node:
    return replace(node, delay=delay) if isinstance(node, Watermark) else node


def delay_of(situation: Situation, event: Event) -> datetime:
    """The watermark that a single event would make: its time less the delay of its stream."""
    return situation.time(event) - length(situation.delay(event.input))
