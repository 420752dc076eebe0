"""What is said of a watermark that is not the expected one, and of the late rows that it drops."""

from __future__ import annotations

from collections.abc import Sequence

from grader.judging.finding import Finding
from grader.judging.instants import clock
from grader.judging.play import Play
from grader.judging.watermark_gap import WatermarkGap
from grader.judging.wording.value_text import names_text, rows_text

BEFORE_STATE = "Call withWatermark before the operator that keeps state."
COVER = "Read again what the delay has to cover, and set that."


def gap_text(gap: WatermarkGap | None, *, blamed: bool = True) -> str:
    """Where the watermark is after a step, beside where it should be; empty where there is no gap.

    A gap that is not blamed is only seen: the delay may be the expected one, as a filter before the
    watermark, or another clock, moves it as well.
    """
    if gap is None:
        return ""
    if gap.never:
        return no_watermark_text(gap.columns)
    got, expected = (clock(time, days=gap.days) for time in (gap.got, gap.expected))
    if gap.got is None:
        return (
            f"After step {gap.step} your query has no watermark yet; it should stand at {expected}."
        )
    stands = f"After step {gap.step} the watermark of your query stands at {got}"
    if gap.expected is None:
        return f"{stands}; the solution has none."
    if gap.other_columns or not blamed:
        return f"{stands}, the solution's at {expected}."
    return f"{stands}; it should stand at {expected}."


def no_watermark_text(columns: Sequence[str]) -> str:
    """Why a run never had a watermark: none is set, or no row has moved what is set."""
    if not columns:
        return "Your query has no watermark."
    if len(columns) == 1:
        return (
            f"Your query sets a watermark on `{columns[0]}`, and never had one: a row with a time has to reach it, "
            "in each stream that sets one. Is there a filter in front, or a window that comes out as null?"
        )
    return (
        f"Your query sets watermarks on {names_text(columns)}, and never had one: it is the earliest of "
        "theirs, and no row with a time has reached at least one of them."
    )


def why_dropped_text(why: Finding | None) -> str:
    """Why a step dropped late rows and should not have, or the other way round; empty if not known."""
    if why is None:
        return ""
    if why.kind == "watermark_gap":
        return gap_text(why.fields["gap"])
    return (
        f"Your query sets a watermark on {names_text(why.fields['columns'])} alone. What comes without one on its "
        "way is never too late."
    )


def drops_text(play: Play, step: int | None) -> str:
    """How many rows a step dropped as late, where the solution did otherwise."""
    if step is None:
        return ""
    got, expected = (
        rows_text(count) if count else "nothing"
        for count in (play.run.dropped_in(step), play.expected.dropped_in(step))
    )
    return f"In step {step} your query dropped {got} as late, the solution {expected}."
