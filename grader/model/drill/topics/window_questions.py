"""Which windows an event is in, when their rows are emitted, and what is kept until then."""

from __future__ import annotations

from random import Random

from grader.model import Played
from grader.model.drill import answer_explanations, run_facts
from grader.model.drill.amounts import minutes
from grader.model.drill.question import Posed
from grader.model.drill.random_events import clicks, shape
from grader.model.drill.situation import Situation, truth
from grader.model.drill.topics.question_kind import Kind, Made, counted, delayed_clicks
from grader.model.drill.wrong_ideas import (
    LATE_IS_DROPPED,
    MODES,
    NEXT_STEP,
    ONE_WINDOW,
    WATERMARK,
    WINDOWS,
    pick,
)
from grader.model.query import Query, TimeWindow

IDEAS = [
    *pick(WATERMARK, "no_delay"),
    NEXT_STEP,
    ONE_WINDOW,
    *WINDOWS,
    MODES["update"],
    *pick(WATERMARK, "beyond", "nothing_late"),
    LATE_IS_DROPPED,
]


def situation(rng: Random, level: int) -> Situation:
    """Tumbling windows, from the second level on also sliding windows."""
    window = TimeWindow("at", minutes(rng.choice([5, 10])))
    if level > 1 and rng.random() < 0.6:
        window = TimeWindow("at", "10 minutes", "5 minutes")
    query = Query(counted(delayed_clicks(minutes(rng.randint(1, 4))), window))
    return Situation(query, clicks(rng, shape(level)))


def rows_out(rng: Random, level: int) -> Made:
    asked = situation(rng, level)
    step = rng.randint(1, asked.scenario.steps)
    return Posed(asked, run_facts.rows_out(step, closed_in(step)), IDEAS)


def closed_in(step: int) -> run_facts.Why:
    def why(situation: Situation, played: Played) -> str:
        del situation
        said = "A window's row is emitted when the watermark has reached its end."
        return f"{answer_explanations.moved(played, step)} {said}"

    return why


def step_of(rng: Random, level: int) -> Made:
    """For a window that holds an event: its row may be emitted, or not yet."""
    asked = situation(rng, level)
    found = [fate.key["window"] for fate in truth(asked).fates if fate.what == "kept"]
    if not found:
        return None
    ideas = [*pick(WATERMARK, "no_delay"), NEXT_STEP, *pick(WATERMARK, "beyond"), MODES["update"]]
    return Posed(asked, run_facts.step_of(rng.choice(found), all_steps), ideas)


def all_steps(situation: Situation, played: Played) -> str:
    said = "The row is emitted when the watermark has reached the window's end."
    return f"{answer_explanations.closing(situation, played)} {said}"


def state_after(rng: Random, level: int) -> Made:
    asked = situation(rng, level)
    step = rng.randint(1, asked.scenario.steps)
    return Posed(asked, run_facts.state_after(step, open_after(step)), IDEAS)


def open_after(step: int) -> run_facts.Why:
    def why(situation: Situation, played: Played) -> str:
        said = "There is a row for each window with events that ends after it."
        kept = answer_explanations.windows_kept(situation, played, step)
        return f"{answer_explanations.watermark_position(played, step)} {said} {kept}"

    return why


KINDS = [
    Kind("rows_out", (1, 2, 3), rows_out),
    Kind("step_of", (1, 2, 3), step_of),
    Kind("state_after", (2, 3), state_after),
]
