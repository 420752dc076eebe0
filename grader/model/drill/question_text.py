"""A question in letters: the query, its events along event time, the choices, the answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from grader.feedback.verdict_text import recording_text
from grader.model.drill.question import Choice, Question
from grader.model.drill.run_facts import rows_of
from grader.model.drill.situation import Situation

MARGIN, COLUMNS, TICK = 10, 68, 5  # letters, letters, minutes
MINUTE = timedelta(minutes=1)


def question_text(question: Question) -> str:
    """All that is shown before the answer."""
    code = "\n".join(f"    {line}" for line in question.code.splitlines())
    parts = [code, f"    # {question.setting}", "", picture_text(question.situation)]
    parts += rows_shown(question)
    return "\n".join([*parts, "", question.text, choices_text(question.choices)])


def choices_text(choices: Sequence[Choice]) -> str:
    """The choices with their numbers, from 1 on."""
    return "\n".join(
        f"  {number}) " + choice.text.replace("\n", "\n     ")
        for number, choice in enumerate(choices, start=1)
    )


def answer_text(question: Question, chosen: int) -> str:
    """What is shown after it: what was chosen, how the answer comes about, the whole run."""
    explanation = (
        [question.explanation(chosen), question.why]
        if question.why
        else [question.explanation(chosen)]
    )
    run = recording_text(question.played.recording, question.situation.scenario)
    return "\n".join([*explanation, "", *(f"    {line}" for line in run.splitlines())])


def rows_shown(question: Question) -> list[str]:
    """The output rows by step, if they are part of the question."""
    if not question.shows_rows:
        return []
    played = question.played
    steps = range(1, played.recording.steps + 1)
    return [f"out of step {s}: {'; '.join(rows_of(played, s)) or 'no row'}" for s in steps]


def events_text(situation: Situation) -> list[str]:
    """The events of each step in the order in which they come."""
    steps = range(1, situation.scenario.steps + 1)
    return [
        f"step {s}: {', '.join(map(situation.name, situation.numbers(s))) or 'no event'}"
        for s in steps
    ]


def picture_text(situation: Situation) -> str:
    """Event time from left to right, steps from top to bottom; below, the same in words."""
    times = [situation.time(event) for event in situation.scenario.events]
    start = min(times) - (min(times).minute % TICK) * MINUTE
    minutes = (max(times) - start) // MINUTE + 1
    width = max(1, COLUMNS // minutes)
    lines = [_axis(start, minutes, width)]
    for step in range(1, situation.scenario.steps + 1):
        rows = _rows(situation, step, start, width)
        lines += [
            f"{head:<{MARGIN}}{row}"
            for head, row in zip([f"step {step}", *[""] * len(rows)], rows or [""], strict=False)
        ]
    return "\n".join([*lines, "", *events_text(situation)])


def _axis(start: datetime, minutes: int, width: int) -> str:
    every = next(tick for tick in (TICK, 2 * TICK, 4 * TICK, 12 * TICK) if tick * width > 5)
    line = ""
    for minute in range(0, minutes + 1, every):
        line = line.ljust(minute * width) + f"{start + minute * MINUTE:%H:%M}"
    return " " * MARGIN + line


def _rows(situation: Situation, step: int, start: datetime, width: int) -> list[str]:
    """Labels at their times, in so many lines that no labels overlap."""
    rows: list[str] = []
    for number in situation.numbers(step):
        event = situation.scenario.events[number]
        column = int((situation.time(event) - start) / MINUTE * width)
        label = situation.label(number)
        if len(situation.sources) > 1:
            label = f"{event.input[0]}:{label}"
        place = next((n for n, row in enumerate(rows) if len(row) < column), len(rows))
        if place == len(rows):
            rows.append("")
        rows[place] = rows[place].ljust(column) + label
    return rows
