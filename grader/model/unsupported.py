"""The errors for a query that the model does not play."""

from __future__ import annotations


class NotModelled(Exception):
    """The query, or an event, needs what this model does not know: it never guesses."""


class Refused(Exception):
    """Spark itself refuses such a query, at its start or for what its function does: it says why."""
