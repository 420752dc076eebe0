"""A call of a learner's function in the session of a play."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from grader.replay.deadline import Deadline
from grader.replay.endless_wait import WaitsForEver, no_endless_wait
from grader.replay.failures import Stop, failure_of, is_wrong_call
from grader.replay.function_snapshot import Answer
from grader.replay.time_limit import TimeLimit, time_limit
from grader.runtime.spark_internals.session_internals import active
from grader.scenario.recording import Failure


def call_answer(
    answer: Answer, arguments: list[Any], session: SparkSession, deadline: Deadline, step: int
) -> Any:
    """What the function returns; raises Stop if it fails, starts a query or runs out of time."""
    with active(session):
        try:
            with time_limit(deadline.remaining(step), session), no_endless_wait():
                result = answer(*arguments)
        except WaitsForEver as waits:
            for query in waits.queries:
                query.stop()
            raise Stop(_already_started(step, waits.call)) from waits
        except (Exception, SystemExit) as error:
            phase = "signature" if is_wrong_call(error) else "plan"
            raise Stop(failure_of(error, phase=phase, step=step)) from error
        except TimeLimit as error:
            if session.streams.active:  # it waits for its own query
                raise Stop(_already_started(step)) from error
            raise Stop(deadline.missed(step)) from error
        started = isinstance(result, StreamingQuery)
        if started:
            result.stop()
        if started or session.streams.active:  # the clean-up stops those
            raise Stop(_already_started(step))
        return result


def _already_started(step: int, call: str = "") -> Failure:
    """A function that starts a query; `call` is what it waits with for an end that never comes."""
    return Failure("already_started", step=step, call=call)
