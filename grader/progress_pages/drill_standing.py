"""What was drilled, topic by topic: how hard the questions are, what is mastered, what is due again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from html import escape
from typing import Any

HARDEST = 3  # the highest level of questions
Standing = Mapping[str, Any]  # of one topic, as the progress file has it


@dataclass(frozen=True)
class Drilled:
    """One topic. `due` says when a mastered topic comes back; None while it is not mastered."""

    topic: str
    answered: int
    right: int
    level: int
    run: int
    due: datetime | None = None

    def mark(self, now: datetime | None = None) -> str:
        return "·" if self.due is None else "↻" if self.is_due(now) else "✓"

    def is_due(self, now: datetime | None = None) -> bool:
        return self.due is not None and self.due <= (now or datetime.now(timezone.utc))

    def summary(self, now: datetime | None = None) -> str:
        counted = f"{self.right} of {self.answered} right"
        if self.due is None:
            return f"level {self.level} of {HARDEST}, {self.run} right in a row, {counted}"
        if self.is_due(now):
            return f"mastered, and due again, {counted}"
        return f"mastered, comes back on {self.due.day} {self.due:%B}, {counted}"


def drilled_text(drills: Sequence[Drilled]) -> list[str]:
    """Lines for a terminal; none if nothing was drilled."""
    lines = [f"    {drilled.mark()} {drilled.topic}: {drilled.summary()}" for drilled in drills]
    return ["Drill", *lines] if lines else []


def drilled_html(drills: Sequence[Drilled]) -> list[str]:
    if not drills:
        return []
    rows = [
        f'<tr><td class="ss-mark">{drilled.mark()}</td><td>{escape(drilled.topic)} '
        f'<span class="ss-soft">{escape(drilled.summary())}</span></td></tr>'
        for drilled in drills
    ]
    return ["<h3>Drill</h3><table>", *rows, "</table>"]


def due(standing: Standing) -> datetime:
    return datetime.fromisoformat(standing["card"]["due"])


def drills_of(kept: Mapping[str, Standing]) -> list[Drilled]:
    """The standings by topic, to be shown."""
    return [
        Drilled(
            topic,
            standing["answered"],
            standing["right"],
            standing["level"],
            standing["run"],
            due(standing) if standing["mastered"] else None,
        )
        for topic, standing in kept.items()
    ]
