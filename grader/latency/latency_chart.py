"""Latencies of the same query under several settings: percentiles as a chart and in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from grader.feedback.themes import opened, themed

WIDTH, LEFT, RIGHT, ROW, HEAD, FOOT = 680, 170, 54, 34, 44, 38
PERCENTS = (50, 95, 99)

# Okabe and Ito's colors; the marks differ, too
_LIGHT = """
.ss-latency{font-family:system-ui,sans-serif;font-size:11px;fill:#222}
.ss-latency .soft{fill:#666}.ss-latency .grid{stroke:#8884;stroke-width:1}
.ss-latency .span{stroke:#8888;stroke-width:2}
.ss-latency .p50{fill:#009e73}.ss-latency .p95{fill:#0072b2}.ss-latency .p99{fill:#d55e00}
"""
_DARK = [
    ("", "fill:#ddd"),
    (" .soft", "fill:#aaa"),
    (" .p50", "fill:#2fcf9f"),
    (" .p95", "fill:#56b4e9"),
    (" .p99", "fill:#ff8c42"),
]


@dataclass(frozen=True)
class Percentiles:
    """What one run showed, in milliseconds; `count` records, `negative` ones that are in no percentile."""

    name: str
    p50: float
    p95: float
    p99: float
    count: int
    negative: int = 0

    def at(self, percent: int) -> float:
        return float(getattr(self, f"p{percent}"))


def latency_text(found: Sequence[Percentiles]) -> str:
    """One line per run; what the last one saved compared with the first, if there are two or more."""
    lines = []
    for run in found:
        figures = ", ".join(f"p{percent} {_milliseconds(run.at(percent))}" for percent in PERCENTS)
        odd = f", {run.negative} before they were made (clocks differ)" if run.negative else ""
        lines.append(f"{run.name}: {figures}, of {run.count:,} records{odd}")
    if len(found) > 1:
        first, last = found[0], found[-1]
        saved = ", ".join(
            f"p{percent} {reduction(first.at(percent), last.at(percent)):.0f} %"
            for percent in PERCENTS
        )
        lines.append(f"{last.name} against {first.name}, less by: {saved}")
    return "\n".join(lines)


def reduction(before: float, after: float) -> float:
    """By how many percent a latency has become less; below 0 if it has become more."""
    return 100 * (1 - after / before)


def draw(found: Sequence[Percentiles], *, alone: bool = False) -> str:
    """An SVG: a line for each run, from p50 to p99, on a scale where every step is ten times the last.

    `alone` makes a picture for a file, which follows the reader's theme.
    """
    height = HEAD + ROW * len(found) + FOOT
    said, sheet = latency_text(found).replace("\n", "; "), themed("ss-latency", _LIGHT, _DARK)
    low = 10.0 ** math.floor(math.log10(max(1.0, min(run.p50 for run in found))))
    high = 10.0 ** math.ceil(math.log10(max(low * 10, *(run.p99 for run in found))))
    return "\n".join(
        [
            opened("ss-latency", WIDTH, height, said, sheet, alone=alone),
            *_legend(),
            *_scale(low, high, height),
            *(part for place, run in enumerate(found) for part in _row(place, run, low, high)),
            "</svg>",
        ]
    )


def _legend() -> list[str]:
    parts = []
    for place, percent in enumerate(PERCENTS):
        x = LEFT + 165 * place
        said = "half of the records" if percent == 50 else f"{percent} of 100"
        parts += [_mark(percent, x, 14), f'<text x="{x + 10}" y="18">p{percent}: {said}</text>']
    return parts


def _scale(low: float, high: float, height: float) -> list[str]:
    parts, value = [], low
    bottom = height - FOOT
    while value <= high * 1.001:
        x = _x(value, low, high)
        parts += [
            f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{HEAD - 8}" y2="{bottom}"/>',
            f'<text class="soft" x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{_milliseconds(value)}</text>',
        ]
        value *= 10
    parts.append(
        f'<text class="soft" x="{(LEFT + WIDTH - RIGHT) / 2}" y="{bottom + 29}" text-anchor="middle">'
        "from the making of a record to its row in the topic</text>"
    )
    return parts


def _row(place: int, run: Percentiles, low: float, high: float) -> list[str]:
    y = HEAD + ROW * place + ROW / 2
    ends = [_x(run.at(percent), low, high) for percent in PERCENTS]
    return [
        f'<text x="{LEFT - 12}" y="{y + 4:g}" text-anchor="end">{escape(run.name)}</text>',
        f'<line class="span" x1="{ends[0]:.1f}" x2="{ends[-1]:.1f}" y1="{y:g}" y2="{y:g}"/>',
        *[_mark(percent, x, y) for percent, x in zip(PERCENTS, ends, strict=True)],
        f'<text class="soft" x="{ends[-1] + 9:.1f}" y="{y + 4:g}">{_milliseconds(run.p99)}</text>',
    ]


def _mark(percent: int, x: float, y: float) -> str:
    """A disc, a square and a triangle."""
    if percent == 50:
        return f'<circle class="p50" cx="{x:.1f}" cy="{y:g}" r="4.5"/>'
    if percent == 95:
        return f'<rect class="p95" x="{x - 4:.1f}" y="{y - 4:g}" width="8" height="8"/>'
    points = f"{x - 5:.1f},{y + 4:g} {x + 5:.1f},{y + 4:g} {x:.1f},{y - 5:g}"
    return f'<polygon class="p99" points="{points}"/>'


def _x(value: float, low: float, high: float) -> float:
    share = math.log(max(value, low) / low) / math.log(high / low)
    return LEFT + (WIDTH - RIGHT - LEFT) * share


def _milliseconds(value: float) -> str:
    return f"{value / 1000:.3g} s" if value >= 1000 else f"{value:.3g} ms"
