"""What to say when a run did not get as far as rows: what happened, what it means, what to try."""

from __future__ import annotations

from grader.replay.recording import Failure

_BY_KIND = {
    "not_attempted": "Nothing to judge yet. Write the function's body in place of `raise NotImplementedError`.",
    "no_query": "The check got no query to run: {message}. Let the function end with `return` and the "
    "streaming DataFrame (or writer) that the task asks for.",
    "already_started": "The function started a query itself. Return the DataFrame (or the writer before "
    "`.start()`): the check starts it, with a checkpoint and a trigger of its own.",
    "signature": "The function could not be called as the task says: {message}. Compare its parameters "
    "with the signature in the task.",
    "plan": "Spark refused the query before it ran: {message}",
    "udf": "Python code inside the query raised an exception: {message}",
    "query": "The query started and then failed: {message}",
    "schema": "The rows do not have the columns that the task asks for: {message}.",
    "timeout": "The query did not come to an end: {message}. Look for a loop, for `awaitTermination()` inside "
    "the function, or for a function that sleeps. The session is free again.",
    "syntax": "The cell is not valid Python: {message}",
}

_BY_CONDITION = {
    "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION": "An aggregation can only append a row when it knows "
    "that the row is final. Give the event-time column a watermark before you group, and group by a window of it.",
    "UNRESOLVED_COLUMN.WITH_SUGGESTION": "Compare the column's name with the columns that the input has.",
    "UNSUPPORTED_STREAMING_OPERATOR_WITHOUT_WATERMARK": "This operator needs a watermark on its input; set one "
    "with withWatermark before it.",
    "NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING": "Row-based windows (OVER …) need the whole table; "
    "on a stream group by window(event_time, …).",
    "DATATYPE_MISMATCH": "Look at the types of the columns with printSchema(), and cast where they differ.",
    "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA": "The checkpoint belongs to another query. "
    "Start with a fresh checkpoint folder.",
}


def explain(failure: Failure) -> str:
    """The message of a failed run, with Spark's or Python's own words inside."""
    text = _BY_KIND[failure.kind].format(message=failure.message.rstrip(". "))
    mend = _BY_CONDITION.get(failure.condition or "")
    if mend:
        text = f"{text}.\n{mend}"
    if failure.kind == "udf" and failure.detail:
        # newer Pythons underline the culprit with ~ and ^; older ones do not
        told = [line for line in failure.detail.splitlines() if line.strip(" ~^")]
        text += "\n" + "\n".join(told[-3:-1])
    return text
