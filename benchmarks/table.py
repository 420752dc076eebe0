"""Figures of a benchmark: ours beside a baseline of the same run, their ratio, and the goal."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Row:
    """One figure; `ratio` is baseline over ours, so that more is better. `goal` is a limit on ours."""

    figure: str
    unit: str
    ours: float
    baseline: float
    goal: float | None = None

    @property
    def ratio(self) -> float:
        return round(self.baseline / self.ours, 2) if self.ours else 0.0

    @property
    def met(self) -> bool | None:
        return None if self.goal is None else self.ours <= self.goal


def show(rows: list[Row]) -> None:
    """Print the rows: a table, or with --json the form that `grader bench` has."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    if parser.parse_args().json:
        found = [{**asdict(row), "ratio": row.ratio, "met": row.met} for row in rows]
        json.dump({"rows": found}, sys.stdout, indent=2)
        print()
        return
    print(f"{'figure':58} {'ours':>9} {'baseline':>9} {'ratio':>6}  goal")
    for row in rows:
        goal = "" if row.goal is None else f"{'met' if row.met else 'MISSED'} ({row.goal:g})"
        print(
            f"{row.figure + ', ' + row.unit:58} {row.ours:9.3g} {row.baseline:9.3g} {row.ratio:6.2f}  {goal}"
        )


def median_seconds(work: Callable[[], object], times: int) -> float:
    """The median time that a piece of work takes, after one run that does not count."""
    work()
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)
