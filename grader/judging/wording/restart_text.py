"""What is said of an answer that differs after a kill."""

from __future__ import annotations

from grader.judging.row_causes import Change
from grader.judging.wording.difference_text import SHOWN, change_text, counts_text
from grader.judging.wording.message import About, Texts, message

_KEEP = (
    "Keep it in Spark's state, or in a source of your own in its offsets: both go back together."
)
# what a difference means, and what helps: see restart.py
_MEANINGS = {
    "twice": (
        "The batch that was not committed is run again, and its rows reached the sink twice.",
        "Before you write, look into the topic for what an earlier run of the batch has written.",
    ),
    "counted_twice": (
        "This happens where a batch that runs again finds itself counted already: what is kept outside "
        "the checkpoint does not go back with it.",
        _KEEP,
    ),
    "lost": ("What was counted before the kill is gone: the checkpoint does not hold it.", _KEEP),
    "outside": ("What a query keeps outside its checkpoint does not go back with it.", _KEEP),
}


def _restart_wrong(_: About, changes: list[Change], means: str) -> str:
    happened = (
        "You were asked for an answer that survives a kill. After one between sink and commit, and a "
        f"restart from the checkpoint, it differs: {counts_text(changes)}"
    )
    details = [f"{change.kind}: {change_text(change)}" for change in changes[:SHOWN]]
    said, do = _MEANINGS[means]
    return message(happened, details=details, means=said, do=do)


def _first_play_left_something(_: About, step: int, changes: list[Change]) -> str:
    happened = (
        "The check played your answer twice on the same events, each time with new topics and a new "
        f"checkpoint. The first time step {step} was right; the second time, before any kill, "
        f"it differs: {counts_text(changes)}"
    )
    return message(
        happened,
        means="Something that the first play left behind, such as a file, was still there in the second.",
        do="Keep what must last in the checkpoint or in the topic that you write: they belong to one run.",
    )


RESTART_TEXTS: Texts = {
    "restart_wrong": _restart_wrong,
    "first_play_left_something": _first_play_left_something,
}
