"""Where sessions begin and end, which become one, and when their rows are emitted."""

from __future__ import annotations

from random import Random

from grader.model import Played
from grader.model.drill import answer_explanations, run_facts
from grader.model.drill.amounts import minutes
from grader.model.drill.question import Posed
from grader.model.drill.random_events import at, minutes_by_step, shape
from grader.model.drill.situation import Situation
from grader.model.drill.topics.question_kind import Kind, Made
from grader.model.drill.wrong_ideas import CLAIMS_LATE, NEXT_STEP, SESSIONS, WATERMARK, pick
from grader.model.expressions import col
from grader.model.query import Aggregate, Fold, Query, SessionWindow, Source, Watermark
from grader.scenario import Event, Scenario

IDEAS = [
    *SESSIONS,
    *pick(WATERMARK, "no_delay"),
    NEXT_STEP,
    *CLAIMS_LATE,
    *pick(WATERMARK, "beyond"),
]


def situation(rng: Random, level: int) -> Situation:
    """Visits of a user or two."""
    clicks = Source("clicks", {"user": "string", "at": "timestamp"})
    gap = rng.choice([3, 4, 5])
    visits = Aggregate(
        Watermark(clicks, "at", minutes(rng.randint(1, 4))),
        {"user": col("user"), "session_window": SessionWindow("at", minutes(gap))},
        {"clicks": Fold("count")},
    )
    return Situation(Query(visits), _clicks(rng, level, gap))


def _clicks(rng: Random, level: int, gap: int) -> Scenario:
    """Clicks as they come, or (now and then) of one user: two apart, then one between them."""
    hour, users = rng.randint(8, 18), ["ann", "bob"]
    found = minutes_by_step(rng, shape(level))
    if rng.random() < 0.4:
        users = [rng.choice(users)]
        start, apart = rng.randint(1, 4), rng.randint(gap + 1, 2 * gap)
        found[:2] = [[start, start + apart], [start + apart // 2, *found[1][:1]]]
    events: list[Event] = []
    for step, of_step in enumerate(found, start=1):
        for minute in of_step:
            value = {"user": rng.choice(users), "at": at(hour, minute)}
            if value not in [event.value for event in events]:
                events.append(Event(step, "clicks", value))
    return Scenario(events, shape(level).steps)


def rows_out(rng: Random, level: int) -> Made:
    asked = situation(rng, level)
    step = rng.randint(1, asked.scenario.steps)

    def why(situation: Situation, played: Played) -> str:
        said = (
            f"A session ends {_gap(situation)} after its last event, and is emitted when the watermark has "
            "come to that end."
        )
        return f"{answer_explanations.moved(played, step)} {said}"

    return Posed(asked, run_facts.rows_out(step, why), IDEAS)


def state_after(rng: Random, level: int) -> Made:
    asked = situation(rng, level)
    step = rng.randint(1, asked.scenario.steps)

    def why(situation: Situation, played: Played) -> str:
        said = f"A session is kept until that has come to its end, {_gap(situation)} after its last event."
        return f"{answer_explanations.watermark_position(played, step)} {said}"

    return Posed(asked, run_facts.state_after(step, why, "session"), IDEAS)


def dropped(rng: Random, level: int) -> Made:
    asked = situation(rng, level)
    names = ("no_delay", "own_step_counts", "moves_with_each_event", "beyond")
    return Posed(asked, run_facts.dropped(asked), [*CLAIMS_LATE, *pick(WATERMARK, *names)])


def _gap(situation: Situation) -> str:
    visits = situation.query.plan
    assert isinstance(visits, Aggregate)
    session = visits.keys["session_window"]
    assert isinstance(session, SessionWindow)
    return str(session.gap)


KINDS = [
    Kind("rows_out", (1, 2, 3), rows_out),
    Kind("state_after", (1, 2, 3), state_after),
    Kind("dropped", (2, 3), dropped),
]
