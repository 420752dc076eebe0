"""One turn of a knob in grader.explore, against asking Spark the same, warm; both to the words of what it did.

Ours ends when Chromium has laid out and painted the new picture.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from table import Row, parser, show

from grader.authoring.lesson_source import read_lessons
from grader.authoring.proof import open_bench
from grader.feedback.lens.svg import draw
from grader.model.explorer.board import Board
from grader.model.explorer.spark_query import on_spark
from grader.model.query import Query
from grader.model.query_reader import query_of
from grader.scenario import Exercise, Scenario

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ("03.0", "04.0", "05.0", "06.0", "07.0", "08.0")
SECONDS = 0.1  # a picture that follows the hand
WALK = 40  # turns one after the other


Example = tuple[Exercise, Scenario, Query]


@cache
def examples() -> list[Example]:
    parts = {s.exercise.id: s for x in read_lessons(ROOT / "solutions") for s in x.parts}
    found = [parts[id] for id in EXAMPLES]
    return [(s.exercise, s.public, query_of(s.solution.function, s.exercise)) for s in found]


def turns(example: Example) -> Iterator[tuple[Board, str, str]]:
    """Each choice of each knob of an example as it is, and then a walk from turn to turn."""
    for knob in Board.of(*example).knobs:
        for value in knob.choices:
            yield Board.of(*example), knob.name, value
    board, chance = Board.of(*example), Random(1)
    for _ in range(WALK):
        knob = chance.choice(board.knobs)  # as they are now: what is offered depends on the others
        yield board, knob.name, chance.choice(knob.choices)


def redrawn(example: Example, shown_in: Any, driver: Any) -> list[float]:
    """Seconds of every turn that can be played."""
    taken = []
    for board, knob, value in turns(example):
        began = time.monotonic()
        try:
            board.turn(knob, value)
        except ValueError:
            continue  # refused by Spark, and told so
        picture = draw(board.scene())
        taken.append(time.monotonic() - began + shown_in(driver, picture))
    return taken


def main() -> None:
    sys.path.append(str(ROOT / "tests"))
    from browser.jupyterlab import browser  # the tests' own Chromium
    from lens import BLANK, shown_in

    arguments = parser(times=3).parse_args()
    with browser() as driver:
        driver.get(BLANK)
        taken = [t for example in examples() for t in redrawn(example, shown_in, driver)]
    asked = []
    with open_bench() as bench:
        for _, scenario, query in examples() * arguments.times:
            began = time.monotonic()
            on_spark(bench.spark, bench.kafka, query, scenario)
            asked.append(time.monotonic() - began)
    worst = statistics.quantiles(taken, n=100)[94]
    show(
        [
            Row(
                "a turn of a knob, median", "s", statistics.median(taken), statistics.median(asked)
            ),
            Row("the same, 95 of 100 within", "s", worst, statistics.median(asked), SECONDS),
        ],
        arguments,
    )


if __name__ == "__main__":
    main()
