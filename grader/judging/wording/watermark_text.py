"""A watermark that is not the expected one, and the late rows that it drops, in words."""

from __future__ import annotations

from collections.abc import Sequence

from grader.judging.finding import Finding
from grader.judging.instants import clock
from grader.judging.play import Play
from grader.judging.watermark_gap import WatermarkGap
from grader.judging.wording.sentences import sentence
from grader.judging.wording.value_text import duration_text, names_text, rows_text


def gap_text(gap: WatermarkGap | None, *, blamed: bool = True) -> str:
    """The watermark after a step and the expected one; empty if there is no gap.

    A gap that is not blamed is only reported. The delay may be the expected one, because a filter before
    the watermark, or a different clock, moves it as well.
    """
    if gap is None:
        return ""
    if gap.never:
        return no_watermark_text(gap.columns)
    kind = "other" if gap.other_columns or not blamed else "wrong"
    kind = "not_yet" if gap.got is None else "none_expected" if gap.expected is None else kind
    got, expected = (clock(time, days=gap.days) for time in (gap.got, gap.expected))
    text = sentence(f"watermark.{kind}", step=gap.step, got=got, expected=expected)
    return f"{text} {_shift_text(gap.shift)}" if kind == "wrong" and gap.shift else text


def _shift_text(shift: int) -> str:
    """What makes a watermark earlier or later by the same time after every step, as a question."""
    return sentence(
        f"watermark.{'earlier' if shift < 0 else 'later'}", shift=duration_text(abs(shift))
    )


def no_watermark_text(columns: Sequence[str]) -> str:
    """Why a run never had a watermark: none is set, or no row has moved what is set."""
    kind = ("not_set", "not_moved")[len(columns)] if len(columns) < 2 else "not_all_moved"
    return sentence(f"watermark.{kind}", columns=names_text(columns))


def why_dropped_text(why: Finding | None) -> str:
    """Why a step dropped late rows and should not have, or the other way round; empty if not known."""
    if why is None:
        return ""
    if why.kind == "watermark_gap":
        return gap_text(why.fields["gap"])
    return sentence("watermark.not_on_all", columns=names_text(why.fields["columns"]))


def drops_text(play: Play, step: int | None) -> str:
    """How many rows a step dropped as late, if the solution dropped a different number."""
    if step is None:
        return ""
    got, expected = (
        rows_text(count) if count else "nothing"
        for count in (play.run.dropped_in(step), play.expected.dropped_in(step))
    )
    return sentence("watermark.drops", step=step, got=got, expected=expected)
