"""Which duplicates are found, how long ids stay in state, and what each way of dropping evicts."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from grader.model import Played
from grader.model.drill import answer_explanations, run_facts
from grader.model.drill.amounts import minutes
from grader.model.drill.query_code import code_of
from grader.model.drill.question import Posed, WhichOne
from grader.model.drill.random_events import at, minutes_by_step, shape
from grader.model.drill.situation import Situation
from grader.model.drill.topics.question_kind import Kind, Made, delayed_clicks
from grader.model.drill.wrong_ideas import DUPLICATES, ROWS_NEVER_LATE, WATERMARK, pick
from grader.model.query import Deduplicate, Query
from grader.scenario import Event, Scenario

IDEAS = [
    *DUPLICATES,
    *pick(WATERMARK, "no_delay", "own_step_counts"),
    ROWS_NEVER_LATE,
    *pick(WATERMARK, "moves_with_each_event", "beyond"),
]
WAYS = {"within": (("id",), True), "id": (("id",), False), "both": (("id", "at"), False)}


def situation(rng: Random, level: int, way: str = "within") -> Situation:
    return Situation(_query(way, minutes(rng.randint(2, 5))), _clicks(rng, level))


def _query(way: str, delay: str) -> Query:
    columns, within = WAYS[way]
    return Query(Deduplicate(delayed_clicks(delay), columns, within))


def _clicks(rng: Random, level: int) -> Scenario:
    """Few ids, which come again with different times."""
    hour = rng.randint(8, 18)
    sent: list[tuple[int, tuple[str, int]]] = []
    of_shape = replace(shape(level), late=0.25, back=5)
    for step, of_step in enumerate(minutes_by_step(rng, of_shape), start=1):
        for minute in of_step:
            event = (rng.choice("xyz"), minute)
            if event not in [known for _, known in sent]:
                sent.append((step, event))
    events = [Event(step, "clicks", {"id": id, "at": at(hour, m)}) for step, (id, m) in sent]
    return Scenario(events, of_shape.steps)


def events_out(rng: Random, level: int) -> Made:
    asked = situation(rng, level)
    step = rng.randint(1, asked.scenario.steps)
    if not asked.numbers(step):
        return None

    def why(situation: Situation, played: Played) -> str:
        said = (
            "An event is emitted if it is after that and its id is not in state. An id is kept until the "
            f"watermark has reached its first event's time plus {situation.delay('clicks')}."
        )
        return f"{answer_explanations.begins(played, step)} {said}"

    return Posed(asked, run_facts.events_out(asked, step, why), IDEAS)


def state_after(rng: Random, level: int) -> Made:
    asked = situation(rng, level)
    step = rng.randint(1, asked.scenario.steps)

    def why(situation: Situation, played: Played) -> str:
        said = (
            "An id is kept while the watermark has not come to its first event's time plus "
            f"{situation.delay('clicks')}."
        )
        return f"{answer_explanations.watermark_position(played, step)} {said}"

    return Posed(asked, run_facts.state_after(step, why, "id"), IDEAS)


def which_way(rng: Random, level: int) -> Made:
    first, *others = rng.sample(sorted(WAYS), 3)
    asked = situation(rng, level, first)
    delay = asked.delay("clicks")
    made = [_query(way, delay) for way in (first, *others)]
    queries = {_line(query): query for query in made}
    return WhichOne(asked, "Which line made these rows?", queries, {next(iter(queries)): ".?"})


def _line(query: Query) -> str:
    return code_of(query).splitlines()[-1].strip()


KINDS = [
    Kind("come_out", (1, 2, 3), events_out),
    Kind("state_after", (2, 3), state_after),
    Kind("which_way", (2, 3), which_way),
]
