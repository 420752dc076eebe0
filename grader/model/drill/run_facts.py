"""What can be asked of a run: each reads its answer off the recording or the events' fates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from grader.judging.instants import clock
from grader.judging.wording.value_text import row_text
from grader.model import Played
from grader.model.drill import answer_explanations
from grader.model.drill.amounts import amount, minutes
from grader.model.drill.question import Ask
from grader.model.drill.situation import Rule, Situation, with_delay
from grader.model.fates import in_the_end
from grader.model.timestamps import Window, as_json

Why = Callable[[Situation, Played], str]
MOST_MINUTES = 30  # of delays that are tried


def watermark_after(step: int) -> Ask:
    return Ask(
        f"Where does the watermark stand after step {step}?",
        lambda situation, rule: rule(situation).recording.watermark_after(step) or "",
        lambda answer: clock(answer) if answer else "nowhere yet",
        lambda situation, played: answer_explanations.watermark(situation, played, step),
    )


def dropped(situation: Situation) -> Ask:
    return Ask(
        "Which of these events are dropped as late?",
        lambda asked, rule: dropped_by(rule(asked)),
        lambda answer: names(situation, answer) or "none of them",
        answer_explanations.dropped,
    )


def dropped_by(played: Played) -> tuple[int, ...]:
    """The events that were late and went into nothing."""
    ends = in_the_end(played.fates)
    return tuple(sorted(number for number, end in ends.items() if end == "dropped"))


def events_out(situation: Situation, step: int, why: Why) -> Ask:
    return Ask(
        f"Which events of step {step} are emitted?",
        lambda asked, rule: _out(rule(asked), set(asked.numbers(step))),
        lambda answer: names(situation, answer) or "none of them",
        why,
    )


def _out(played: Played, of_step: set[int]) -> tuple[int, ...]:
    return tuple(sorted({f.event for f in played.fates if f.what == "out"} & of_step))


def names(situation: Situation, numbers: tuple[int, ...]) -> str:
    return ", ".join(situation.name(number) for number in numbers)


def rows_out(step: int, why: Why) -> Ask:
    return Ask(
        f"Which rows are emitted in step {step}?",
        lambda situation, rule: rows_of(rule(situation), step),
        lambda answer: "\n".join(answer) or "no row",
        why,
    )


def rows_of(played: Played, step: int) -> tuple[str, ...]:
    return tuple(
        sorted(row_text(row) for batch in played.recording.of_step(step) for row in batch.rows)
    )


def step_of(window: Window, why: Why) -> Ask:
    """In which step a window's row is emitted."""
    bounds = {"start": as_json(window.start), "end": as_json(window.end)}
    name = f"{clock(bounds['start'])}–{clock(bounds['end'])}"
    return Ask(
        f"In which step is the row of {name} emitted?",
        lambda situation, rule: _step(rule(situation), bounds),
        lambda answer: f"in step {answer}" if answer else "in none of these steps",
        why,
    )


def _step(played: Played, bounds: dict[str, str]) -> int:
    batches = played.recording.batches
    return next((b.step for b in batches for row in b.rows if row.get("window") == bounds), 0)


def state_after(step: int, why: Why, what: str = "row", where: str = "in state") -> Ask:
    return Ask(
        f"How many {what}s are {where} after step {step}?",
        lambda situation, rule: rule(situation).recording.state_after(step),
        lambda answer: amount(answer, what),
        why,
    )


def smallest_delay(situation: Situation, number: int) -> Ask:
    """The smallest delay in whole minutes with which an event is counted."""
    return Ask(
        f"What is the smallest delay, in whole minutes, with which {situation.name(number)} is counted?",
        lambda asked, rule: _smallest(asked, rule, number),
        minutes,
        lambda asked, played: answer_explanations.smallest_delay(asked, played, number),
    )


def _smallest(situation: Situation, rule: Rule, number: int) -> int | None:
    for delay in range(MOST_MINUTES):
        query = with_delay(situation.query, minutes(delay))
        if number not in dropped_by(rule(replace(situation, query=query))):
            return delay
    return None


def differs_at(right: Played, other: Played) -> int | None:
    """The first step in which two plays emit different rows."""
    steps = range(1, right.recording.steps + 1)
    return next((s for s in steps if rows_of(right, s) != rows_of(other, s)), None)
