"""How an answer is judged, by its kind: what is compared, by which criteria, and what the points depend on."""

from __future__ import annotations

from dataclasses import replace

from grader.judging import criteria
from grader.judging.facts import judge_fact
from grader.judging.finding import Judgement, failed, finding
from grader.judging.play import Play
from grader.judging.restart import ByStep, restart, rows_by_step, written_by_step
from grader.judging.results import results
from grader.judging.row_differences import RowDifference, difference_of, difference_of_table
from grader.judging.schema import schema_faults
from grader.judging.settings import settings
from grader.judging.state_bound import state
from grader.scenario import Exercise
from grader.scenario.recording import Failure, Recording

_STEP_BY_STEP = {
    "step": criteria.step,
    "watermark": criteria.watermark,
    "late_rows": criteria.late_rows,
    "state": state,
}


class AnswerJudge:
    """Judges a streaming DataFrame, whose rows the check's own sink takes."""

    gates: tuple[str, ...] = ("rows", "hidden")  # there are no points before these are met
    counts_once = False  # whether a record that a restart wrote again counts as one

    def __init__(self, exercise: Exercise):
        self.exercise = exercise

    def schema_failure(self, play: Play) -> Failure | None:
        """The failure of a run whose rows cannot be compared: they have other columns."""
        return _schema_failure("schema", play, schema_faults(play.expected.schema, play.run.schema))

    def failed_call(self, failure: Failure) -> int | None:
        """The call in which a function failed; None for what is not called."""
        return None

    def judgements(self, play: Play) -> list[Judgement]:
        """Judge a play that did not fail by the criteria that it is there for."""
        if play.hidden:
            judged = self.rows(play)
            why = finding("hidden_right") if judged.passed else judged.why
            return [Judgement("hidden", judged.passed, why)]
        if play.regrouped:
            return [criteria.batching(play, self.difference(play))]
        if play.variant.name == "settings":
            return [settings(self.exercise, play, self.difference(play))]
        if play.variant.name == "crash":
            return [self.restart(play)]
        return self.plain(play)

    def plain(self, play: Play) -> list[Judgement]:
        """Judge the events as they are. If the rows are wrong, nothing else needs a message."""
        judged = self.rows(play)
        if not judged.passed:
            return [judged]
        names = [name for name in _STEP_BY_STEP if name in self.exercise.criteria]
        return [judged, *(_STEP_BY_STEP[name](play) for name in names), *self.facts(play)]

    def rows(self, play: Play) -> Judgement:
        return criteria.rows(play, self.difference(play))

    def difference(self, play: Play) -> RowDifference | None:
        return difference_of(self.exercise, play)

    def restart(self, play: Play) -> Judgement:
        once = "exactly_once" in self.exercise.criteria
        name = "exactly_once" if once else "restart"
        expected, got = (self.by_step(run, play) for run in (play.expected, play.run))
        return restart(name, play, expected, got, once=self.counts_once and not once)

    def by_step(self, run: Recording, play: Play) -> ByStep:
        return rows_by_step(run, play)

    def facts(self, play: Play) -> list[Judgement]:
        return [judge_fact(fact, play.run) for fact in self.exercise.facts]


class WriterJudge(AnswerJudge):
    """Judges a writer by the records in its topics, where an engine's restart may leave some twice."""

    counts_once = True

    def by_step(self, run: Recording, play: Play) -> ByStep:
        return written_by_step(run, play)


class TableJudge(AnswerJudge):
    """Judges a table that is read after each step; a message shows the first step in which it is wrong."""

    def difference(self, play: Play) -> RowDifference | None:
        return super().difference(play) if play.hidden else difference_of_table(play)


class EventsJudge(AnswerJudge):
    """Judges events by what they do to a given query, because there are no rows to compare."""

    gates = ()

    def plain(self, play: Play) -> list[Judgement]:
        return self.facts(play)


class ResultsJudge(AnswerJudge):
    """Judges a function of plain values by what each call gave."""

    def schema_failure(self, play: Play) -> Failure | None:
        faults = schema_faults(play.expected.schema, play.run.schema, exact=True)
        return _schema_failure("results", play, faults)

    def failed_call(self, failure: Failure) -> int | None:
        return failure.step or None

    def rows(self, play: Play) -> Judgement:
        return results(play)


class SuiteJudge(EventsJudge):
    """Judges a test suite by which of the things that it was run on it let through."""

    def facts(self, play: Play) -> list[Judgement]:
        """Nothing else if the right code fails; and a fix for one example at a time."""
        judged: list[Judgement] = []
        for fact in self.exercise.facts:
            shown = fact if all(before.passed for before in judged) else replace(fact, fix="")
            judged.append(judge_fact(shown, play.run))
        return [one for one in judged if not one.passed and one.name == "right"] or judged


_JUDGES = {
    "stream": AnswerJudge,
    "writer": WriterJudge,
    "table": TableJudge,
    "table_writer": TableJudge,
    "events": EventsJudge,
    "results": ResultsJudge,
    "tests": SuiteJudge,
}


def judge_of(exercise: Exercise) -> AnswerJudge:
    """The judge of what an exercise's function returns."""
    return _JUDGES[exercise.returns](exercise)


def failed_run(judge: AnswerJudge, play: Play, failure: Failure) -> Judgement:
    """The one criterion of a play that failed."""
    call = None if play.hidden else judge.failed_call(failure)
    return failed(failure.kind, "failure", failure=failure, call=call)


def _schema_failure(kind: str, play: Play, faults: list[dict[str, object]]) -> Failure | None:
    if not faults:
        return None
    expected, got = ([c["name"] for c in run.schema] for run in (play.expected, play.run))
    return Failure(kind, fields={"faults": faults, "expected": expected, "got": got})
