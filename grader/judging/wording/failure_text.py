"""What is said of a run that did not get as far as rows, or whose rows cannot be compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.judging.play import Play
from grader.judging.wording.answer_terms import ANSWER_TERMS
from grader.judging.wording.call_text import call_lines
from grader.judging.wording.fault_text import results_fix, results_text, schema_fix, schema_text
from grader.judging.wording.given_events_text import given_events_text
from grader.judging.wording.message import About, message
from grader.judging.wording.spark_errors import spark_error_of
from grader.scenario.recording import Failure

# by kind of failure: what happened, what it means, what to try
_BY_KIND = {
    "not_attempted": (
        "Nothing to judge yet: the function still raises NotImplementedError.",
        "",
        "Write its body in place of `raise NotImplementedError`.",
    ),
    "no_query": (
        "You were asked for {expected}: {message}.",
        "",
        "Let the function end with `return` and {answer}.",
    ),
    "already_started": (
        "You were asked for a query, and the function started one itself{waits}.",
        "The check starts it, with a checkpoint and a trigger of its own.",
        "Return {answer}.",
    ),
    "events": (
        "You were asked for events, and the check got none to play: {message}.",
        "",
        "Return a list of steps, and in each the events that come before one run of the query.",
    ),
    "results": (
        "You were asked for a function of plain values: {message}.",
        "",
        "{fix}",
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
        "{fix}",
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
        "{fix}",
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
_BY_EVENT_TIME = {
    "ProcessingTimeTimeout": "Ask for EventTimeTimeout, set a watermark, and set the timeout with setTimeoutTimestamp(); or "
    "for NoTimeout, where nothing is to be forgotten.",
    "ProcessingTime": 'Ask for timeMode="EventTime" with a watermark, or "None" where there is no timer.',
}


_FIXES: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "results": results_fix,
    "schema": schema_fix,
    "processing_time": lambda fields: _BY_EVENT_TIME.get(fields.get("by", ""), ""),
}


def failed_run_text(about: About, failure: Failure, call: int | None) -> str:
    """The message of a play that failed, and how it was played where that is not as the learner sees it."""
    play = about.play
    # where rows are final and a watermark is set, the output mode is not at fault
    final = play.expected.plan.output_mode in ("", "append")
    said = failure_text(
        failure,
        about.exercise.returns,
        play.run.plan.watermarks if final else (),
        call_lines(about, call) if call else (),
    )
    return f"{_how_played(play)}{said}"


def _how_played(play: Play) -> str:
    if play.hidden:
        return "On events that you have not seen: "
    how = {
        "merged": "(with all events at once) ",
        "shifted": "(with other batches) ",
        "settings": "(with other settings) ",
        "crash": "(after the restart) ",
    }
    return how.get(play.variant.name, "")


def failure_text(
    failure: Failure,
    returns: str = "stream",
    watermarks: Sequence[str] = (),
    call: Sequence[str] = (),
) -> str:
    """The message of a failed run; the original words of Spark or Python stand underneath.

    `returns` is what the exercise's function returns; `watermarks` are the columns on which its query
    sets one; `call` are lines that show the call of a function of plain values in which it failed.
    """
    terms = ANSWER_TERMS[returns]
    kind = failure.kind
    if kind == "plan" and terms.reads_checkpoint and failure.step:
        kind = "called"  # the query ran; the table is read from what it left behind
    known = spark_error_of(failure) if kind in _TRANSLATED else None
    if known is not None:
        return message(
            _TRANSLATED[kind].format(asked=known.what_in(failure), step=failure.step),
            means=known.why,
            do=known.fix_in(failure, watermarks),
            original=failure_in_short(failure),
        )
    own = failure.kind == "plan" and failure.detail.startswith("Traceback")
    happened, means, do = _BY_KIND["own" if own and kind == "plan" else kind]
    details: list[str] = []
    if kind == "udf":
        details = _own_frame(failure.detail)
    elif (own or kind == "call") and failure.line:
        details = [f"  in the line: {failure.line}"]
    waits = f" and waits with {failure.call} for an end that it does not have"
    fix = _FIXES[kind](failure.fields) if kind in _FIXES else ""
    return message(
        happened.format(
            message=failure_in_short(failure).rstrip(". "),
            waits=waits if failure.call else "",
            step=failure.step,
            expected=terms.expected,
        ),
        details=[*details, *call],
        means=means,
        do=do.format(answer=terms.answer, fix=fix),
    )


def failure_in_short(failure: Failure) -> str:
    """What ended a run: the original words of Python, Spark or Kafka, else what the grader found."""
    if failure.message:
        return ("the play broke off: " if "broke_off" in failure.fields else "") + failure.message
    if "hidden" in failure.fields:
        return "its message is not shown"
    found = _FOUND.get(failure.kind)
    return found(failure.fields) if found else ""


def _no_query_text(fields: Mapping[str, Any]) -> str:
    got = fields["got"]
    if got == "None":
        return "the function returned None"
    if got == "static DataFrame":
        return "the DataFrame that came back does not read from the stream"
    article = "an" if got[0].lower() in "aeiou" else "a"
    wanted = {"writer": "writer (df.writeStream…)"}.get(fields["wanted"], fields["wanted"])
    return f"the function returned {article} {got}, not a {wanted}"


def _timeout_text(fields: Mapping[str, Any]) -> str:
    """How long a play had, and how little CPU it got, which is given where the machine was busy."""
    waited = f"{fields['seconds']:.0f} s"
    busy = ""
    if "cpu_seconds" in fields:
        got = f"{fields['cpu_seconds']:.0f} s"
        busy = f". The machine was busy: this play got {got} of CPU in {waited}"
    return f"nothing came back within {waited}{busy}"


_FOUND: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "not_attempted": lambda _: "the function still raises NotImplementedError",
    "no_query": _no_query_text,
    "already_started": lambda _: "the function started the query itself",
    "processing_time": lambda fields: str(fields["by"]),
    "timeout": _timeout_text,
    "schema": schema_text,
    "results": results_text,
    "events": given_events_text,
}


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
