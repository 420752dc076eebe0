"""The check of a page: an answer's code in, a verdict out."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from grader.judging.check_pack import PackedExercise, find_exercise
from grader.judging.judge import JudgingSession, failed_verdict
from grader.page.answer_program import CodeError, Program
from grader.page.called_play import play_calls
from grader.page.lab_only import OnlyTheLab, forget, met
from grader.page.lesson_cells import code_before
from grader.page.offered_exercises import not_played, why_not_offered
from grader.page.page_verdict import PageVerdict
from grader.page.pyspark_stand_in.standing_in import install
from grader.page.stream_play import play_events, play_stream
from grader.replay.given_query import subject_of
from grader.scenario import Variant
from grader.scenario.recording import Failure, Recording

FAULT = "an error of the page"
_NOT_PLAYED = ("crash", "settings")  # the variants that the model does not play


def check(exercise: str, code: str, course: Path) -> PageVerdict:
    """Check the code of an exercise's answer cell by the model.

    `course` is the folder of the lessons, with their notebooks and packs. Raises PackError if there is no such
    exercise. An answer that never ends ends with the worker that this runs in (see grader.page.worker). The
    process must not have imported PySpark.
    """
    return check_program(packed_exercise(exercise, course), code_before(exercise, course) + code)


@cache
def packed_exercise(exercise: str, course: Path) -> PackedExercise:
    """The exercise of an id; its pack is read once. Raises PackError."""
    return find_exercise(exercise, course)


def check_program(packed: PackedExercise, text: str, name: str | None = None) -> PageVerdict:
    """The same for code that runs by itself; `name` is its function, if that is not the exercise's."""
    install()
    exercise = packed.exercise
    forget()
    why = why_not_offered(exercise)
    if why:
        return PageVerdict(exercise.id, only_lab=why)
    try:
        found = _judged(packed, Program(text, name or exercise.answer))
    except OnlyTheLab as only:
        return PageVerdict(exercise.id, only_lab=only.reason)
    except SyntaxError as error:
        line = (error.text or "").strip()
        said = f"SyntaxError: {error.msg}" + (f", in the line: {line}" if line else "")
        failure = Failure("syntax", said, line=line)
        return PageVerdict(exercise.id, failed_verdict(exercise, failure))
    except CodeError as error:
        found = PageVerdict(exercise.id, failed_verdict(exercise, _failure_of_code(error)))
    except Exception as error:  # of the page itself: what it would say is not known
        return PageVerdict(exercise.id, only_lab=f"{FAULT}: {type(error).__name__}: {error}")
    reason = met()
    return found if reason is None else PageVerdict(exercise.id, only_lab=reason)


def _failure_of_code(error: CodeError) -> Failure:
    from grader.replay.failures import failure_of

    if error.__cause__ is None:
        return Failure("plan", str(error))
    return failure_of(error.__cause__, phase="plan")


def _judged(packed: PackedExercise, program: Program) -> PageVerdict:
    session = JudgingSession(packed.exercise, packed.fingerprints)
    first: Recording | None = None
    for play in packed.plays():
        if play.variant.name in _NOT_PLAYED or not session.wants(play):
            continue
        actual = _played(packed, program, play.variant)
        first = first or actual
        if not session.add(packed.play(play.variant, actual)):
            break
    verdict = session.verdict()
    return PageVerdict(packed.exercise.id, verdict, "", not_played(packed.exercise), first)


def _played(packed: PackedExercise, program: Program, variant: Variant) -> Recording:
    exercise, kind = packed.exercise, packed.exercise.answer_kind
    if kind.returns_query:
        return play_stream(exercise, program, variant)
    subject = subject_of(packed.subject)
    if kind.returns_events:
        assert subject is not None, "events are for a query that is given"
        return play_events(exercise, program, variant, subject)
    return play_calls(exercise, program, variant, subject)
