"""The card of a verdict, in words."""

from grader.feedback.verdict_html import verdict_html
from grader.judging.verdict import Criterion, Verdict

VERDICT = Verdict(
    "03.2",
    "failed",
    0.0,
    1.0,
    [Criterion("late_rows", False, "Step 4 contains a late row.")],
    None,
    1.0,
)


def test_a_criterion_is_named_in_words() -> None:
    card = verdict_html(VERDICT, "Late clicks")
    assert "<b>late rows</b> Step 4" in card and "late_rows" not in card


def test_a_page_that_has_the_title_does_not_repeat_it() -> None:
    assert "<h4>✗ 03.2: not passed</h4>" in verdict_html(VERDICT, graded=False)
    assert "<h4>✗ 03.2 Late clicks: not passed</h4>" in verdict_html(
        VERDICT, "Late clicks", graded=False
    )
