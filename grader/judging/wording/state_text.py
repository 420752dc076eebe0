"""Why rows are kept, in words, and what evicts them."""

from __future__ import annotations

from collections.abc import Iterable

from grader.judging.finding import Finding
from grader.judging.wording.sentences import words_of
from grader.judging.wording.watermark_text import gap_text, no_watermark_text


def series(kept: Iterable[int]) -> str:
    return ", ".join(map(str, kept))


def why_kept(why: Finding) -> tuple[str, str]:
    """Why a run keeps more than the solution, and what to do about it."""
    fields = dict(why.fields)
    if why.kind == "operator":
        evictions = words_of("eviction")
        known = (words for start, words in evictions.items() if fields["name"].startswith(start))
        words = next(known, evictions["other"])
    else:
        words = words_of(f"kept.{why.kind}")
    fields["gap"] = gap_text(fields.get("gap"))
    fields["no_watermark"] = no_watermark_text(fields.get("columns", ()))
    return words["why"].format(**fields), words["fix"]
