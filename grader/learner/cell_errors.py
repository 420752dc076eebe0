"""Spark's errors in a learner's own cells: first in plain words, with the original below."""

from __future__ import annotations

import pickle
from types import TracebackType
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException, StreamingQueryException

from grader.feedback.display import Display, ipython_shell
from grader.judging.wording.failure_text import failure_text
from grader.judging.wording.spark_errors import spark_error_of
from grader.replay.failures import failure_of


def translate_errors() -> None:
    """In a notebook, print a translation before the known errors of Spark.

    The traceback follows as it always does, so that nothing is hidden. Elsewhere this does nothing.
    """
    shell = ipython_shell()
    if shell is not None:
        shell.set_custom_exc((PySparkException, Py4JJavaError, pickle.PicklingError), _show)


def _show(
    shell: Any,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType,
    tb_offset: int | None = None,
) -> None:
    started = isinstance(error, StreamingQueryException)
    failure = failure_of(error, phase="query" if started else "plan")
    failure.own_writer = True
    if spark_error_of(failure) is not None:
        Display().text(failure_text(failure))
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
