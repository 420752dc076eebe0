"""Figures of a benchmark: ours beside a baseline of the same run if there is one, their ratio, and the goal."""

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
    """One figure; `ratio` is baseline over ours, so that more is better.

    The goal is either a limit on ours (`goal`) or one on the ratio (`goal_ratio`).
    """

    figure: str
    unit: str
    ours: float
    baseline: float | None = None
    goal: float | None = None
    goal_ratio: float | None = None

    @property
    def ratio(self) -> float | None:
        if self.baseline is None:
            return None
        return round(self.baseline / self.ours, 2) if self.ours else 0.0

    @property
    def met(self) -> bool | None:
        if self.goal_ratio is not None and self.ratio is not None:
            return self.ratio >= self.goal_ratio
        return None if self.goal is None else self.ours <= self.goal

    def to_dict(self) -> dict[str, object]:
        """The row as `grader bench --json` gives it; a goal on the ratio is told as one on ours."""
        row = asdict(self)
        limit = row.pop("goal_ratio")
        if limit is not None and self.baseline is not None:
            row["goal"] = round(self.baseline / limit, 3)
        return {**row, "ratio": self.ratio, "met": self.met}


def parser(**numbers: int) -> argparse.ArgumentParser:
    """The arguments of a benchmark: --json, and whole numbers with their defaults."""
    made = argparse.ArgumentParser()
    made.add_argument("--json", action="store_true", help="rows as JSON")
    for name, default in numbers.items():
        made.add_argument(f"--{name}", type=int, default=default, metavar="N")
    return made


def show(rows: list[Row], arguments: argparse.Namespace | None = None) -> None:
    """Print the rows: a table, or with --json the form that `grader bench` has."""
    if (arguments or parser().parse_args()).json:
        json.dump({"rows": [row.to_dict() for row in rows]}, sys.stdout, indent=2)
        print()
        return
    print(f"{'figure':66} {'ours':>9} {'baseline':>9} {'ratio':>6}  goal")
    for row in rows:
        limit = row.to_dict()["goal"]
        goal = "" if limit is None else f"{'met' if row.met else 'MISSED'} ({limit:.3g})"
        beside = " " * 16 if row.baseline is None else f"{row.baseline:9.3g} {row.ratio:6.2f}"
        print(f"{row.figure + ', ' + row.unit:66} {row.ours:9.3g} {beside}  {goal}")


def progress(text: str) -> None:
    """Say to a person who waits how far it is."""
    print(text, file=sys.stderr, flush=True)


def median_seconds(work: Callable[[], object], times: int) -> float:
    """The median time that a piece of work takes, after one run that does not count."""
    work()
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)
