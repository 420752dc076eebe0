"""The words of a verdict where they name a notebook or a command of the lab, as a page says them."""

from __future__ import annotations

from dataclasses import replace

from grader.judging.verdict import Verdict
from grader.judging.wording.message import DO, look_text
from grader.page.page_verdict import PageVerdict
from grader.scenario import Exercise

_SHOWN = "What your answer did is shown below, step by step."
_SEEN = (
    ("of the notebook", "that the task shows"),
    ("The cell is not valid Python", "Your answer is not valid Python"),
)


def in_page_words(found: PageVerdict, exercise: Exercise) -> Verdict:
    """The verdict of a page, which has no commands: a picture of the run is in its card, if there was a run."""
    assert found.verdict is not None
    drawn = found.recording is not None and bool(found.recording.batches)
    return replace(
        found.verdict,
        criteria=[
            replace(criterion, message=_reworded(criterion.message, look_text(exercise), drawn))
            for criterion in found.verdict.criteria
        ],
    )


def _reworded(message: str, look: str, drawn: bool) -> str:
    lines = message.splitlines()
    if not drawn:
        lines = [line for line in lines if line != f"{DO}: {look}"]
    text = "\n".join(lines).replace(look, _SHOWN if drawn else "")
    for words, instead in _SEEN:
        text = text.replace(words, instead)
    return text
