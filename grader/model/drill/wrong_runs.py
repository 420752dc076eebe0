"""Situations played by a wrong idea: a different query, different steps, or a changed rule of the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from grader.model import Played, play
from grader.model.drill.situation import (
    Rule,
    Situation,
    delay_of,
    truth,
    watermark_before,
    with_delay,
)
from grader.model.fates import Fate
from grader.model.operators import Operator
from grader.model.query import (
    Aggregate,
    Deduplicate,
    Fold,
    Interval,
    Join,
    Key,
    Node,
    TimeWindow,
    changed,
)
from grader.model.run import Run, played_by
from grader.model.timestamps import length, micros
from grader.scenario import Event, Scenario

EVER = "1000 days"


def by(run: type[Run]) -> Rule:
    """The model with a rule of the whole run changed."""
    return lambda situation: played_by(run(situation.query), situation.scenario)


def operator(kind: type[Operator]) -> Rule:
    """The model with an operator instead of its base class."""
    own = kind.__bases__[0]
    return lambda situation: played_by(Run(situation.query, {own: kind}), situation.scenario)


def of(change: Callable[[Node], Node]) -> Rule:
    """A different query: each node of the plan changed."""

    def plays(situation: Situation) -> Played:
        plan = changed(situation.query.plan, change)
        return play(replace(situation.query, plan=plan), situation.scenario)

    return plays


def in_mode(mode: str) -> Rule:
    return lambda situation: play(replace(situation.query, mode=mode), situation.scenario)


def without_delay(situation: Situation) -> Played:
    return play(with_delay(situation.query, "0 seconds"), situation.scenario)


def by_the_other_policy(situation: Situation) -> Played:
    policy = "max" if situation.query.policy == "min" else "min"
    return play(replace(situation.query, policy=policy), situation.scenario)


def every_event_by_itself(situation: Situation) -> Played:
    """Each event has its own step."""
    events = situation.scenario.events
    alone = [replace(event, step=n) for n, event in enumerate(events, start=1)]
    steps = {n: event.step for n, event in enumerate(events, start=1)}
    return _reported_back(situation, alone, list(range(len(events))), steps)


def newest_first(situation: Situation) -> Played:
    """A step's newest events make the watermark that the others of the step meet."""
    events = situation.scenario.events
    order: list[int] = []
    halves: list[Event] = []
    for step in range(1, situation.scenario.steps + 1):
        of_step = situation.numbers(step)
        newest = {
            max(mine, key=lambda n: delay_of(situation, events[n]))
            for name in situation.sources
            if (mine := [n for n in of_step if events[n].input == name])
        }
        for n in sorted(of_step, key=lambda n: n not in newest):
            order.append(n)
            halves.append(replace(events[n], step=2 * step - (n in newest)))
    steps = {half: -(-half // 2) for half in range(1, 2 * situation.scenario.steps + 1)}
    return _reported_back(situation, halves, order, steps)


def late_is_dropped(situation: Situation) -> Played:
    """A late event is dropped, even if its window or session is still open."""
    right = truth(situation)
    events = situation.scenario.events
    late = {
        n
        for n, event in enumerate(events)
        if situation.time(event) <= watermark_before(right, event.step)
    }
    order = [n for n in range(len(events)) if n not in late]
    steps = {step: step for step in range(1, situation.scenario.steps + 1)}
    played = _reported_back(situation, [events[n] for n in order], order, steps)
    batches = {b.step: b.id for b in reversed(played.recording.batches)}
    dropped = [Fate(n, batches.get(events[n].step, 0), "late") for n in sorted(late)]
    return Played(played.recording, played.fates + dropped)


def _reported_back(
    situation: Situation, events: list[Event], order: list[int], steps: Mapping[int, int]
) -> Played:
    """Play events in other steps, and report them by the steps and places of the situation."""
    count = max([event.step for event in events], default=0)
    played = play(situation.query, Scenario(events, count))
    batches = [replace(batch, step=steps[batch.step]) for batch in played.recording.batches]
    recording = replace(played.recording, steps=situation.scenario.steps, batches=batches)
    return Played(recording, [replace(fate, event=order[fate.event]) for fate in played.fates])


def from_the_first_event(situation: Situation) -> Played:
    """The first window begins at the first event."""
    first = situation.time(situation.scenario.events[0])

    def change(node: Node) -> Node:
        if not isinstance(node, Aggregate):
            return node
        keys = {name: _beginning_at(first, key) for name, key in node.keys.items()}
        return replace(node, keys=keys)

    return of(change)(situation)


def _beginning_at(first: datetime, key: Key) -> Key:
    if not isinstance(key, TimeWindow):
        return key
    slide = length(key.slide or key.duration) // timedelta(seconds=1)
    return replace(key, start=f"{micros(first) // 1_000_000 % slide} seconds")


def remembered_for_ever(node: Node) -> Node:
    return replace(node, within_watermark=False) if isinstance(node, Deduplicate) else node


def without_interval(node: Node) -> Node:
    """Partners may be any time apart; a late row is dropped nevertheless."""
    return _with_interval(node, lambda i: replace(i, lower=f"-{EVER}", upper=EVER))


def before_as_well_as_after(node: Node) -> Node:
    return _with_interval(node, lambda i: replace(i, lower=f"-{i.upper}"))


def without_its_bounds(node: Node) -> Node:
    return _with_interval(node, lambda i: replace(i, lower_inclusive=False, upper_inclusive=False))


def _with_interval(node: Node, change: Callable[[Interval], Interval]) -> Node:
    if isinstance(node, Join) and node.within is not None:
        return replace(node, within=change(node.within))
    return node


def inner(node: Node) -> Node:
    return replace(node, kind="inner") if isinstance(node, Join) else node


def rows_for_values(node: Node) -> Node:
    """The upper of two aggregations counts the rows of the lower one, in place of adding them up."""
    if not isinstance(node, Aggregate) or not isinstance(node.child, Aggregate):
        return node
    return replace(node, results=dict.fromkeys(node.results, Fold("count")))
