"""The criterion `state`: a run keeps no more rows than needed, and why one keeps more."""

from __future__ import annotations

from collections import defaultdict

from grader.judging.finding import Finding, Judgement, failed, finding, passed
from grader.judging.play import Play
from grader.judging.watermark_gap import (
    gap_after,
    is_earlier,
    is_set_after_state,
    never_has_one,
)
from grader.scenario.recording import Recording


def state(play: Play) -> Judgement:
    steps = range(1, play.run.steps + 1)
    wanted = [play.expected.state_after(number) for number in steps]
    got = [play.run.state_after(number) for number in steps]
    each = _rows_a_key(play, wanted, got)
    left, enough = (int(each * rows) for rows in (wanted[-1], max(wanted)))
    if got[-1] > left:
        return failed("state", "state_left", kept=got, left=left, why=_why_kept(play, len(got)))
    if max(got) > 2 * enough:
        why = _why_kept(play, got.index(max(got)) + 1)
        return failed("state", "state_grows", kept=got, enough=enough, why=why)
    return passed("state", "state_bounded", kept=got, processors=_of_processors(play))


def _of_processors(play: Play) -> bool:
    """Whether only processors keep state, because their variables may hold anything."""
    names = {operator.name for batch in play.run.batches for operator in batch.operators}
    return bool(names) and all(name.startswith("transformWithState") for name in names)


def _rows_a_key(play: Play, wanted: list[int], got: list[int]) -> float:
    """How many rows an answer keeps for what is one row in the solution, 1 or more.

    A processor has as many variables as its author likes. A value or a list is 1 row per key; a map is
    1 row per entry. The steps up to the first in which the solution evicts something show the number.
    """
    if not _of_processors(play):
        return 1.0
    each = 1.0
    for before, rows, kept in zip([0, *wanted], wanted, got, strict=False):
        if rows < before:
            break
        each = max(each, kept / rows if rows else 1.0)
    return each


def _why_kept(play: Play, number: int) -> Finding:
    """Why the run keeps more after a step than the solution."""
    if never_has_one(play.run) and not never_has_one(play.expected):
        columns = play.run.plan.watermarks
        return finding(f"watermark_not_{'moved' if columns else 'set'}", columns=columns)
    if is_set_after_state(play):
        return finding("watermark_after_state")
    gap = gap_after(play, number)
    if gap is not None and is_earlier(gap.got, gap.expected):
        return finding("late_watermark", gap=gap)
    kept, enough = _kept_by(play.run, number), _kept_by(play.expected, number)
    more = {name: sum(rows) - sum(enough.get(name, [])) for name, rows in kept.items()}
    name = max(more, key=lambda name: more[name])
    count, needed = (sum(map(len, by_name.values())) for by_name in (kept, enough))
    if len(kept[name]) > len(enough.get(name, [])) and count > needed:
        return finding("more_operators", count=count, needed=needed)
    return finding("operator", name=name)


def _kept_by(recording: Recording, number: int) -> dict[str, list[int]]:
    """The stateful operators as they were when a step was over: by name the rows that each kept."""
    run = [batch for batch in recording.batches if batch.step <= number]
    found: dict[str, list[int]] = defaultdict(list)
    for operator in run[-1].operators if run else []:
        found[operator.name].append(operator.rows_total)
    return found
