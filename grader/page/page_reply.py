"""What the Python of a page sends back for an answer: the verdict as HTML, and all that a page says with it."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from grader.feedback.verdict_html import verdict_html
from grader.page.exercise_check import check, packed_exercise
from grader.page.page_words import in_page_words

PRINTED = 4000


class _Printed(io.StringIO):
    """Keeps the beginning of what is printed: an answer may print without an end."""

    def write(self, text: str) -> int:
        super().write(text[: max(0, PRINTED - self.tell())])
        return len(text)


def reply(exercise: str, code: str, course: Path) -> dict[str, Any]:
    """Check an answer; plain data, for JSON.

    - `status`: of the verdict; `only_lab` if only the lab can judge the answer
    - `mistake`: the id of the mistake that the run fits, or None
    - `html`: the verdict as a card with the picture of the run; the page has its title. Empty without a verdict
    - `only_lab`: why only the lab can judge the answer, otherwise empty
    - `not_played`: what the lab plays beyond the page, a sentence each
    - `printed`: what the answer printed in all its runs, as far as PRINTED characters
    """
    printed = _Printed()
    with redirect_stdout(printed):
        found = check(exercise, code, course)
    said = {
        "only_lab": found.only_lab,
        "not_played": found.not_played,
        "printed": printed.getvalue(),
    }
    if found.verdict is None:
        return {"status": "only_lab", "mistake": None, "html": "", **said}
    packed = packed_exercise(exercise, course)
    said_here = in_page_words(found, packed.exercise)
    html = verdict_html(said_here, "", found.recording, packed, graded=False)
    diagnosis = found.verdict.diagnosis
    mistake = diagnosis.id if diagnosis else None
    return {"status": found.verdict.status, "mistake": mistake, "html": html, **said}
