"""The message about a run that has no rows, or whose rows cannot be compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.judging.wording.answer_terms import terms_of
from grader.judging.wording.call_text import call_lines
from grader.judging.wording.fault_text import results_fix, results_text, schema_fix, schema_text
from grader.judging.wording.given_events_text import given_events_text
from grader.judging.wording.message import About, message, message_of
from grader.judging.wording.sentences import sentence, words_of
from grader.judging.wording.spark_errors import spark_error_of
from grader.scenario.recording import Failure

_LIBRARIES = r'site-packages|grader/replay/|pyspark\.zip|/lib/python3|"pyarrow/|"<frozen'


def failed_run_text(about: About, failure: Failure, call: int | None) -> str:
    """The message of a play that failed, and how it was played if the learner does not see it like that."""
    play = about.play
    # if rows are final and a watermark is set, the output mode is not at fault
    final = play.expected.plan.output_mode in ("", "append")
    said = failure_text(
        failure,
        about.exercise.returns,
        play.run.plan.watermarks if final else (),
        call_lines(about, call) if call else (),
    )
    how = "hidden" if play.hidden else play.variant.name
    return words_of("played").get(how, "") + said


def failure_text(
    failure: Failure,
    returns: str = "stream",
    watermarks: Sequence[str] = (),
    call: Sequence[str] = (),
) -> str:
    """The message of a failed run; the original words of Spark or Python are below it.

    - `returns`: what the exercise's function returns
    - `watermarks`: the columns on which its query sets a watermark
    - `call`: lines that show the call of a function of plain values in which it failed
    """
    terms, kind = terms_of(returns), failure.kind
    if kind == "plan" and terms.called_after_steps and failure.step:
        kind = "called"  # the query ran; the table is read from its checkpoint
    own = failure.kind == "plan" and failure.detail.startswith("Traceback")
    if own and kind == "plan":
        kind = "own"
    known = spark_error_of(failure) if "known" in words_of(f"failure.{kind}") else None
    if known is not None:
        return message(
            sentence(f"failure.{kind}.known", what=known.what_in(failure), step=failure.step),
            means=known.why,
            do=known.fix_in(failure, watermarks),
            original=failure_in_short(failure),
            link=known.link,
        )
    details = _own_frame(failure.detail) if kind == "udf" else []
    if (own or kind == "call") and failure.line:
        details = [f"  in the line: {failure.line}"]
    return message_of(
        f"failure.{kind}",
        details=[*details, *call],
        message=failure_in_short(failure).rstrip(". "),
        waits=sentence("found.waits", call=failure.call) if failure.call else "",
        step=failure.step,
        expected=terms.expected,
        answer=terms.answer,
        fix=_FIXES[kind](failure.fields) if kind in _FIXES else "",
    )


_FIXES: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "results": results_fix,
    "schema": schema_fix,
    "processing_time": lambda fields: words_of("by_event_time").get(fields.get("by"), ""),
}


def failure_in_short(failure: Failure) -> str:
    """What ended a run: the original words of Python, Spark or Kafka, else what the grader found."""
    if failure.message:
        broke_off = failure.fields.get("broke_off")
        message = failure.message
        return sentence("found.broke_off", message=message) if broke_off else message
    if failure.fields.get("hidden"):
        return sentence("found.hidden")
    if failure.kind in _FOUND:
        return _FOUND[failure.kind](failure.fields)
    return sentence(f"found.{failure.kind}") if failure.kind in words_of("found") else ""


def ended_early_text(failure: Failure) -> str:
    """The step in which a run ended, which is shown as far as it came, and what ended it."""
    where = f" in step {failure.step}; the rest of that step is not known" if failure.step else ""
    return f"It ended early{where}: {failure_in_short(failure)}"


def _no_query_text(fields: Mapping[str, Any]) -> str:
    got = fields["got"]
    if got in words_of("found.no_query"):
        return sentence(f"found.no_query.{got}")
    article = "an" if got[0].lower() in "aeiou" else "a"
    return sentence(f"found.no_query.not_a_{fields['wanted']}", got=f"{article} {got}")


def _timeout_text(fields: Mapping[str, Any]) -> str:
    """How long a play had, and how little CPU it got if the machine was busy."""
    kind = "timeout_busy" if "cpu_seconds" in fields else "timeout"
    return sentence(f"found.{kind}", **fields)


_FOUND: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "no_query": _no_query_text,
    "processing_time": lambda fields: str(fields["by"]),
    "timeout": _timeout_text,
    "schema": schema_text,
    "results": results_text,
    "events": given_events_text,
}


def _own_frame(traceback: str) -> list[str]:
    """The place and the line of the last frame of a Python traceback that is not in a library."""
    # newer Pythons underline the culprit with ~ and ^; older ones do not
    lines = [line for line in traceback.splitlines() if line.strip(" ~^")]
    own = [
        n
        for n, line in enumerate(lines)
        if line.startswith("  File ") and not re.search(_LIBRARIES, line)
    ]
    return lines[own[-1] : own[-1] + 2] if own else []
