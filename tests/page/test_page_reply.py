"""What a page shows of an answer beyond its verdict, in a process without PySpark."""

import json
import subprocess
import sys

from page.page_cases import COURSE, ROOT

_REPLY = """
import json, sys
from pathlib import Path
from grader.page.page_reply import reply
print(json.dumps(reply("11.4", sys.stdin.read(), Path(sys.argv[1]))))
"""


def reply(code: str) -> dict[str, object]:
    words = [sys.executable, "-c", _REPLY, str(COURSE)]
    done = subprocess.run(words, input=code, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, object] = json.loads(done.stdout)  # nothing of the answer is printed there
    return found


def test_what_an_answer_prints_is_shown_as_far_as_there_is_room() -> None:
    code = "def how_many_stores(report, cores, rows):\n    print('cores', cores)\n    return 7\n"
    found = reply(code)
    assert found["status"] == "failed"
    assert str(found["printed"]).startswith("cores 2\n")
    found = reply(code.replace("'cores', cores", "'x' * 10**6"))
    assert found["printed"] == "x" * 4000


def test_a_syntax_error_names_its_line_and_no_cell() -> None:
    html = str(reply("def how_many_stores(report, cores, rows)\n    return 7\n")["html"])
    assert "Your answer is not valid Python" in html
    assert "in the line: def how_many_stores(report, cores, rows)" in html
    assert "points" not in html
