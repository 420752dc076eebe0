"""The lens shows each version of a table in the step that committed it, with rows or without."""

from dataclasses import replace

from grader.feedback.lens.run_words import steps_in_words
from grader.feedback.lens.scene import make_scene
from grader.feedback.lens.side_text import lines_beside
from grader.scenario.recording import Recording
from tests.feedback.runs import batch, events, one_input

CLICKS = one_input("clicks", "page STRING, at TIMESTAMP")
SENT = events("clicks", "page", (1, "home", "10:00:00"), (2, "hats", "10:01:00"))


def test_versions_stand_beside_the_step_that_made_them() -> None:
    made = ((0, "CREATE TABLE", 0), (1, "MERGE", 2), (1, "MERGE", 0), (2, "STREAMING UPDATE", 1))
    versions = [
        {"step": step, "version": number, "operation": operation, "rows": rows}
        for number, (step, operation, rows) in enumerate(made)
    ]
    run = Recording("99.1", steps=2, batches=[batch(1), batch(2)], versions={"counts": versions})
    scene = make_scene(CLICKS, SENT, run)
    beside = [[text for _, text, _ in lines_beside(scene, step)] for step in scene.steps]
    assert beside[0][-2:] == [
        "counts, version 1: MERGE, 2 rows",
        "counts, version 2: MERGE, 0 rows",
    ]
    assert beside[1][-1] == "counts, version 3: STREAMING UPDATE, 1 row"
    assert steps_in_words(scene)[1].facts[-1] == "counts, version 3: STREAMING UPDATE, 1 row."
    without = make_scene(CLICKS, SENT, replace(run, versions={}))
    assert not any("version" in text for step in without.steps for text in step.versions)
