"""How many of a thing, in words."""

from __future__ import annotations


def amount(count: int, what: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def minutes(count: int) -> str:
    """As a question says it, and as Spark reads it."""
    return amount(count, "minute")
