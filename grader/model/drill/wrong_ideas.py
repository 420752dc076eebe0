"""Wrong ideas of Structured Streaming: each says what it assumes, and plays a situation accordingly."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.model.drill import wrong_rules, wrong_runs
from grader.model.drill.situation import Rule
from grader.model.drill.wrong_runs import by, in_mode, of, operator
from grader.toml_file import read_toml

_TEXTS = read_toml(Path(__file__).with_name("wrong_ideas.toml"))


@dataclass(frozen=True)
class Idea:
    """`when` completes "the idea that …", `fix` says how it is; `plays` is the idea at work."""

    name: str
    when: str
    fix: str
    plays: Rule


def _idea(name: str, plays: Rule) -> Idea:
    return Idea(name, _TEXTS[name]["when"], _TEXTS[name]["fix"], plays)


def pick(ideas: list[Idea], *names: str) -> list[Idea]:
    """Those of these names, in this order."""
    known = {idea.name: idea for idea in ideas}
    return [known[name] for name in names]


WATERMARK = [
    _idea("no_delay", wrong_runs.without_delay),
    _idea("moves_with_each_event", wrong_runs.every_event_by_itself),
    _idea("own_step_counts", wrong_runs.newest_first),
    _idea("last_event", operator(wrong_rules.LastEventCounts)),
    _idea("goes_back", by(wrong_rules.GoesBack)),
    _idea("nothing_late", by(wrong_rules.NothingIsLate)),
    _idea("beyond", by(wrong_rules.PassedOnlyBeyond)),
]
ROWS_NEVER_LATE = _idea("rows_never_late", by(wrong_rules.NothingIsLate))
LATE_IS_DROPPED = _idea("behind_is_late", wrong_runs.late_is_dropped)
CLAIMS_LATE = [
    _idea("claim_behind_is_late", wrong_runs.late_is_dropped),
    _idea("no_claim_is_late", by(wrong_rules.NothingIsLate)),
]
NEXT_STEP = _idea("closes_in_the_next_step", by(wrong_rules.ClosesInTheNextStep))
TWO_STREAMS = [
    _idea("faster_sets_it", wrong_runs.by_the_other_policy),
    _idea("silent_remembered", by(wrong_rules.RemembersSilentStreams)),
]
SLOWER_SETS_IT = _idea("slower_sets_it", wrong_runs.by_the_other_policy)
WINDOWS = [
    _idea("end_belongs", operator(wrong_rules.WindowsHoldTheirEnd)),
    _idea("from_the_first_event", wrong_runs.from_the_first_event),
]
ONE_WINDOW = _idea("one_window", operator(wrong_rules.OneWindowAnEvent))
CHAIN = [
    _idea("second_drops", by(wrong_rules.OneWatermarkABatch)),
    _idea("counts_rows", of(wrong_runs.rows_for_values)),
]
MODES = {
    "append": _idea("as_append", in_mode("append")),
    "update": _idea("as_update", in_mode("update")),
    "complete": _idea("as_complete", in_mode("complete")),
}
JOINS = [
    _idea("same_step", operator(wrong_rules.JoinsOneStep)),
    _idea("no_interval", of(wrong_runs.without_interval)),
    _idea("both_ways", of(wrong_runs.before_as_well_as_after)),
    _idea("open_interval", of(wrong_runs.without_its_bounds)),
    _idea("own_time", operator(wrong_rules.WaitsForItsOwnTime)),
]
OUTER = [
    _idea("nulls_at_once", operator(wrong_rules.NullsAtOnce)),
    _idea("as_inner", of(wrong_runs.inner)),
]
DUPLICATES = [
    _idea("for_ever", of(wrong_runs.remembered_for_ever)),
    _idea("until_its_time", operator(wrong_rules.ForgetsAtItsTime)),
    _idea("renewed", operator(wrong_rules.DuplicatesRenew)),
    _idea("of_one_step", operator(wrong_rules.RemembersNoStep)),
]
SESSIONS = [
    _idea("gap_from_the_first", operator(wrong_rules.GapFromTheFirst)),
    _idea("ends_at_its_last", operator(wrong_rules.EndsAtItsLastEvent)),
    _idea("stay_apart", operator(wrong_rules.SessionsStayApart)),
    _idea("touching_is_apart", operator(wrong_rules.GapMustBeShorter)),
]
