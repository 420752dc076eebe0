"""Two streams that meet within an interval: which rows meet, which rows wait and how long, which rows are late."""

from __future__ import annotations

from datetime import timedelta
from random import Random

from grader.model import Played
from grader.model.drill import answer_explanations, run_facts
from grader.model.drill.amounts import minutes
from grader.model.drill.question import Posed
from grader.model.drill.random_events import at
from grader.model.drill.situation import Situation, watermark_before
from grader.model.drill.topics.question_kind import Kind, Made
from grader.model.drill.wrong_ideas import (
    JOINS,
    NEXT_STEP,
    OUTER,
    ROWS_NEVER_LATE,
    TWO_STREAMS,
    WATERMARK,
    pick,
)
from grader.model.query import Interval, Join, Query, Source, Watermark
from grader.model.timestamps import length
from grader.scenario import Event, Scenario

ORDERS = Source("orders", {"order_id": "string", "ordered_at": "timestamp"})
PAYMENTS = Source("payments", {"paid_id": "string", "paid_at": "timestamp"})
IDEAS = [*JOINS, ROWS_NEVER_LATE, *pick(WATERMARK, "no_delay"), *TWO_STREAMS, NEXT_STEP]


def situation(rng: Random, level: int, kind: str) -> Situation:
    within = Interval("ordered_at", "paid_at", "0 seconds", minutes(rng.choice([4, 5, 6, 8])))
    join = Join(
        Watermark(ORDERS, "ordered_at", minutes(rng.randint(1, 2))),
        Watermark(PAYMENTS, "paid_at", minutes(rng.randint(2, 4))),
        kind,
        {"order_id": "paid_id"},
        within,
    )
    return Situation(Query(join), _shop(rng, level))


def _shop(rng: Random, level: int) -> Scenario:
    """Orders, and for most a payment: soon, at the end of the interval, or outside of it."""
    hour, time = rng.randint(8, 18), 0
    steps = {1: 2, 2: 3, 3: 4}[level]
    made: list[tuple[int, str, str, int]] = []
    for name in "ABCDE"[: rng.randint(3, 5)]:
        time += rng.randint(1, 5)
        step = rng.randint(1, steps)
        made.append((step, "orders", name, time))
        if rng.random() < 0.8:
            paid = max(0, time + rng.choice([-2, 1, 3, 4, 5, 6, 8, 10]))
            made.append(
                (min(steps, max(1, step + rng.choice([-1, 0, 0, 1]))), "payments", name, paid)
            )
    rng.shuffle(made)
    made.sort(key=lambda one: one[0])
    used = sorted({step for step, *_ in made})  # no step is empty
    made = [(used.index(step) + 1, input, name, time) for step, input, name, time in made]
    columns = {"orders": ("order_id", "ordered_at"), "payments": ("paid_id", "paid_at")}
    events = [
        Event(step, input, dict(zip(columns[input], (name, at(hour, time)), strict=True)))
        for step, input, name, time in made
    ]
    return Scenario(events, len(used))


def pairs_out(rng: Random, level: int) -> Made:
    asked = situation(rng, level, "inner")
    step = rng.randint(1, asked.scenario.steps)

    def why(situation: Situation, played: Played) -> str:
        said = (
            "A pair is emitted in the step in which its second row arrives. Both must be in time, the first "
            "must still be in state, and their times must fit the interval."
        )
        return f"{said} {answer_explanations.dropped(situation, played, until=step)}"

    return Posed(asked, run_facts.rows_out(step, why), IDEAS)


def nulls_out(rng: Random, level: int) -> Made:
    asked = situation(rng, level, "left")
    step = rng.randint(1, asked.scenario.steps)

    def why(situation: Situation, played: Played) -> str:
        said = (
            "An order that has met no payment is emitted with nulls when the watermark is past its time "
            f"plus {_upper(situation)}."
        )
        return f"{answer_explanations.watermark(situation, played, step)} {said}"

    return Posed(asked, run_facts.rows_out(step, why), [*OUTER, *IDEAS])


def state_after(rng: Random, level: int) -> Made:
    asked = situation(rng, level, "inner")
    step = rng.randint(1, asked.scenario.steps)

    def why(situation: Situation, played: Played) -> str:
        said = (
            f"An order is kept until the watermark is past its time plus {_upper(situation)}, a payment until "
            "it is past its time. Those that have met are kept as well."
        )
        return f"{answer_explanations.watermark(situation, played, step)} {said} {_kept(situation, played, step)}"

    return Posed(asked, run_facts.state_after(step, why), IDEAS)


def dropped(rng: Random, level: int) -> Made:
    asked = situation(rng, level, "inner")
    ideas = [
        *TWO_STREAMS,
        *pick(WATERMARK, "no_delay", "own_step_counts", "beyond"),
        ROWS_NEVER_LATE,
    ]
    return Posed(asked, run_facts.dropped(asked), ideas)


def _kept(situation: Situation, played: Played, step: int) -> str:
    """The rows that came in time and that the watermark is not past."""
    events, after_step = situation.scenario.events, watermark_before(played, step + 1)
    waits = {"orders": length(_upper(situation)), "payments": timedelta()}
    kept = sorted({fate.event for fate in played.fates if fate.what == "kept"})
    names = [
        situation.name(n)
        for n in kept
        if events[n].step <= step
        and situation.time(events[n]) + waits[events[n].input] >= after_step
    ]
    return f"Kept: {', '.join(names) or 'none'}."


def _upper(situation: Situation) -> str:
    join = situation.query.plan
    assert isinstance(join, Join) and join.within is not None
    return str(join.within.upper)


KINDS = [
    Kind("pairs_out", (1, 2, 3), pairs_out),
    Kind("state_after", (2, 3), state_after),
    Kind("nulls_out", (2, 3), nulls_out),
    Kind("dropped", (3,), dropped),
]
