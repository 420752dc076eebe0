"""What to say when a run did not get as far as rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.judging.message import told
from grader.judging.spark_errors import translation_of
from grader.scenario.recording import Failure

# by kind of failure: what happened, what it means, what to try
_BY_KIND = {
    "not_attempted": (
        "Nothing to judge yet: the function still raises NotImplementedError.",
        "",
        "Write its body in place of `raise NotImplementedError`.",
    ),
    "no_query": (
        "You were asked for {asked_for}: {message}.",
        "",
        "Let the function end with `return` and {takes}.",
    ),
    "already_started": (
        "You were asked for a query, and the function started one itself{waits}.",
        "The check starts it, with a checkpoint and a trigger of its own.",
        "Return {takes}.",
    ),
    "events": (
        "You were asked for events, and the check got none to play: {message}.",
        "",
        "Return a list of steps, and in each the events that come before one run of the query.",
    ),
    "results": (
        "You were asked for a function of plain values: {message}.",
        "",
        "{plain_values}",
    ),
    "call": ("Your function raised an exception: {message}", "", ""),
    "called": (
        "Your function was called after step {step}, and an exception was raised there: {message}",
        "",
        "",
    ),
    "processing_time": (
        "You were asked for a query that ends with its events, and yours goes by the clock: {message}.",
        "Such a query has no end here: without new events Spark goes on with empty batches, to see what timed out.",
        "{by_event_time}",
    ),
    "signature": (
        "You were asked for another signature: {message}.",
        "The check calls the function with the inputs that the task names: their names count, and their order.",
        "Compare the parameters with the signature in the task.",
    ),
    "plan": ("Spark refused the query before it ran: {message}", "", ""),
    "own": (
        "Python raised an exception before there was a query to run: {message}",
        "",
        "Mend the line that raised it; Spark had no part in it.",
    ),
    "udf": ("Python code inside the query raised an exception: {message}", "", ""),
    "query": ("The query started and then failed: {message}", "", ""),
    "schema": (
        "You were asked for other columns: {message}.",
        "",
        "Compare the columns of what your function returns (printSchema() shows them) with those in the task{columns}.",
    ),
    "timeout": (
        "The query did not come to an end: {message}.",
        "The events of a check are few, and everything on them ends in seconds. The session is free again.",
        "Look for a loop, for `awaitTermination()` inside the function, or for a function that sleeps.",
    ),
    "syntax": ("The cell is not valid Python: {message}", "", ""),
}
_LIBRARIES = r'site-packages|grader/replay/|pyspark\.zip|/lib/python3|"pyarrow/|"<frozen'
_TRANSLATED = {
    "called": "You asked {asked}. It was refused when your function was called after step {step}.",
    "plan": "You asked {asked}. It was refused before the query ran.",
    "query": "You asked {asked}. The query started and then failed.",
    "udf": "You asked {asked}. The query started and then failed.",
    "machine": "Not judged: this machine started no Python process {asked}.",
}


# by what an exercise's function returns
_TAKES = {
    "stream": "the streaming DataFrame; the check attaches a sink and starts it",
    "writer": "the writer (`df.writeStream…`) as it is before `.start()`",
    "table": "the DataFrame that was read from the checkpoint",
    "events": "the list of steps",
    "results": "the value that the task asks for",
    "tests": "nothing; a test that fails raises an AssertionError",
}
_A_QUERY = "a query, and the check got none to run"
_A_TABLE = "a DataFrame with rows from the checkpoint, and the check got none to read"
_BY_EVENT_TIME = {
    "ProcessingTimeTimeout": "Ask for EventTimeTimeout, set a watermark, and set the timeout with setTimeoutTimestamp(); or "
    "for NoTimeout, where nothing is to be forgotten.",
    "ProcessingTime": 'Ask for timeMode="EventTime" with a watermark, or "None" where there is no timer.',
}


def explain(
    failure: Failure,
    returns: str = "stream",
    watermarks: Sequence[str] = (),
    call: Sequence[str] = (),
) -> str:
    """The message of a failed run; the original words of Spark or Python stand underneath.

    `returns` is what the exercise's function gives back: one of the RETURNS of an exercise;
    `watermarks` are the columns on which its query sets one; `call` are lines that show the call
    of a function of plain values in which it failed.
    """
    own = failure.kind == "plan" and failure.detail.startswith("Traceback")
    kind = failure.kind
    if kind == "plan" and returns == "table" and failure.step:
        kind = "called"  # the query ran; the table is read from what it left behind
    known = translation_of(failure) if kind in _TRANSLATED else None
    if known is not None:
        return told(
            _TRANSLATED[kind].format(asked=known.asked_in(failure), step=failure.step),
            means=known.means,
            do=known.do_in(failure, watermarks),
            original=failure.message,
        )
    happened, means, do = _BY_KIND["own" if own and kind == "plan" else kind]
    details: list[str] = []
    if kind == "udf":
        details = _own_frame(failure.detail)
    elif (own or kind == "call") and failure.line:
        details = [f"  in the line: {failure.line}"]
    message = failure.message.rstrip(". ").replace(" for `result`", "")
    waits = (
        f" and waits with {failure.call} for an end that it does not have" if failure.call else ""
    )
    return told(
        happened.format(
            message=message,
            waits=waits,
            step=failure.step,
            asked_for=_A_TABLE if returns == "table" else _A_QUERY,
        ),
        details=[*details, *call],
        means=means,
        do=do.format(
            takes=_TAKES[returns],
            columns=_columns(message),
            by_event_time=_BY_EVENT_TIME.get(message, ""),
            plain_values=_plain_values(message),
        ),
    )


def _own_frame(traceback: str) -> list[str]:
    """The place and the line of the last frame of a Python traceback that is no library's."""
    # newer Pythons underline the culprit with ~ and ^; older ones do not
    lines = [line for line in traceback.splitlines() if line.strip(" ~^")]
    own = [
        n
        for n, line in enumerate(lines)
        if line.startswith("  File ") and not re.search(_LIBRARIES, line)
    ]
    return lines[own[-1] : own[-1] + 2] if own else []


def _plain_values(message: str) -> str:
    """What to do about results that no call of a function of plain values should have."""
    part = re.search(r"returned None for (`\w+`)", message)
    if part:
        return f"Look at where {part[1]} gets its value."
    if "returned None" in message:
        return "Without a `return` a function gives None: does every way through yours end in one?"
    if "asked for" in message or "the task names" in message:
        return "Return what the task asks for, of that kind and under those names."
    return (
        "Return a number, a text, a truth value or a list of them; where the task asks for a dict, each of its values is "
        "one of these. A Series or an array of pandas or NumPy is none of them."
    )


def _columns(message: str) -> str:
    """How to mend just those faults of a schema that the message names."""
    ways = []
    if "is missing" in message:
        ways.append("alias() names a column")
    if "names no column" in message:
        ways.append("select() keeps those that you name")
    if re.search(r"has type struct<start: timestamp, end: timestamp>", message):
        ways.append("a window is a struct of two times, window.start and window.end")
    elif "expected struct<start: timestamp, end: timestamp>" in message:
        ways.append("the column that window() makes is asked for as a whole")
    elif "has type" in message:
        ways.append("cast() changes a type")
    return "; " + ", and ".join(ways) if ways else ""
