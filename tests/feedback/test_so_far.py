"""What a check shows between its runs: each criterion as soon as no other run can change it."""

from grader.feedback.verdict_text import so_far_text
from grader.judging.verdict import Criterion, Verdict
from grader.scenario import Scenario, Variant

PLAIN = [Criterion("rows", True, "All rows."), Criterion("step", True, "Each in its step.")]


def left(*names: str) -> list[Variant]:
    return [Variant(name, Scenario([])) for name in names]


def so_far(criteria: list[Criterion], *names: str) -> list[str]:
    return so_far_text(Verdict("03.1", "passed", 1, 2, criteria), left(*names)).splitlines()


def test_what_is_decided_is_shown_and_the_next_run_is_named() -> None:
    assert so_far(PLAIN, "crash") == [
        "03.1",
        "  ✓ rows: All rows.",
        "  ✓ step: Each in its step.",
        "  next: a kill between output and commit, and a restart …",
    ]


def test_batching_is_decided_by_its_second_run() -> None:
    both = [*PLAIN, Criterion("batching", True, "The same rows.")]
    assert so_far(both, "shifted", "crash")[3:] == ["  next: micro-batches that end elsewhere …"]
    assert so_far(both, "crash")[3] == "  ✓ batching: The same rows."
