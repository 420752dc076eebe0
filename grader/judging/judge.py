"""Recordings in, verdict out. The judge runs nobody's code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from grader.judging import criteria
from grader.judging.diagnosis import Fingerprint, diagnose, diagnose_elsewhere, prints_of
from grader.judging.facts import judge_fact
from grader.judging.failure_messages import explain
from grader.judging.hint_figures import filled
from grader.judging.plan_diagnosis import read_plan
from grader.judging.play import Play
from grader.judging.restart import restart
from grader.judging.results import call_text, result_faults, results
from grader.judging.rows import schema_faults
from grader.judging.settings import settings
from grader.judging.spark_errors import is_the_machines
from grader.judging.verdict import Criterion, Diagnosis, Verdict
from grader.scenario import Exercise
from grader.scenario.recording import Failure, Recording

# how a run that failed is called; the others (plan, udf, query, machine, syntax) are an error
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


def judge(
    exercise: Exercise,
    plays: list[Play],
    fingerprints: list[Fingerprint] | None = None,
    hidden_runs: Mapping[str, str] | None = None,
) -> Verdict:
    """Judge one exercise from its plays: the public scenario as it is first, then the others.

    `hidden_runs` are those of the known mistakes on the hidden scenario (see diagnose_elsewhere).

    After the first play that goes wrong the rest need not have been run (`actual` is None):
    one cause gives one message. A play that is missing without such a reason counts as failed.
    """
    judged: list[Criterion] = []
    failure: Failure | None = None
    told = plays[0]
    seconds = sum(play.actual.seconds for play in plays if play.actual)
    for play in plays:
        found, failure = _judge_play(exercise, play)
        judged += found
        told = play
        if failure or not all(criterion.passed for criterion in found):
            break
    judged = _once_each(judged)
    passed = all(criterion.passed for criterion in judged)
    status = "passed" if passed else _STATUS.get(failure.kind, "error") if failure else "failed"
    verdict = Verdict(
        exercise.id,
        status,
        score=_score(exercise, judged, failure),
        max_score=exercise.points,
        criteria=judged,
        seconds=round(seconds, 2),
    )
    if status not in ("passed", "not_attempted"):
        # the play that went wrong tells most: two mistakes may differ only after a kill; the plan
        # is read where nothing else failed, as one cause gives one message
        failed = [criterion.name for criterion in judged if not criterion.passed]
        verdict.diagnosis = _diagnosis(
            exercise, told, failed, fingerprints or [], hidden_runs or {}
        )
        if verdict.diagnosis is None and failure is None and told.actual:
            verdict.diagnosis = read_plan(exercise, told.actual, told.expected)
    return verdict


def _diagnosis(
    exercise: Exercise,
    told: Play,
    failed: list[str],
    fingerprints: list[Fingerprint],
    hidden_runs: Mapping[str, str],
) -> Diagnosis | None:
    if told.actual is None:
        return None
    prints = prints_of(told.actual, told.expected, failed, exercise.facts)
    known = (
        diagnose_elsewhere(fingerprints, hidden_runs, prints)
        if told.hidden
        else diagnose(fingerprints, prints)
    )
    if known is None:
        return None
    return Diagnosis(known.id, known.title, filled(known.hint, exercise, told))


def passes_so_far(exercise: Exercise, play: Play) -> bool:
    """Whether the next play is worth running."""
    found, failure = _judge_play(exercise, play)
    return failure is None and all(criterion.passed for criterion in found)


def failed_verdict(exercise: Exercise, failure: Failure, seconds: float = 0.0) -> Verdict:
    """The verdict on an exercise that could not be played at all (a syntax error, say)."""
    criterion = Criterion(failure.kind, False, explain(failure, exercise.returns))
    status = _STATUS.get(failure.kind, "error")
    return Verdict(exercise.id, status, 0.0, exercise.points, [criterion], seconds=seconds)


def _judge_play(exercise: Exercise, play: Play) -> tuple[list[Criterion], Failure | None]:
    if play.actual is None:
        return [Criterion(play.variant.name, False, "This part of the check did not run.")], None
    failure = _by_the_check(play.actual.failure) or _schema_failure(
        exercise, play.actual, play.expected
    )
    if failure:
        # where rows are to be final and a watermark is set, the mode is not at fault
        final = play.expected.plan.output_mode in ("", "append")
        marked = play.actual.plan.watermarks if final else []
        message = explain(failure, exercise.returns, marked, _failed_call(exercise, play, failure))
        return [Criterion(failure.kind, False, _where(play, message))], failure
    if play.hidden:
        judged = _rows(exercise, play)
        said = (
            "It is right on events that you have not seen, too."
            if judged.passed
            else judged.message
        )
        return [Criterion("hidden", judged.passed, said)], None
    if play.regrouped:
        return [criteria.batching(exercise, play)], None
    if play.variant.name == "settings":
        return [settings(exercise, play)], None
    if play.variant.name == "crash":
        return [restart(exercise, play)], None
    if not exercise.has_scenario:
        if exercise.returns == "tests":
            return _judge_suite(exercise, play.actual), None
        return _judge_facts(exercise, play.actual), None
    judged = _rows(exercise, play)
    if not judged.passed:
        return [judged], None
    found = [judged]
    for name in ("step", "watermark", "late_rows", "state"):
        if name in exercise.criteria:
            found.append(getattr(criteria, name)(exercise, play))
    return found + _judge_facts(exercise, play.actual), None


def _rows(exercise: Exercise, play: Play) -> Criterion:
    judge_rows = results if exercise.returns == "results" else criteria.rows
    return judge_rows(exercise, play)


def _judge_facts(exercise: Exercise, recording: Recording) -> list[Criterion]:
    return [judge_fact(fact, recording) for fact in exercise.facts]


def _judge_suite(exercise: Exercise, recording: Recording) -> list[Criterion]:
    """What a suite let live; nothing of it where the right thing fails, and one example at a time."""
    judged: list[Criterion] = []
    for fact in exercise.facts:
        shown = fact if all(before.passed for before in judged) else replace(fact, fix="")
        judged.append(judge_fact(shown, recording))
    return [one for one in judged if not one.passed and one.name == "right"] or judged


def _failed_call(exercise: Exercise, play: Play, failure: Failure) -> list[str]:
    """The call of a function of plain values in which it failed; nothing of one that is hidden."""
    if exercise.returns != "results" or play.hidden or not failure.step:
        return []
    return call_text(exercise, play, failure.step)


def _by_the_check(failure: Failure | None) -> Failure | None:
    """What a failure means in a check: whose it is, and that who lacks a checkpoint has started a query, as
    the check sets the checkpoint itself."""
    if failure is None:
        return None
    if is_the_machines(failure):
        return replace(failure, kind="machine")
    if "checkpointLocation must be specified" in failure.message:
        return replace(failure, kind="already_started", call="")
    return failure


def _schema_failure(exercise: Exercise, actual: Recording, expected: Recording) -> Failure | None:
    if exercise.returns == "results":
        faults = result_faults(expected.schema, actual.schema)
        return Failure("results", "; ".join(faults)) if faults else None
    faults = schema_faults(expected.schema, actual.schema)
    return Failure("schema", "; ".join(faults)) if faults else None


def _where(play: Play, message: str) -> str:
    if play.hidden:
        return f"On events that you have not seen: {message}"
    if play.variant.name == "as_is":
        return message
    how = {
        "merged": "with all events at once",
        "shifted": "with other batches",
        "settings": "with other settings",
        "crash": "after the restart",
    }
    return f"({how[play.variant.name]}) {message}"


def _score(exercise: Exercise, judged: list[Criterion], failure: Failure | None) -> float:
    """All points, the shares of what is right where the rows are, or none."""
    if failure or not judged:
        return 0.0
    if exercise.has_scenario:
        gates = [c for c in judged if c.name in ("rows", "hidden")]
        if not gates or not all(c.passed for c in gates):
            return 0.0
    return exercise.earned([c.name for c in judged if c.passed])


def _once_each(judged: list[Criterion]) -> list[Criterion]:
    """One line a criterion: batching is judged twice and told once, by its worst."""
    kept: dict[str, Criterion] = {}
    for criterion in judged:
        if criterion.name not in kept or not criterion.passed:
            kept[criterion.name] = criterion
    return list(kept.values())
