"""What to say when a run did not get as far as rows."""

from __future__ import annotations

from grader.judging.message import told
from grader.judging.spark_errors import translation_of
from grader.replay.recording import Failure

# by kind of failure: what happened, what it means, what to try
_BY_KIND = {
    "not_attempted": (
        "Nothing to judge yet: the function still raises NotImplementedError.",
        "",
        "Write its body in place of `raise NotImplementedError`.",
    ),
    "no_query": (
        "You were asked for a query, and the check got none to run: {message}.",
        "",
        "Let the function end with `return` and {takes}.",
    ),
    "already_started": (
        "You were asked for a query, and the function started one itself.",
        "The check starts it, with a checkpoint and a trigger of its own.",
        "Return {takes}.",
    ),
    "signature": (
        "You were asked for another signature: {message}.",
        "The check calls the function with the inputs that the task names, in that order.",
        "Compare the parameters with the signature in the task.",
    ),
    "plan": ("Spark refused the query before it ran: {message}", "", ""),
    "udf": ("Python code inside the query raised an exception: {message}", "", ""),
    "query": ("The query started and then failed: {message}", "", ""),
    "schema": (
        "You were asked for other columns: {message}.",
        "",
        "Compare result.printSchema() with the columns in the task: alias() names a column, cast() changes its type, "
        "select() keeps those that you name.",
    ),
    "timeout": (
        "The query did not come to an end: {message}.",
        "The events of a check are few, and everything on them ends in seconds. The session is free again.",
        "Look for a loop, for `awaitTermination()` inside the function, or for a function that sleeps.",
    ),
    "syntax": ("The cell is not valid Python: {message}", "", ""),
}
_TRANSLATED = {
    "plan": "You asked for {asked}. Spark refused the query before it ran.",
    "query": "You asked for {asked}. The query started and then failed.",
    "udf": "You asked for {asked}. The query started and then failed.",
}


# by what an exercise's function returns
_TAKES = {
    "stream": "the streaming DataFrame; the check attaches a sink and starts it",
    "writer": "the writer (`df.writeStream…`) as it is before `.start()`",
    "table": "the DataFrame that was read from the checkpoint",
}


def explain(failure: Failure, returns: str = "stream") -> str:
    """The message of a failed run; the original words of Spark or Python stand underneath.

    `returns` is what the exercise's function gives back: stream, writer or table.
    """
    known = translation_of(failure) if failure.kind in _TRANSLATED else None
    if known is not None:
        return told(
            _TRANSLATED[failure.kind].format(asked=known.asked),
            means=known.means,
            do=known.do,
            original=failure.message,
        )
    happened, means, do = _BY_KIND[failure.kind]
    details: list[str] = []
    if failure.kind == "udf" and failure.detail:
        # newer Pythons underline the culprit with ~ and ^; older ones do not
        lines = [line for line in failure.detail.splitlines() if line.strip(" ~^")]
        details = lines[-3:-1]
    return told(
        happened.format(message=failure.message.rstrip(". ")),
        details=details,
        means=means,
        do=do.replace("{takes}", _TAKES[returns]),
    )
