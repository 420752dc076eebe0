"""The event-time axis: a piecewise straight line that folds long empty stretches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from itertools import pairwise

# a stretch without anything is folded if it takes more than this share of the whole range
FOLD_SHARE = 0.25
FOLD_WIDTH = 0.05
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_FIRST, _LAST = -62_135_596_800e6, 253_402_300_799e6  # the years 1 and 9999
_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400]


@dataclass(frozen=True)
class Axis:
    """Maps event time (microseconds since 1970) to 0…1. `folds` are the stretches left out."""

    times: list[float]
    places: list[float]
    folds: list[tuple[float, float]]

    def place(self, time: float) -> float:
        """Where a time is on the axis; times outside the range are at its ends."""
        time = min(max(time, self.times[0]), self.times[-1])
        right = min(max(bisect_right(self.times, time), 1), len(self.times) - 1)
        a, b = self.times[right - 1], self.times[right]
        share = (time - a) / (b - a) if b > a else 0.0
        return self.places[right - 1] + share * (self.places[right] - self.places[right - 1])

    def ticks(self, most: int = 9) -> list[tuple[float, str]]:
        """Round times and their labels, at most about `most`, none inside a fold."""
        pieces = list(pairwise(self.times))
        open_ = [(a, b) for a, b in pieces if (a, b) not in self.folds]
        seconds = sum(b - a for a, b in open_) / 1e6
        step = next(
            (s for s in _STEPS if seconds / s <= most), 86400 * max(1, int(seconds / 86400 / most))
        )
        kept: list[float] = []
        for a, b in open_:
            time = -(-a // (step * 1e6)) * step * 1e6
            alone = True  # the first one after a fold says where the axis continues
            while time <= b:
                if not kept or alone or self.place(time) - self.place(kept[-1]) > 0.6 / most:
                    kept.append(time)
                    alone = False
                time += step * 1e6
        return _labelled(list(dict.fromkeys(kept)), step)


def make_axis(times: Iterable[float]) -> Axis:
    """An axis over all of `times`, with a little room at both ends; one without ticks if there are none."""
    known = sorted(set(times))
    if not known:
        return Axis([0.0, 1e6], [0.0, 1.0], [(0.0, 1e6)])
    if len(known) == 1:
        known = [known[0] - 5e6, known[0] + 5e6]
    whole = known[-1] - known[0]
    gaps = [(a, b) for a, b in pairwise(known) if b - a > FOLD_SHARE * whole]
    # folding pays only if something is left to spread out
    folds = gaps if len(known) > 3 else []
    room = (whole - sum(b - a for a, b in folds)) * 0.03 or whole * 0.03
    stops = [known[0] - room, *[t for fold in folds for t in fold], known[-1] + room]
    widths = []
    shown = sum(b - a for a, b in pairwise(stops) if (a, b) not in folds)
    for a, b in pairwise(stops):
        share = (b - a) / shown * (1 - FOLD_WIDTH * len(folds)) if shown else 0.0
        widths.append(FOLD_WIDTH if (a, b) in folds else share)
    places = [0.0]
    for width in widths:
        places.append(places[-1] + width)
    return Axis(stops, places, folds)


def _labelled(times: list[float], step: float) -> list[tuple[float, str]]:
    """Times of day; if there are several days, the first time of each day has its date."""
    clock = "%H:%M" if step >= 60 else "%H:%M:%S"
    days = [moment_at(time).date() for time in times]
    return [
        (
            time,
            moment_at(time).strftime(f"%m-%d {clock}" if first and len(set(days)) > 1 else clock),
        )
        for number, time in enumerate(times)
        for first in [number == 0 or days[number] != days[number - 1]]
    ]


def moment_at(time: float) -> datetime:
    """Microseconds since 1970 as a moment, or the nearest one that Python's calendar has."""
    return _EPOCH + timedelta(microseconds=max(_FIRST, min(time, _LAST)))
