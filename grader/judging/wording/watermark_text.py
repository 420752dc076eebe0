"""A watermark that is not the expected one, and the late rows that it drops, in words."""

from __future__ import annotations

from collections.abc import Sequence

from grader.judging.finding import Finding
from grader.judging.instants import clock
from grader.judging.play import Play
from grader.judging.watermark_gap import WatermarkGap
from grader.judging.wording.sentences import sentence
from grader.judging.wording.value_text import names_text, rows_text


def gap_text(gap: WatermarkGap | None, *, blamed: bool = True) -> str:
    """Where the watermark is after a step, beside where it should be; empty where there is no gap.

    A gap that is not blamed is only seen: the delay may be the expected one, as a filter before the
    watermark, or another clock, moves it as well.
    """
    if gap is None:
        return ""
    if gap.never:
        return no_watermark_text(gap.columns)
    kind = "other" if gap.other_columns or not blamed else "wrong"
    kind = "not_yet" if gap.got is None else "none_expected" if gap.expected is None else kind
    got, expected = (clock(time, days=gap.days) for time in (gap.got, gap.expected))
    return sentence(f"watermark.{kind}", step=gap.step, got=got, expected=expected)


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
    """How many rows a step dropped as late, where the solution did otherwise."""
    if step is None:
        return ""
    got, expected = (
        rows_text(count) if count else "nothing"
        for count in (play.run.dropped_in(step), play.expected.dropped_in(step))
    )
    return sentence("watermark.drops", step=step, got=got, expected=expected)
