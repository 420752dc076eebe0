"""What the reader of the alarms sees, compared with what was sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from grader.capstone.click_load import Window
from grader.capstone.pipeline_process import Batch
from grader.latency.latency_sketch import Latencies


@dataclass(frozen=True)
class Alarm:
    """One record of the topic: its key, page, start of the window and when it was written (milliseconds)."""

    key: str
    page: str
    start: int
    clicks: int
    written: int

    @classmethod
    def of(cls, key: bytes | None, value: bytes, written: int) -> Alarm:
        reported = json.loads(value)
        start = round(datetime.fromisoformat(reported["start"].replace("Z", "+00:00")).timestamp())
        name = "" if key is None else key.decode()
        return cls(name, reported["page"], start * 1000, reported["clicks"], written)

    @property
    def window(self) -> Window:
        return self.page, self.start


@dataclass(frozen=True)
class Outcome:
    """A run: alarms in the order of the topic, the truth, the batches, and when nothing ran.

    - `counts`: the clicks that were sent, by page and window
    - `crossed`: when a page went over the limit
    - `outages`: each from a kill to the next start, in milliseconds since 1970
    """

    alarms: list[Alarm]
    counts: Mapping[Window, int]
    crossed: Mapping[Window, int]
    batches: list[Batch]
    sent: int
    outages: list[tuple[int, int]]

    def reported(self) -> dict[Window, int]:
        """By page and window the newest count, because a reader keeps the newest record of each key."""
        newest = {alarm.key: alarm for alarm in self.alarms}
        return {alarm.window: alarm.clicks for alarm in newest.values()}

    def expected(self) -> dict[Window, int]:
        """By page and window the clicks that were sent, if they are over the limit."""
        return {window: self.counts[window] for window in self.crossed}

    def differences(self) -> list[str]:
        """In words, where the alarms differ from what was sent; empty if all agree."""
        reported, expected = self.reported(), self.expected()
        return [
            f"{page}, {clock(start)}: {expected.get((page, start), 'not over the limit')} sent, "
            f"{reported.get((page, start), 'nothing')} told"
            for page, start in sorted(reported.keys() | expected.keys())
            if reported.get((page, start)) != expected.get((page, start))
        ]

    def repeated(self) -> int:
        """How many records repeat an earlier one: the same key, the same count."""
        return len(self.alarms) - len({(alarm.key, alarm.clicks) for alarm in self.alarms})

    def latencies(self, *, undisturbed: bool = True) -> Latencies:
        """From the click over the limit to its alarm in the topic; `undisturbed`: not across a kill."""
        first: dict[Window, int] = {}
        for alarm in self.alarms:
            first.setdefault(alarm.window, alarm.written)
        spans = [
            (self.crossed[window], first[window]) for window in first if window in self.crossed
        ]
        return Latencies(
            written - made
            for made, written in spans
            if not (undisturbed and any(made < up and written > down for down, up in self.outages))
        )

    def text(self) -> str:
        """A few lines for people."""
        wrong = self.differences()
        lines = [
            f"{self.sent:,} clicks sent, {len(self.expected())} times a page was over the limit in a window",
            f"{len(self.alarms)} records in the topic of alarms, for {len(self.reported())} pages and windows; "
            f"{self.repeated()} of them only repeat what another one said",
            "what is told is what was sent" if not wrong else "differs: " + "; ".join(wrong[:5]),
        ]
        found = self.latencies()
        if found.count:
            earlier = f"; {found.negative} more came before their click (clocks)"
            lines.append(
                f"from the click to the alarm: p50 {found.at(50) / 1000:.1f} s, "
                f"the slowest {found.at(100) / 1000:.1f} s ({found.count} alarms, none across a kill)"
                f"{earlier if found.negative else ''}"
            )
        elif found.negative:
            lines.append(
                "from the click to the alarm: no figure, as the broker's clock is behind this machine's: "
                f"{found.negative} alarms were written before their click was made"
            )
        else:
            lines.append(
                "from the click to the alarm: no figure, as no alarm came outside of a kill"
            )
        if self.batches:
            longest = max(self.batches, key=lambda batch: batch.seconds)
            half = median(batch.seconds for batch in self.batches)
            lines += [
                f"{len(self.batches)} batches, half of them within {half:.1f} s; "
                f"the longest {longest.seconds:.1f} s with {longest.rows:,} records",
                f"at most {max(batch.state for batch in self.batches)} counts in state, "
                f"{sum(batch.late for batch in self.batches)} rows too late",
            ]
        return "\n".join(lines)


def clock(milliseconds: int) -> str:
    """A moment as HH:MM:SS, UTC."""
    seconds = milliseconds // 1000
    return f"{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
