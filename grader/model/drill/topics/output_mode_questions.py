"""What append, update and complete mode emit, and what each keeps."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from grader.model import Played
from grader.model.drill import answer_explanations, run_facts
from grader.model.drill.amounts import minutes
from grader.model.drill.question import Posed, WhichOne
from grader.model.drill.random_events import clicks, shape
from grader.model.drill.situation import Situation
from grader.model.drill.topics.question_kind import Kind, Made, counted, delayed_clicks
from grader.model.drill.wrong_ideas import MODES, NEXT_STEP, WATERMARK, pick
from grader.model.query import Query, TimeWindow

_SAID = {
    "append": "Append mode emits a window once: when the watermark has reached its end.",
    "update": "Update mode emits the windows that the step has changed, each as it then is.",
    "complete": "Complete mode emits all windows. It drops and evicts nothing.",
}
_KEPT = {
    "append": "The windows with events that end after it are kept.",
    "update": "The windows with events that end after it are kept: update mode forgets like append mode.",
    "complete": "Complete mode forgets nothing: all windows with events are kept.",
}


def situation(rng: Random, level: int) -> Situation:
    plan = counted(delayed_clicks(minutes(rng.randint(1, 3))), TimeWindow("at", "5 minutes"))
    return Situation(Query(plan, rng.choice(list(MODES))), clicks(rng, shape(level)))


def rows_out(rng: Random, level: int) -> Made:
    asked = situation(rng, level)
    mode, step = asked.query.mode, rng.randint(1, asked.scenario.steps)
    ideas = [idea for name, idea in MODES.items() if name != mode]

    def why(situation: Situation, played: Played) -> str:
        del situation
        return _SAID[mode] + f" {answer_explanations.moved(played, step)}" * (mode == "append")

    more = [*pick(WATERMARK, "no_delay", "nothing_late"), *[NEXT_STEP] * (mode == "append")]
    return Posed(asked, run_facts.rows_out(step, why), [*ideas, *more])


def state_after(rng: Random, level: int) -> Made:
    asked = situation(rng, level)
    mode, step = asked.query.mode, rng.randint(1, asked.scenario.steps)

    def why(situation: Situation, played: Played) -> str:
        watermark_position = f"{answer_explanations.watermark_position(played, step)} " * (
            mode != "complete"
        )
        return f"{watermark_position}{_KEPT[mode]} {answer_explanations.windows_kept(situation, played, step)}"

    ideas = [MODES["complete"] if mode != "complete" else MODES["update"], NEXT_STEP]
    ideas += pick(WATERMARK, "no_delay", "beyond", "nothing_late")
    return Posed(asked, run_facts.state_after(step, why), ideas)


def which_mode(rng: Random, level: int) -> Made:
    asked = situation(rng, level)
    mode = asked.query.mode
    queries = {
        f"{name} mode": replace(asked.query, mode=name)
        for name in sorted(MODES, key=lambda m: m != mode)
    }
    return WhichOne(
        asked, "In which output mode were these rows emitted?", queries, {f"{mode} mode": "? mode"}
    )


KINDS = [
    Kind("rows_out", (1, 2, 3), rows_out),
    Kind("which_mode", (1, 2, 3), which_mode),
    Kind("state_after", (2, 3), state_after),
]
