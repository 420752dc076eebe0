"""Looking at a query of the learner's own, to say why it shows nothing."""

from __future__ import annotations

from typing import Any

from pyspark.sql.streaming.query import StreamingQuery

from grader.learner import notebook_lab
from grader.live_query import Reason, reason_of
from grader.live_query.observer import observe


def why(query: Any) -> Reason:
    """The causes why `query` has emitted nothing, or no more: the strongest, with the others in it.

    Raises TypeError if it is not a streaming query; no other error is raised for a query.
    """
    if not isinstance(query, StreamingQuery):
        raise TypeError(
            f"grader.why() takes a started query (what .start() returned), not a {type(query).__name__}."
        )
    return reason_of(observe(query, notebook_lab.start().spark))
