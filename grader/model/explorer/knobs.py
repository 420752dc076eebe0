"""What can be turned in a query: delays, lengths of windows, gaps, intervals, policy, output mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from grader.model.operator_chain import MODES
from grader.model.query import (
    Aggregate,
    Join,
    Node,
    Query,
    SessionWindow,
    Source,
    TimeWindow,
    Watermark,
    changed,
    children,
    nodes,
    watermarks,
)
from grader.model.timestamps import length
from grader.model.watermark_policy import POLICIES

SCALE = [
    *("0 seconds", "1 second", "2 seconds", "5 seconds", "10 seconds", "20 seconds"),
    *("30 seconds", "1 minute", "2 minutes", "5 minutes", "10 minutes", "15 minutes"),
    *("20 minutes", "30 minutes", "1 hour", "2 hours", "3 hours", "6 hours", "12 hours", "1 day"),
]
NO_SLIDE = "none"
MOST_AT_ONCE = 12  # windows that an event may be in


@dataclass(frozen=True)
class Knob:
    """One thing that can be turned: what it is called, what it may be, and what it is."""

    name: str
    label: str
    choices: tuple[str, ...]
    value: str


@dataclass(frozen=True)
class _Turn:
    """A knob and the place of its node in order; The function `set` gives the node with a different value."""

    knob: Knob
    place: int
    set: Callable[[Any, str], Node]


def knobs_of(query: Query) -> list[Knob]:
    """All knobs of a query, those of its first operators first."""
    knobs = [turn.knob for turn in _turns(query)]
    if _several(query):
        knobs.append(Knob("policy", "several watermarks", tuple(POLICIES), query.policy))
    if any(isinstance(node, Aggregate) for node in nodes(query.plan)):
        knobs.append(Knob("mode", "output mode", MODES, query.mode))
    return knobs


def turned(query: Query, name: str, value: str) -> Query:
    """The query with one knob at a different value; KeyError names those that there are."""
    if name == "policy":
        return replace(query, policy=value)
    if name == "mode":
        return replace(query, mode=value)
    turns = {turn.knob.name: turn for turn in _turns(query)}
    if name not in turns:
        raise KeyError(f"this query has no knob {name!r}; it has {sorted(turns)}")
    turn, places = turns[name], count()

    def set_one(node: Node) -> Node:
        return turn.set(node, value) if next(places) == turn.place else node

    return replace(query, plan=changed(query.plan, set_one))


def _turns(query: Query) -> list[_Turn]:
    found: list[_Turn] = []
    several = _several(query)
    for place, node in enumerate(_in_order(query.plan)):
        for knob, set_ in _of_node(node, several):
            taken = sum(turn.knob.name.split(" ")[0] == knob.name for turn in found)
            name = f"{knob.name} {taken + 1}" if taken else knob.name
            label = f"{knob.label} ({taken + 1})" if taken and knob.name != "delay" else knob.label
            found.append(_Turn(replace(knob, name=name, label=label), place, set_))
    return found


def _several(query: Query) -> bool:
    return len(watermarks(query.plan)) > 1


def _in_order(node: Node) -> Iterator[Node]:
    """The nodes as rows go through them, and as `changed` does: the left side first."""
    for child in children(node):
        yield from _in_order(child)
    yield node


def _of_node(node: Node, several: bool) -> Iterator[tuple[Knob, Callable[[Any, str], Node]]]:
    match node:
        case Watermark(_, column, delay):
            inputs = ", ".join(each.input for each in _in_order(node) if isinstance(each, Source))
            label = f"delay of {inputs}.{column}" if several else "watermark delay"
            yield Knob("delay", label, _scale(delay), delay), lambda n, v: replace(n, delay=v)
        case Join(within=within) if within is not None and within.upper is not None:
            yield (
                Knob("within", "joined within", _scale(within.upper), within.upper),
                lambda n, v: replace(n, within=replace(n.within, upper=v)),
            )
        case Aggregate(keys=keys):
            for name, key in keys.items():
                yield from _of_key(name, key)


def _of_key(name: str, key: Any) -> Iterator[tuple[Knob, Callable[[Any, str], Node]]]:
    def with_key(node: Aggregate, **changes: Any) -> Node:
        return replace(node, keys={**node.keys, name: replace(node.keys[name], **changes)})  # type: ignore[type-var]

    match key:
        case TimeWindow(_, duration, slide):
            lengths = tuple(text for text in _scale(duration) if length(text))
            yield (
                Knob("window", "window", lengths, duration),
                lambda n, v: with_key(n, duration=v, slide=None),
            )
            shorter = [t for t in lengths if length(t) < length(duration)]
            most = length(duration) / MOST_AT_ONCE
            shorter = [t for t in shorter if not length(duration) % length(t) and length(t) >= most]
            if slide is not None and slide not in shorter:
                shorter.append(slide)
            if shorter:
                yield (
                    Knob("slide", "slide", (NO_SLIDE, *shorter), slide or NO_SLIDE),
                    lambda n, v: with_key(n, slide=None if v == NO_SLIDE else v),
                )
        case SessionWindow(_, str(gap)):
            lengths = tuple(text for text in _scale(gap) if length(text))
            yield Knob("gap", "session gap", lengths, gap), lambda n, v: with_key(n, gap=v)


def _scale(present: str) -> tuple[str, ...]:
    """The lengths to choose from, the present one among them in its own words."""
    others = [text for text in SCALE if length(text) != length(present)]
    return tuple(sorted([*others, present], key=length))
