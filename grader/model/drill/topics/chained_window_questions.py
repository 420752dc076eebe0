"""Windows of windows: when the rows of the second window are emitted, and what both keep."""

from __future__ import annotations

from random import Random

from grader.model import Played
from grader.model.drill import answer_explanations, run_facts
from grader.model.drill.amounts import minutes
from grader.model.drill.question import Posed
from grader.model.drill.random_events import clicks, shape
from grader.model.drill.situation import Situation, truth
from grader.model.drill.topics.question_kind import Kind, Made, counted, delayed_clicks
from grader.model.drill.wrong_ideas import CHAIN, NEXT_STEP, WATERMARK, WINDOWS, pick
from grader.model.expressions import col
from grader.model.query import Aggregate, Fold, Query, TimeWindow

IDEAS = [*pick(WATERMARK, "no_delay"), NEXT_STEP, *CHAIN, *pick(WATERMARK, "beyond", "nothing_late"),
         *pick(WINDOWS, "end_belongs")]  # fmt: skip


def situation(rng: Random, level: int) -> Situation:
    """Clicks in windows of 5 minutes, and those added up in longer ones."""
    first = counted(delayed_clicks(minutes(rng.randint(1, 3))), TimeWindow("at", "5 minutes"))
    second = TimeWindow("window", minutes(rng.choice([10, 10, 15])))
    totals = Aggregate(first, {"window": second}, {"total": Fold("sum", col("clicks"))})
    return Situation(Query(totals), clicks(rng, shape(max(level, 2))))


def rows_out(rng: Random, level: int) -> Made:
    asked = situation(rng, level)
    step = rng.randint(1, asked.scenario.steps)

    def why(situation: Situation, played: Played) -> str:
        del situation
        said = (
            "The batch that closes the short windows emits their rows. In the same batch the long windows "
            "whose end the watermark has reached are closed."
        )
        return f"{answer_explanations.moved(played, step)} {said}"

    return Posed(asked, run_facts.rows_out(step, why), IDEAS)


def step_of(rng: Random, level: int) -> Made:
    asked = situation(rng, level)
    windows = [f.key["window"] for f in truth(asked).fates if f.what == "kept"]
    long = [w for w in windows if w.end - w.start > min(x.end - x.start for x in windows)]
    if not long:
        return None

    def why(situation: Situation, played: Played) -> str:
        said = "Both operators have the same watermark: the row is emitted when it reaches the long window's end."
        return f"{answer_explanations.closing(situation, played)} {said}"

    return Posed(asked, run_facts.step_of(rng.choice(long), why), IDEAS)


def state_after(rng: Random, level: int) -> Made:
    asked = situation(rng, level)
    step = rng.randint(1, asked.scenario.steps)

    def why(situation: Situation, played: Played) -> str:
        del situation
        last = played.recording.of_step(step) or played.recording.batches
        second, first = (operator.rows_total for operator in last[-1].operators)
        said = (
            f"The first keeps {first} of its short windows: those that end after it. The second keeps "
            f"{second} of its long ones: a long window begins when the first of its short ones is closed."
        )
        return f"{answer_explanations.watermark_position(played, step)} {said}"

    return Posed(asked, run_facts.state_after(step, why, where="in both states together"), IDEAS)


KINDS = [
    Kind("rows_out", (1, 2, 3), rows_out),
    Kind("step_of", (1, 2, 3), step_of),
    Kind("state_after", (2, 3), state_after),
]
