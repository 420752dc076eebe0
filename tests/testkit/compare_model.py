"""The model held against real Spark on queries and events made at random.

python -m testkit.compare_model --examples 100 --seed 1
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf

from grader.authoring.play_store import play_pool
from grader.authoring.proof import Bench, open_bench
from grader.judging.wording.failure_text import failure_in_short
from grader.model import NotModelled, Refused, run
from grader.model.agreement import differences
from grader.model.explorer.spark_query import on_spark
from testkit.random_queries import KINDS, Case, cases, kind_of


@dataclass(frozen=True)
class Compared:
    """One case: `outcome` is equal, refused (by both), different, not modelled or left out."""

    case: Case
    outcome: str
    why: str = ""


def main(arguments: list[str]) -> int:
    """Print what differs and how many were equal; the exit code is 0 if nothing differs."""
    parser = argparse.ArgumentParser(prog="python -m testkit.compare_model")
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=["all", *KINDS], default="all")
    parser.add_argument("--seconds", type=float, default=inf, help="begin no case after so long")
    parser.add_argument("--only", type=int, help="the number of one case, counted from 0")
    chosen = parser.parse_args(arguments)
    made = list(enumerate(cases(chosen.examples, chosen.seed, chosen.kind)))
    if chosen.only is not None:
        made = [made[chosen.only]]
    outcomes: Counter[str] = Counter()
    by_kind: dict[str, Counter[str]] = {}
    with open_bench() as bench:
        until = time.monotonic() + chosen.seconds
        compared = compare(bench, [case for _, case in made], until)
        for (number, _), one in zip(made, compared, strict=True):
            outcomes[one.outcome] += 1
            by_kind.setdefault(kind_of(one.case.query), Counter())[one.outcome] += 1
            if one.outcome == "different":
                print(f"== case {number} of seed {chosen.seed}\n{told(one)}\n", flush=True)
    for kind, found in sorted(by_kind.items()):
        print(f"{kind}: {_counted(found)}")
    print(_counted(outcomes))
    return int("different" in outcomes)


def _counted(outcomes: Counter[str]) -> str:
    return ", ".join(f"{outcomes[name]} {name}" for name in sorted(outcomes))


def compare(bench: Bench, made: Iterable[Case], until: float = inf) -> Iterator[Compared]:
    """Play each case by the model and by Spark, some at a time; none is begun after `until`."""
    with play_pool() as pool:
        yield from pool.map(lambda case: compare_one(bench, case, until), made)


def compare_one(bench: Bench, case: Case, until: float = inf) -> Compared:
    if time.monotonic() > until:
        return Compared(case, "left out")
    try:
        ours = run(case.query, case.scenario)
    except NotModelled as error:
        return Compared(case, "not modelled", str(error))
    except Refused as error:
        ours, why = None, str(error)
    theirs = on_spark(bench.spark, bench.kafka, case.query, case.scenario)
    if ours is None:
        refused = theirs.failure is not None
        return Compared(case, "refused" if refused else "different", f"the model refuses: {why}")
    if theirs.failure is not None:
        return Compared(case, "different", f"Spark fails: {failure_in_short(theirs.failure)[:500]}")
    found = differences(ours, theirs)
    return Compared(case, "different" if found else "equal", "\n".join(found[:2]))


def told(one: Compared) -> str:
    """A case that differs, to be looked into."""
    lines = [str(line) for line in one.case.scenario.to_lines()]
    return "\n".join([str(one.case.query), *lines, one.why])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
