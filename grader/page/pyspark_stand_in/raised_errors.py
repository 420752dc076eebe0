"""The errors that Spark raises while an answer builds its query, with Spark's own words."""

from __future__ import annotations

from collections.abc import Sequence

_MODULE = "pyspark.errors.exceptions.captured"  # by it, a failure is known as one of Spark


class PySparkException(Exception):
    """An error of Spark; `condition` is its name in Spark's list."""

    def __init__(self, message: str, condition: str = ""):
        super().__init__(message)
        self.condition = condition

    def getCondition(self) -> str | None:
        return self.condition or None

    getErrorClass = getCondition


class AnalysisException(PySparkException):
    """A query that Spark cannot resolve."""


class ParseException(AnalysisException):
    """SQL that Spark cannot read."""


class PySparkValueError(PySparkException, ValueError):
    """A value that PySpark refuses before it asks Spark."""


for _kind in (PySparkException, AnalysisException, ParseException, PySparkValueError):
    _kind.__module__ = _MODULE


def unresolved_column(name: str, known: Sequence[str]) -> AnalysisException:
    """The error for a name that is no column; `known` are the columns that there are."""
    nearest = sorted(known, key=lambda other: _distance(name.lower(), other.lower()))[:5]
    proposal = ", ".join(f"`{other}`" for other in nearest)
    quoted = ".".join(f"`{part}`" for part in name.split("."))
    return AnalysisException(
        "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name "
        f"{quoted} cannot be resolved. Did you mean one of the following? [{proposal}]. "
        "SQLSTATE: 42703",
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
    )


def window_slides_too_far(time: str, duration: int, slide: int, start: int) -> AnalysisException:
    """The error for a window that slides by more than its length; all lengths are in microseconds."""
    return AnalysisException(
        "[DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION] Cannot resolve "
        f'"window({time}, {duration}, {slide}, {start})" due to data type mismatch: The `slide_duration`'
        f"({slide}L) must be <= the `window_duration`({duration}L). SQLSTATE: 42K09",
        "DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION",
    )


def column_as_boolean() -> PySparkValueError:
    """The error for `and`, `or`, `not` and `if` on a column."""
    return PySparkValueError(
        "[CANNOT_CONVERT_COLUMN_INTO_BOOL] Cannot convert column into bool: please use '&' for 'and', "
        "'|' for 'or', '~' for 'not' when building DataFrame boolean expressions.",
        "CANNOT_CONVERT_COLUMN_INTO_BOOL",
    )


def streaming_action() -> AnalysisException:
    """The error for an action such as count() on a stream."""
    return AnalysisException(
        "Queries with streaming sources must be executed with writeStream.start();",
        "_LEGACY_ERROR_TEMP_3102",
    )


def _distance(one: str, other: str) -> int:
    """The edits between two names (Levenshtein), by which Spark sorts its proposals."""
    row = list(range(len(other) + 1))
    for i, sign in enumerate(one, start=1):
        before, row[0] = row[0], i
        for j, theirs in enumerate(other, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (sign != theirs))
    return row[-1]
