"""Finds the smallest change of an exercise's events on which a survivor and the solution differ.

python -m grader.authoring.event_search 03.2

Every idea adds, changes or removes one event. The model tries the ideas one by one, in milliseconds,
and Spark confirms the one that the model proposes. What the model cannot play, Spark plays: first all
events that could be added, at once. If the survivor then fails, Spark halves them until one is left.
The other ideas it plays singly.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

from grader.authoring.answer import SourceError
from grader.authoring.event_edits import Idea, changed, diff_lines, ideas_of
from grader.authoring.lesson_source import ExerciseSource, read_lessons
from grader.authoring.model_player import ByModel, NotPlayed, is_whole, played_part
from grader.authoring.mutants.explanations import read_explanations
from grader.authoring.mutants.mutant_check import Case, Check, MutantProof
from grader.authoring.mutants.mutant_generator import Mutant, mutants_of
from grader.authoring.play_store import KeptPlays, open_plays, side_by_side
from grader.authoring.proof import Expected, Player, expected_of, play_and_judge
from grader.scenario import Scenario

PLAYS = 80


def smallest(ideas: list[Idea], parts: Callable[[list[Idea]], bool]) -> list[Idea]:
    """Ideas on which the two still differ, halved as often as possible; `ideas` as a whole do."""
    while len(ideas) > 1:
        half = len(ideas) // 2
        if parts(ideas[:half]):
            ideas = ideas[:half]
        elif parts(ideas[half:]):
            ideas = ideas[half:]
        else:
            return _without_spares(ideas, parts)
    return ideas


def _without_spares(ideas: list[Idea], parts: Callable[[list[Idea]], bool]) -> list[Idea]:
    """No half alone is enough: leave out, in shrinking blocks, what is not needed."""
    block = len(ideas) // 2
    while block:
        place = 0
        while place < len(ideas):
            rest = ideas[:place] + ideas[place + block :]
            if rest and parts(rest):
                ideas = rest
            else:
                place += block
        block //= 2
    return ideas


class OutOfPlays(Exception):
    """The bound on plays is reached."""


class Table:
    """Solution and survivors side by side on changed events, with a bound on the plays."""

    def __init__(self, player: Player, source: ExerciseSource, most: float):
        self.player, self.source, self.left = player, source, most
        self._expected: dict[str, tuple[ExerciseSource, Expected]] = {}

    def parts(self, mutant: Mutant, ideas: list[Idea]) -> bool:
        """Whether the check fails the survivor on events with these changes; raises OutOfPlays."""
        source, expected = self._on(changed(self.source.public, ideas))
        self._spend()
        answer = source.answer_of(mutant.text)
        verdict, _ = play_and_judge(self.player, source, answer, expected, hidden=False)
        return not verdict.passed

    def _on(self, scenario: Scenario) -> tuple[ExerciseSource, Expected]:
        mark = json.dumps(scenario.to_lines())
        if mark not in self._expected:
            self._spend()
            source = replace(self.source)
            vars(source)["public"] = scenario
            expected = expected_of(self.player, source, hidden=False)
            self._expected[mark] = (source, expected)
        return self._expected[mark]

    def _spend(self) -> None:
        if self.left <= 0:
            raise OutOfPlays
        self.left -= 1


class Forecast:
    """The same by the model, without a bound: what it says about a survivor, or None."""

    def __init__(self, source: ExerciseSource):
        self._table = Table(ByModel(), played_part(source), inf)

    def parts(self, mutant: Mutant, ideas: list[Idea]) -> bool | None:
        try:
            return self._table.parts(mutant, ideas)
        except (NotPlayed, SourceError):
            return None

    def proposed(
        self, mutant: Mutant, ideas: list[Idea], known: Iterable[list[Idea]]
    ) -> list[Idea] | None:
        """What should expose a survivor: the change that exposed another one, one idea, or several additions."""
        for some in (*known, *([idea] for idea in ideas)):
            if self.parts(mutant, some):
                return some
        added = [i for i in ideas if i.adds and self.parts(mutant, [i]) is not None]
        if not added or not self.parts(mutant, added):
            return None
        return smallest(added, lambda some: bool(self.parts(mutant, some)))


@dataclass
class Search:
    """The search for one exercise: The dict `found` has, by the survivor's id, the change that exposes it."""

    source: ExerciseSource
    spark: Table
    forecast: Forecast
    found: dict[str, list[Idea]]
    notify: Callable[[str], None]

    def of(self, mutant: Mutant, ideas: list[Idea]) -> list[Idea] | None:
        """The smallest change found for one survivor; raises OutOfPlays."""
        proposed = self.forecast.proposed(mutant, ideas, self.found.values())
        if proposed:
            if self.spark.parts(mutant, proposed):
                return proposed
            self.notify(f"a fault of the model: Spark parts nothing by {proposed}")
        if proposed is None and is_whole(self.source):
            # what the model has played with the same result need not be played again
            ideas = [idea for idea in ideas if self.forecast.parts(mutant, [idea]) is None]
        return self._by_spark(mutant, ideas) if ideas else None

    def _by_spark(self, mutant: Mutant, ideas: list[Idea]) -> list[Idea] | None:
        def parts(some: list[Idea]) -> bool:
            return self.spark.parts(mutant, some)

        known = next((some for some in self.found.values() if parts(some)), None)
        if known:
            return known
        added = [idea for idea in ideas if idea.adds]
        if added and parts(added):
            return smallest(added, parts)
        return next(([idea] for idea in ideas if not idea.adds and parts([idea])), None)


def sharpen(
    plays: KeptPlays,
    source: ExerciseSource,
    survivors: list[Mutant],
    most: int = PLAYS,
    notify: Callable[[str], None] = lambda text: None,
) -> dict[str, list[Idea]]:
    """The smallest change found for each survivor, by its id; survivors that no change exposes are left out.

    `most` bounds the plays on Spark.
    """
    search = Search(source, Table(plays, source, most), Forecast(source), {}, notify)
    ideas = ideas_of(source.public, source.cells[-1])
    try:
        for number, mutant in enumerate(survivors, start=1):
            left = search.spark.left
            notify(f"{number} of {len(survivors)}: {mutant.change} ({left} plays left)")
            found = search.of(mutant, ideas)
            if found:
                search.found[mutant.id] = found
    except OutOfPlays:
        notify(f"{most} plays are used up; --plays N allows for more")
    return search.found


def survivors_of(
    plays: KeptPlays, source: ExerciseSource, notify: Callable[[str], None] = lambda text: None
) -> list[Mutant]:
    """The mutants that pass and are not explained; those that fail by the model are not played."""
    forecast = Forecast(source)
    mutants = mutants_of(source)
    left = [mutant for mutant in mutants if not forecast.parts(mutant, [])]
    notify(
        f"{len(mutants) - len(left)} of {len(mutants)} mutants fail by the model; Spark plays {len(left)}"
    )
    case = Case.prepare(plays, Check(source, expected_of(plays, source, hidden=False)))
    outcomes = side_by_side(plays, case.play, left)
    return MutantProof(source.exercise.id, outcomes, read_explanations(source.folder)).survivors


def main(words: list[str]) -> int:
    """Look for events; the exit code is 0 if every survivor is exposed."""
    parser = argparse.ArgumentParser(
        prog="python -m grader.authoring.event_search", description=__doc__
    )
    parser.add_argument("id", metavar="ID", help="an exercise, such as 03.2")
    parser.add_argument(
        "--plays", dest="most", type=int, default=PLAYS, help=f"at most (default {PLAYS})"
    )
    arguments = parser.parse_args(words)
    source = _source(arguments.id)

    def notify(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    with open_plays() as plays:
        survivors = survivors_of(plays, source, notify)
        found = sharpen(plays, source, survivors, arguments.most, notify)
    for mutant in survivors:
        print(f"line {mutant.line}: {mutant.change}")
        for line in diff_lines(source.public, found.get(mutant.id, [])) or ["  nothing parts them"]:
            print("  " + line.strip())
    return 0 if len(found) == len(survivors) else 1


def _source(id: str) -> ExerciseSource:
    for lesson in read_lessons(Path("solutions")):
        for source in lesson.exercises:
            if source.exercise.id == id:
                return source
    raise SourceError(f"there is no exercise {id} in solutions/.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
