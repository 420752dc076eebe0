"""Wrong ideas of Structured Streaming: each says what it takes for true, and plays a situation so."""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.model.drill import wrong_rules, wrong_runs
from grader.model.drill.situation import Rule
from grader.model.drill.wrong_runs import by, in_mode, of, operator


@dataclass(frozen=True)
class Idea:
    """`when` completes "the idea that …", `fix` says how it is; `plays` is the idea at work."""

    name: str
    when: str
    fix: str
    plays: Rule


def pick(ideas: list[Idea], *names: str) -> list[Idea]:
    """Those of these names, in this order."""
    known = {idea.name: idea for idea in ideas}
    return [known[name] for name in names]


WATERMARK = [
    Idea(
        "no_delay",
        "the watermark is the newest event time itself",
        "The delay is taken off it: for so long late events are waited for.",
        wrong_runs.without_delay,
    ),
    Idea(
        "moves_with_each_event",
        "the watermark moves with each event",
        "It moves when a batch is over: all events of a step meet the watermark that the step began with.",
        wrong_runs.every_event_by_itself,
    ),
    Idea(
        "own_step_counts",
        "the newest event of a step makes the others of the same step late",
        "It moves the watermark for the next step. Those of its own step meet the one before.",
        wrong_runs.newest_first,
    ),
    Idea(
        "last_event",
        "the watermark follows the event that came last",
        "It follows the newest event time, in whatever order the events come.",
        operator(wrong_rules.LastEventCounts),
    ),
    Idea(
        "goes_back",
        "each step makes the watermark anew",
        "It never goes back: a step of old events leaves it where it was.",
        by(wrong_rules.GoesBack),
    ),
    Idea(
        "nothing_late",
        "no event is ever too late",
        "What belongs to nothing but what the watermark has closed is dropped.",
        by(wrong_rules.NothingIsLate),
    ),
    Idea(
        "beyond",
        "the watermark must go beyond a time to pass it",
        "It is enough that it comes to it: what is or ends at the watermark is over.",
        by(wrong_rules.PassedOnlyBeyond),
    ),
]
ROWS_NEVER_LATE = Idea(
    "rows_never_late",
    "no row is ever too late",
    "A row whose time is not after the watermark is dropped.",
    by(wrong_rules.NothingIsLate),
)
LATE_IS_DROPPED = Idea(
    "behind_is_late",
    "every event behind the watermark is dropped",
    "An event is dropped when what it belongs to is closed, be it behind the watermark or not.",
    wrong_runs.late_is_dropped,
)
CLAIMS_LATE = [
    replace(
        LATE_IS_DROPPED,
        name="claim_behind_is_late",
        fix="It is dropped when the time that it claims, the gap from its own time on, is over.",
    ),
    replace(
        pick(WATERMARK, "nothing_late")[0],
        name="no_claim_is_late",
        fix="It is, when the time that it claims, the gap from its own time on, is over: be a session open there or not.",
    ),
]
NEXT_STEP = Idea(
    "closes_in_the_next_step",
    "what the watermark passes is closed with the next step's events",
    "When the watermark has moved, a batch without events closes what it has passed, in the same step.",
    by(wrong_rules.ClosesInTheNextStep),
)
TWO_STREAMS = [
    Idea(
        "faster_sets_it",
        "the faster stream sets the watermark",
        "By the policy min it is the slower one, so that its events are waited for.",
        wrong_runs.by_the_other_policy,
    ),
    Idea(
        "silent_remembered",
        "a stream without events stands where it stood",
        "A new run has forgotten where it stood: a stream that is silent in it counts as standing at 1970.",
        by(wrong_rules.RemembersSilentStreams),
    ),
]
SLOWER_SETS_IT = Idea(
    "slower_sets_it",
    "the slower stream sets the watermark",
    "That is the policy min. By the policy max it is the faster one.",
    wrong_runs.by_the_other_policy,
)
WINDOWS = [
    Idea(
        "end_belongs",
        "a window holds its end",
        "It holds its start and goes up to its end, without it.",
        operator(wrong_rules.WindowsHoldTheirEnd),
    ),
    Idea(
        "from_the_first_event",
        "the first window begins at the first event",
        "Windows stand still: they begin at multiples of their slide, whatever comes.",
        wrong_runs.from_the_first_event,
    ),
]
ONE_WINDOW = Idea(
    "one_window",
    "an event counts in one window alone",
    "It counts in every window that slides over it.",
    operator(wrong_rules.OneWindowAnEvent),
)
CHAIN = [
    Idea(
        "second_drops",
        "the second window drops what the first gives out behind the watermark",
        "The batch that closes windows still drops by the watermark of the batch before: it loses none.",
        by(wrong_rules.OneWatermarkABatch),
    ),
    Idea(
        "counts_rows",
        "the second aggregation counts the rows that it gets",
        "It adds up what the rows of the first one say.",
        of(wrong_runs.rows_for_values),
    ),
]
MODES = {
    "append": Idea(
        "as_append",
        "the query runs in append mode",
        "Append mode gives out a window once, when it is closed.",
        in_mode("append"),
    ),
    "update": Idea(
        "as_update",
        "the query runs in update mode",
        "Update mode gives out each window that a batch has changed, and no other.",
        in_mode("update"),
    ),
    "complete": Idea(
        "as_complete",
        "the query runs in complete mode",
        "Complete mode gives out all windows in every batch, and forgets and drops none.",
        in_mode("complete"),
    ),
}
JOINS = [
    Idea(
        "same_step",
        "rows meet only those of their own step",
        "Each side is kept in state, and meets what comes on the other side in later steps.",
        operator(wrong_rules.JoinsOneStep),
    ),
    Idea(
        "no_interval",
        "the key alone decides",
        "The time must lie in the interval as well, and the interval says how long a row waits.",
        of(wrong_runs.without_interval),
    ),
    Idea(
        "both_ways",
        "the interval reaches back as far as it reaches ahead",
        "It begins where the condition says: at the time of the left row.",
        of(wrong_runs.before_as_well_as_after),
    ),
    Idea(
        "open_interval",
        "the ends of the interval do not belong to it",
        "`BETWEEN` holds both its ends.",
        of(wrong_runs.without_its_bounds),
    ),
    Idea(
        "own_time",
        "a row waits until the watermark has passed its own time",
        "It waits as long as the interval lets a partner come.",
        operator(wrong_rules.WaitsForItsOwnTime),
    ),
]
OUTER = [
    Idea(
        "nulls_at_once",
        "a row without a partner comes out with nulls in its own step",
        "It waits until the watermark shows that no partner can come any more.",
        operator(wrong_rules.NullsAtOnce),
    ),
    Idea(
        "as_inner",
        "rows without a partner do not come out",
        "A left outer join gives them out with nulls once their waiting is over.",
        of(wrong_runs.inner),
    ),
]
DUPLICATES = [
    Idea(
        "for_ever",
        "ids are remembered for ever",
        "Within the watermark an id is forgotten when the watermark has come to its first event's time plus the delay.",
        of(wrong_runs.remembered_for_ever),
    ),
    Idea(
        "until_its_time",
        "an id is forgotten when the watermark has come to its time",
        "It is kept for the delay beyond that.",
        operator(wrong_rules.ForgetsAtItsTime),
    ),
    Idea(
        "renewed",
        "a duplicate keeps its id alive for another delay",
        "The first event of an id alone says how long it is kept.",
        operator(wrong_rules.DuplicatesRenew),
    ),
    Idea(
        "of_one_step",
        "duplicates are found within one step alone",
        "The ids are in state, and are known in later steps.",
        operator(wrong_rules.RemembersNoStep),
    ),
]
SESSIONS = [
    Idea(
        "gap_from_the_first",
        "a session lasts the gap from its first event on",
        "Each event of it begins the gap anew.",
        operator(wrong_rules.GapFromTheFirst),
    ),
    Idea(
        "ends_at_its_last",
        "a session ends at its last event",
        "It ends the gap after its last event.",
        operator(wrong_rules.EndsAtItsLastEvent),
    ),
    Idea(
        "stay_apart",
        "sessions that have begun stay apart",
        "An event that touches two of them makes one of both.",
        operator(wrong_rules.SessionsStayApart),
    ),
    Idea(
        "touching_is_apart",
        "an event at the very end of a session begins another",
        "It still belongs to it: sessions that touch are one.",
        operator(wrong_rules.GapMustBeShorter),
    ),
]
