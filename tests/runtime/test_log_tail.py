"""Of a program's log the line that says why it ended."""

from pathlib import Path

import pytest

from grader.runtime.log_tail import last_words

REFUSED = """\
Traceback (most recent call last):
  File "query.py", line 3, in <module>
pyspark.errors.exceptions.captured.AnalysisException: [UNRESOLVED_COLUMN] A column cannot be resolved; line 1 pos 0;
'Project ['nothing]
+- StreamingRelationV2 kafka
"""


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (REFUSED, "[UNRESOLVED_COLUMN] A column cannot be resolved; line 1 pos 0"),
        ("one\ntwo\n", "two"),
        ("", "it has not said why"),
        ("ValueError: first\n\nKeyError: 'last'\n", "KeyError: 'last'"),
    ],
)
def test_an_exception_is_told_before_the_last_line(tmp_path: Path, log: str, said: str) -> None:
    path = tmp_path / "log"
    path.write_text(log)
    assert last_words(path).endswith(said)
