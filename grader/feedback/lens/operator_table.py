"""The stateful operators of a run: in the order in which rows go through them, and what each did."""

from __future__ import annotations

from grader.judging.wording.value_text import rows_text
from grader.scenario.recording import Operator, Recording

# Spark's names for its operators in the progress of a query
_NAMES = {
    "stateStoreSave": "aggregation",
    "sessionWindowStateStoreSaveExec": "sessions",
    "symmetricHashJoin": "join",
    "dedupe": "deduplication",
    "dedupeWithinWatermark": "deduplication",
    "applyInPandasWithState": "own function",
    "flatMapGroupsWithState": "own function",
    "transformWithStateExec": "own function",
    "transformWithStateInPandasExec": "own function",
    "transformWithStateInPySparkExec": "own function",
}


def name_of(operator: str) -> str:
    """What an operator of this name in Spark's progress does."""
    return _NAMES.get(operator, operator)


def operators_after(recording: Recording, step: int) -> list[Operator]:
    """The operators of the last batch run by then; Spark lists the last of a chain first."""
    run = [batch for batch in recording.batches if batch.step <= step]
    return list(reversed(run[-1].operators)) if run else []


def names_of(recording: Recording) -> list[str]:
    """What each operator does, in the order in which rows go through them."""
    return [name_of(o.name) for o in operators_after(recording, recording.steps)]


def is_chain(recording: Recording) -> bool:
    return len(names_of(recording)) > 1


def is_session(recording: Recording) -> bool:
    return "sessions" in names_of(recording)


def is_join(recording: Recording) -> bool:
    return "join" in names_of(recording)


def only_deduplicates(recording: Recording) -> bool:
    """Whether an output row is an input event: there is no state, or only ids are kept."""
    return set(names_of(recording)) <= {"deduplication"}


def first_dropped(recording: Recording, step: int) -> int:
    """Rows that the first operator dropped as late in a step: those of events, not of results."""
    return sum(batch.operators[-1].dropped for batch in recording.of_step(step) if batch.operators)


def states_text(recording: Recording, step: int) -> list[str]:
    """One line per operator after a step: the rows that it keeps, and those it dropped as late."""
    operators = operators_after(recording, step)
    lines = []
    for number, operator in enumerate(operators):
        dropped = sum(
            batch.operators[len(operators) - 1 - number].dropped
            for batch in recording.of_step(step)
            if len(batch.operators) == len(operators)
        )
        name = f"{number + 1}. {name_of(operator.name)}"
        line = f"{name if len(operators) > 1 else 'state'}: {rows_text(operator.rows_total)}"
        lines.append(line + (f", {dropped} dropped as late" if dropped else ""))
    return lines


def watermark_text(recording: Recording) -> str:
    """What is known about the watermarks of a chain's operators; empty if there is one operator.

    Source: the progress of a query holds one watermark, and an operator passes it downstream unchanged. A
    join passes it only as far as its interval still allows rows (Spark's `produceOutputWatermark`).
    """
    names = names_of(recording)
    if len(names) < 2 or not any(batch.watermark for batch in recording.batches):
        return ""
    if "join" in names[:-1]:
        after_join = names.index("join") + 2
        return (
            f"The line is the join's watermark. Operator {after_join} has one of its own, which may be "
            "earlier by the join's interval: Spark does not report it."
        )
    return f"The {len(names)} operators have the same watermark: each hands it on as it is."
