"""How a run that failed is judged: whose failure it is, and the status of its verdict."""

from __future__ import annotations

from dataclasses import replace

from grader.scenario.recording import Failure

# the other kinds (plan, udf, query, machine, syntax) are an error
_STATUS = {
    "not_attempted": "not_attempted",
    "timeout": "timeout",
    "no_query": "failed",
    "already_started": "failed",
    "signature": "failed",
    "schema": "failed",
    "events": "failed",
    "processing_time": "failed",
    "results": "failed",
}
_NO_PYTHON = "Python worker failed to connect back"
_NO_CHECKPOINT = "_LEGACY_ERROR_TEMP_1298"  # Spark 4.2: a query was started without a checkpoint


def status_of(failure: Failure) -> str:
    """The status of the verdict on a run that failed."""
    return _STATUS.get(failure.kind, "error")


def is_the_machines(failure: Failure) -> bool:
    """Whether a run ended without a fault of the answer: on an idle machine the same answer passes."""
    return _NO_PYTHON in failure.message + failure.detail


def in_a_check(failure: Failure) -> Failure:
    """A failure as a check takes it: a failure of the machine has its own kind.

    If a query has no checkpoint, the answer itself has started it, because the check sets the checkpoint.
    """
    if is_the_machines(failure):
        return replace(failure, kind="machine")
    if failure.condition == _NO_CHECKPOINT:
        return replace(failure, kind="already_started", call="")
    return failure
