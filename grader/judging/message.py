"""The one form of every message: what you asked for and what happened, what it means, what to try."""

from __future__ import annotations

from collections.abc import Iterable

MEANS, DO, ORIGINAL = LABELS = ("It means", "Try", "Original message")


def told(
    happened: str,
    *,
    details: Iterable[str] = (),
    means: str = "",
    do: str = "",
    original: str = "",
) -> str:
    """A message of several lines. `happened` says what was asked for, too; empty parts are left out.

    `original` holds the words of Spark, Kafka or Python; they stand underneath.
    """
    lines = [happened, *details]
    lines += [f"{MEANS}: {means}"] if means else []
    lines += [f"{DO}: {do}"] if do else []
    lines += [f"{ORIGINAL}: {original}"] if original else []
    return "\n".join(lines)
