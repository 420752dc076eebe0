"""What the watermark is, what it drops, and how long a delay must be."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from grader.model.drill import run_facts
from grader.model.drill.amounts import minutes
from grader.model.drill.question import Posed, WhichOne
from grader.model.drill.random_events import LETTERS, Shape, at, clicks, minutes_by_step, shape
from grader.model.drill.situation import Situation, truth, with_delay
from grader.model.drill.topics.question_kind import Kind, Made, counted, delayed_clicks
from grader.model.drill.wrong_ideas import (
    LATE_IS_DROPPED,
    SLOWER_SETS_IT,
    TWO_STREAMS,
    WATERMARK,
    pick,
)
from grader.model.query import Query, Source, TimeWindow, Union, Watermark
from grader.scenario import Event, Scenario

WINDOW = TimeWindow("at", "5 minutes")


def situation(rng: Random, level: int) -> Situation:
    query = Query(counted(delayed_clicks(minutes(rng.randint(1, 5))), WINDOW))
    return Situation(query, clicks(rng, shape(level)))


def watermark_position(rng: Random, level: int) -> Made:
    asked = situation(rng, level)
    ask = run_facts.watermark_after(rng.randint(1, asked.scenario.steps))
    return Posed(asked, ask, pick(WATERMARK, "no_delay", "last_event", "goes_back"))


def dropped(rng: Random, level: int) -> Made:
    asked = situation(rng, level)
    names = ("no_delay", "own_step_counts", "moves_with_each_event", "beyond", "nothing_late")
    return Posed(asked, run_facts.dropped(asked), [LATE_IS_DROPPED, *pick(WATERMARK, *names)])


def smallest_delay(rng: Random, level: int) -> Made:
    asked = situation(rng, level)
    without = replace(asked, query=with_delay(asked.query, "0 seconds"))
    late = run_facts.dropped_by(truth(without))
    if not late:
        return None
    ask = run_facts.smallest_delay(asked, rng.choice(late))
    shortest = ask.answer(asked, truth)
    if shortest is None:
        return None
    delay = minutes(shortest)
    asked = replace(asked, query=with_delay(asked.query, delay))
    names = ("beyond", "own_step_counts", "moves_with_each_event", "last_event")
    return Posed(asked, ask, [LATE_IS_DROPPED, *pick(WATERMARK, *names)], hidden=_without(delay))


def which_delay(rng: Random, level: int) -> Made:
    asked = situation(rng, level)
    tried = [minutes(n) for n in rng.sample(range(1, 10), 5)]
    queries = {delay: with_delay(asked.query, delay) for delay in tried}
    text = "With which delay were these rows emitted?"
    right = replace(asked, query=queries[tried[0]])
    return WhichOne(right, text, queries, hidden=_without(tried[0]))


def _without(delay: str) -> dict[str, str]:
    return {f'withWatermark("at", "{delay}")': 'withWatermark("at", "?")'}


def two_streams(rng: Random, level: int) -> Made:
    """Clicks and calls in one stream, each with its own delay."""
    columns = {"id": "string", "at": "timestamp"}
    both = Union(
        Watermark(Source("clicks", columns), "at", minutes(rng.randint(1, 3))),
        Watermark(Source("calls", columns), "at", minutes(rng.randint(3, 6))),
    )
    policy = rng.choice(["min", "min", "max"])
    asked = Situation(
        Query(counted(both, WINDOW, "events"), policy=policy), _two(rng, shape(level))
    )
    ideas = TWO_STREAMS if policy == "min" else [SLOWER_SETS_IT]
    ask = run_facts.watermark_after(rng.randint(1, asked.scenario.steps))
    return Posed(asked, ask, [*ideas, *pick(WATERMARK, "no_delay", "goes_back")])


def _two(rng: Random, shape: Shape) -> Scenario:
    hour = rng.randint(8, 18)
    events: list[Event] = []
    for step, of_step in enumerate(minutes_by_step(rng, shape), start=1):
        for minute in of_step:
            name = rng.choice(["clicks", "calls"])
            value = {"id": LETTERS[len(events)], "at": at(hour, minute)}
            events.append(Event(step, name, value))
    return Scenario(events, shape.steps)


KINDS = [
    Kind("stands", (1, 2), watermark_position),
    Kind("dropped", (1, 2, 3), dropped),
    Kind("smallest_delay", (2, 3), smallest_delay),
    Kind("which_delay", (2, 3), which_delay),
    Kind("two_streams", (3,), two_streams),
]
