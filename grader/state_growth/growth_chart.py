"""What a batch costs as the keys in state grow, for each store: as a chart and in words."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

from grader.feedback.themes import opened, themed

WIDTH, LEFT, RIGHT = 640, 56, 40
PANEL, GAP, HEAD, FOOT = 132, 46, 58, 40
LAST = 5  # a comparison takes the median of so many batches

# Okabe and Ito's colors; lines and marks differ, too
_LIGHT = """
.ss-growth{font-family:system-ui,sans-serif;font-size:11px;fill:#222}
.ss-growth .soft{fill:#666}.ss-growth .grid{stroke:#8884;stroke-width:1}
.ss-growth .axis{stroke:#888;stroke-width:1}
.ss-growth .line{fill:none;stroke-width:1.8}.ss-growth .mark{stroke-width:1.6}
.ss-growth .a{stroke:#d55e00}.ss-growth .a.mark{fill:#d55e00}
.ss-growth .b{stroke:#0072b2}.ss-growth .b.mark{fill:none}
.ss-growth .end{stroke:#d55e00;stroke-width:1.4;stroke-dasharray:4 3}
"""
_DARK = [
    ("", "fill:#ddd"),
    (" .soft", "fill:#aaa"),
    (" .a", "stroke:#ff8c42"),
    (" .a.mark", "fill:#ff8c42"),
    (" .b", "stroke:#56b4e9"),
    (" .end", "stroke:#ff8c42"),
]


@dataclass(frozen=True)
class Cost:
    """One batch: keys in state after it, its seconds, and those in which the JVM paused.

    `paused` is the sum of the garbage collector's pauses in the batch, `longest` the longest one.
    """

    keys: int
    seconds: float
    paused: float = 0.0
    longest: float = 0.0


@dataclass(frozen=True)
class Growth:
    """The batches of one store, in order, and why they ended early, if they did."""

    store: str
    costs: list[Cost] = field(default_factory=list)
    ended: str = ""

    @property
    def keys(self) -> int:
        return self.costs[-1].keys if self.costs else 0

    @property
    def longest(self) -> float:
        """The longest pause, in seconds."""
        return max((cost.longest for cost in self.costs), default=0.0)

    def batch_at(self, keys: int) -> float:
        """Seconds of a batch by the time that `keys` are in state: the median of the last few."""
        upto = [cost.seconds for cost in self.costs if cost.keys <= keys]
        return statistics.median(upto[-LAST:]) if upto else 0.0


def growth_text(heap: Growth, other: Growth) -> str:
    """The two in words, with ratios if both have come equally far."""
    if not heap.costs or not other.costs:
        none = heap if not heap.costs else other
        return f"{none.store}: no batch was measured ({none.ended or 'it has not said why'})."
    common = min(heap.keys, other.keys)
    lines = [_reached(heap), _reached(other)]
    first, second = heap.batch_at(common), other.batch_at(common)
    batches = min(LAST, *(sum(c.keys <= common for c in growth.costs) for growth in (heap, other)))
    lines.append(
        f"The median of the last {batches} batches up to {common:,} keys is {first:.2f} s on the {heap.store} and "
        f"{second:.2f} s in {other.store}: {first / second:.1f} times as long."
    )
    if other.longest:
        lines.append(
            f"The longest pause was {heap.longest:.2f} s with the {heap.store} and {other.longest:.2f} s "
            f"with {other.store}: {heap.longest / other.longest:.1f} times as long."
        )
    return "\n".join(lines)


def _reached(growth: Growth) -> str:
    return f"{growth.store}: {growth.keys:,} keys" + (
        f", then {growth.ended}" if growth.ended else ""
    )


def draw(heap: Growth, other: Growth, *, alone: bool = False) -> str:
    """An SVG of both: above the time of each batch, below the pauses in it, over the keys in state.

    `alone` makes a picture for a file, which follows the reader's theme.
    """
    growths = [heap, other]
    height = HEAD + 2 * PANEL + GAP + FOOT
    most_keys = _round_up(max(growth.keys for growth in growths))
    said, sheet = growth_text(heap, other).replace("\n", " "), themed("ss-growth", _LIGHT, _DARK)
    return "\n".join(
        [
            opened("ss-growth", WIDTH, height, said, sheet, alone=alone),
            *_names(growths),
            *_panel(growths, "seconds a batch takes", HEAD, most_keys, lambda cost: cost.seconds),
            *_panel(
                growths,
                "seconds of it that Java stood still, to collect garbage",
                HEAD + PANEL + GAP,
                most_keys,
                lambda cost: cost.paused,
            ),
            *_keys(most_keys, height),
            *_end(heap, most_keys),
            "</svg>",
        ]
    )


def _names(growths: Sequence[Growth]) -> list[str]:
    parts = []
    for place, growth in enumerate(growths):
        x = LEFT + 150 * place
        parts.append(f'<line class="line {_kind(place)}" x1="{x}" x2="{x + 24}" y1="14" y2="14"/>')
        parts.append(_mark(place, x + 12, 14))
        parts.append(f'<text x="{x + 30}" y="18">{escape(growth.store)}</text>')
    return parts


def _panel(
    growths: Sequence[Growth],
    title: str,
    top: float,
    most_keys: float,
    figure: Callable[[Cost], float],
) -> list[str]:
    """One chart: its title, its lines of reference and a line for each store."""
    most = _round_up(max(figure(cost) for growth in growths for cost in growth.costs) or 0.1)
    parts = [f'<text x="{LEFT}" y="{top - 10}" class="soft">{title}</text>']
    for step in range(5):
        value, y = most * step / 4, top + PANEL * (1 - step / 4)
        kind = "grid" if step else "axis"
        parts.append(
            f'<line class="{kind}" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:g}" y2="{y:g}"/>'
        )
        parts.append(
            f'<text x="{LEFT - 6}" y="{y + 4:g}" text-anchor="end" class="soft">{value:g}</text>'
        )
    for place, growth in enumerate(growths):
        points = [
            (_x(cost.keys, most_keys), top + PANEL * (1 - figure(cost) / most))
            for cost in growth.costs
        ]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline class="line {_kind(place)}" points="{line}"/>')
        parts += [_mark(place, x, y) for x, y in points]
    return parts


def _keys(most_keys: float, height: float) -> list[str]:
    y = height - FOOT + 16
    parts = [
        f'<text x="{_x(most_keys * step / 4, most_keys):g}" y="{y:g}" text-anchor="middle" class="soft">'
        f"{most_keys * step / 4:,.0f}</text>"
        for step in range(5)
    ]
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        f'<text x="{middle:g}" y="{y + 16:g}" text-anchor="middle" class="soft">keys in state</text>'
    )
    return parts


def _end(heap: Growth, most_keys: float) -> list[str]:
    """Where the run with the HDFS-backed state store stopped."""
    if not heap.ended or not heap.costs:
        return []
    x = _x(heap.keys, most_keys)
    anchor = "end" if x > WIDTH / 2 else "start"
    said = escape(f"{heap.store}: {heap.ended}")
    return [
        f'<line class="end" x1="{x:.1f}" x2="{x:.1f}" y1="{HEAD - 4}" y2="{HEAD + 2 * PANEL + GAP}"/>',
        f'<text x="{x + (-4 if anchor == "end" else 4):.1f}" y="{HEAD - 26}" text-anchor="{anchor}">{said}</text>',
    ]


def _mark(place: int, x: float, y: float) -> str:
    """A disc for the first store, a square that is open for the other."""
    if place == 0:
        return f'<circle class="mark a" cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>'
    return f'<rect class="mark b" x="{x - 2.6:.1f}" y="{y - 2.6:.1f}" width="5.2" height="5.2"/>'


def _kind(place: int) -> str:
    return "ab"[place]


def _x(keys: float, most_keys: float) -> float:
    return LEFT + (WIDTH - RIGHT - LEFT) * keys / most_keys


def _round_up(most: float) -> float:
    """The next of these digits at its power of ten: a quarter of each is short to write."""
    if most <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(most))
    return float(
        next(
            power * digit
            for digit in (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10)
            if most <= power * digit
        )
    )
