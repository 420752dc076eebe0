"""Looking at a query of the learner's own, to say why it shows nothing."""

from __future__ import annotations

from typing import Any

from pyspark.sql.streaming.query import StreamingQuery

from grader.learner import notebook_lab
from grader.live_query import Reason, reason_of
from grader.live_query.observer import observe


def why(query: Any) -> Reason:
    """The cause why `query` has given out nothing, or no more; TypeError if it is no streaming query."""
    if not isinstance(query, StreamingQuery):
        raise TypeError(
            f"grader.why() takes a started query (what .start() returned), not a {type(query).__name__}."
        )
    running = notebook_lab.start()
    return reason_of(observe(query, running.spark, running.kafka))
