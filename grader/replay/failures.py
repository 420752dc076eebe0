"""Exceptions of Python, Spark and the JVM as a Failure that a judge can read."""

from __future__ import annotations

import re
import sysconfig
import traceback
from pathlib import Path

from pyspark.errors import AnalysisException

from grader.scenario.recording import Failure

_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_]+(?:\.[A-Z0-9_]+)*)\]")
# these wrap the exception that matters
_WRAPPERS = {"STREAM_FAILED", "FAILED_EXECUTE_UDF", "FOREACH_BATCH_USER_FUNCTION_ERROR"}
# a job that was aborted: the exception of the task that failed first says why
_FAILED_TASK = re.compile(r"most recent failure: .*?[\w.$]+(?:Exception|Error): (.+)")
_NO_REASON = ("at ", "Driver stacktrace", "Job aborted")
_WAITED = "Exception thrown in awaitResult"  # says only that a result was waited for
_DETAIL = 8000
_PACKAGE = str(Path(__file__).parents[1])
_LIBRARIES = (_PACKAGE, sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"))


class Stop(BaseException):
    """A replay that ends early, with its reason; not an Exception, so that `except Exception` does not catch it."""

    def __init__(self, failure: Failure):
        super().__init__(failure.kind)
        self.failure = failure


def is_wrong_call(error: BaseException) -> bool:
    """Whether a function was called with arguments that it does not take: none of its lines ran."""
    trace = error.__traceback__
    return isinstance(error, TypeError) and trace is not None and trace.tb_next is None


def failure_of(error: BaseException, *, phase: str, step: int | None = None) -> Failure:
    """Say why a run ended. `phase` is plan (the function was building the query) or query."""
    if isinstance(error, NotImplementedError):
        return Failure("not_attempted", step=step)
    text = _text_of(error)
    condition = _condition(error, text)
    found = _python_traceback(text)
    if found is not None:
        frames, raised = found
        # a call of Java within the function: py4j's own first line names but an object's number
        first = _sentence(raised) if raised.startswith("py4j.") else raised.splitlines()[0]
        detail = f"{frames}\n{raised}"
        return Failure("udf", first, condition, step, detail[:_DETAIL])
    if type(error).__module__.startswith(("pyspark", "py4j")):
        first, detail = _sentence(text), text
    else:
        first = f"{type(error).__name__}: {text.splitlines()[0] if text else ''}"
        detail = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    line, call = _own_line(error)
    return Failure(phase, first, condition, step, detail[:_DETAIL], line, call)


def _text_of(error: BaseException) -> str:
    """What an exception says; if that is nothing, what its last cause says."""
    if _WAITED in str(error):
        while isinstance(cause := getattr(error, "_cause", None), Exception):
            error = cause
    return str(error)


def _own_line(error: BaseException) -> tuple[str, str]:
    """The last line outside of all libraries that an exception came through, and Spark's method called there."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [n for n, frame in enumerate(frames) if not frame.filename.startswith(_LIBRARIES)]
    if not own:
        return "", ""
    inner = frames[own[-1] + 1] if own[-1] + 1 < len(frames) else None
    named = (
        inner is not None and "pyspark" in inner.filename and not inner.name.startswith(("_", "w"))
    )
    return frames[own[-1]].line or "", f"{inner.name}()" if inner is not None and named else ""


def _python_traceback(text: str) -> tuple[str, str] | None:
    """The last Python traceback in a JVM message, of a worker or a foreachBatch function.

    Its frames, and from the exception's name on what it says.
    """
    start = text.rfind("Traceback (most recent call last)")
    if start < 0:
        return None
    kept: list[str] = []
    for line in text[start:].splitlines():
        if re.match(r"\s*(at |\.\.\. \d+ more|=== |Driver stacktrace|Caused by)", line):
            break
        kept.append(line)
    lines = [line for line in kept if line.strip() and not line.strip().startswith("SQLSTATE")]
    raised = next(
        (i for i, line in enumerate(lines) if i and not line[0].isspace()), len(lines) - 1
    )
    return "\n".join(lines[:raised]), "\n".join(lines[raised:])


def _condition(error: BaseException, text: str) -> str | None:
    """Spark's condition; an older condition without a name is in no message."""
    found = [c for c in _CONDITION.findall(text) if c not in _WRAPPERS]
    if not found and isinstance(error, AnalysisException):
        return error.getCondition()
    return found[0] if found else None


def _sentence(text: str) -> str:
    """The first line of a Spark message that says something beyond 'the stream failed'."""
    task = _FAILED_TASK.search(text)
    for line in text.splitlines():
        line = re.sub(r"^: [\w.$]+: ", "", line.strip())  # as py4j writes the exception's class
        if "An error occurred while calling" in line:
            continue
        wrapper = any(f"[{name}]" in line for name in _WRAPPERS)
        inner = re.search(r"terminated with (?:exception|error): (.+)", line)
        if inner and not inner.group(1).startswith(("Job aborted", "[STREAM_FAILED]")):
            return inner.group(1)[:600]
        if line and not wrapper:
            return (task[1] if task and line.startswith(_NO_REASON) else line)[:600]
    return text[:600]
