"""A question read again by its own words: what a run answers to it, found without grader.model.drill."""

import re
from typing import Any

from grader.judging.instants import clock
from grader.judging.wording.value_text import row_text
from grader.model import Played
from grader.scenario import Event


def answer_in(text: str, played: Played, events: list[Event]) -> str:
    """The answer to the question `text` that a run gives, written as a choice is."""
    recording = played.recording
    step = int(found[1]) if (found := re.search(r"step (\d+)", text)) else 0
    if text.startswith("Where does the watermark stand after"):
        stands = recording.watermark_after(step)
        return clock(stands) if stands else "nowhere yet"
    if text.startswith("Which rows are emitted in"):
        rows = [row_text(row) for batch in recording.of_step(step) for row in batch.rows]
        return "\n".join(sorted(rows)) or "no row"
    if text.startswith("How many"):
        count, what = recording.state_after(step), text.split()[2]
        return f"{count} {what if count != 1 else what[:-1]}"
    if text.startswith("In which step"):
        return _step_of(re.findall(r"\d\d:\d\d:\d\d", text), played)
    whats = _whats(played, len(events))
    if text == "Which of these events are dropped as late?":
        return _names(events, lambda n: "late" in whats[n] and "kept" not in whats[n])
    assert text.startswith("Which events of step"), text
    return _names(events, lambda n: events[n].step == step and "out" in whats[n])


def _step_of(window: list[str], played: Played) -> str:
    for batch in played.recording.batches:
        for row in batch.rows:
            if [clock(row["window"]["start"]), clock(row["window"]["end"])] == window:
                return f"in step {batch.step}"
    return "in none of these steps"


def _whats(played: Played, count: int) -> list[set[str]]:
    whats: list[set[str]] = [set() for _ in range(count)]
    for fate in played.fates:
        whats[fate.event].add(fate.what)
    return whats


def _names(events: list[Event], meant: Any) -> str:
    return ", ".join(name_of(events, n) for n in range(len(events)) if meant(n)) or "none of them"


def name_of(events: list[Event], number: int) -> str:
    """`a 12:01:00`, and `order A 12:01:00` where there are several streams."""
    event = events[number]
    label, time = event.value.values()
    kind = f"{event.input[:-1]} " if len({e.input for e in events}) > 1 else ""
    return f"{kind}{label} {clock(time)}"
