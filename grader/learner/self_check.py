"""One graded stream, Kafka → Spark → Kafka, to know that the lab works before a lesson opens."""

from __future__ import annotations

from grader.errors import SetupError
from grader.judging.judge import judge
from grader.judging.play import Play
from grader.learner import notebook_lab
from grader.replay.replay import replay
from grader.scenario import Event, Exercise, Input, Scenario, Variant
from grader.scenario.recording import Batch, Recording

_TASK = Exercise(
    id="self-check",
    title="Two purchases of three",
    answer="purchases",
    takes=["clicks"],
    inputs={"clicks": Input(schema="page STRING, bought BOOLEAN")},
    points=1,
)
_CLICKS = [("home", False), ("shoes", True), ("hats", True)]


def self_check() -> str:
    """Play and judge a filter over three clicks; returns a line that says so, or raises SetupError."""
    running = notebook_lab.start()
    events = [Event(1, "clicks", {"page": page, "bought": bought}) for page, bought in _CLICKS]
    wanted = [{"page": page} for page, bought in _CLICKS if bought]
    expected = Recording(
        _TASK.id,
        steps=1,
        schema=[{"name": "page", "type": "string"}],
        batches=[Batch(0, 1, rows=wanted)],
    )
    variant = Variant("as_is", Scenario(events))
    recording = replay(
        running.spark,
        running.kafka,
        _TASK,
        lambda clicks: clicks.where("bought").select("page"),
        variant,
    )
    verdict = judge(_TASK, [Play("public", variant, expected, recording)])
    if not verdict.passed:
        raise SetupError(
            f"The self-check of the lab failed: {verdict.criteria[0].message} Look into `grader doctor`."
        )
    return f"one stream from Kafka through Spark to Kafka, graded: passed ({verdict.seconds:.1f} s)"
