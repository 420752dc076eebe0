"""The course that is committed is the one that solutions/ makes, and every check in it is right."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def grader(*words: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-c",
        "import sys; from grader.cli import main; sys.exit(main())",
        *words,
    ]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_course_is_what_solutions_make() -> None:
    checked = grader("build", "--check")
    assert checked.returncode == 0, checked.stdout


@pytest.mark.slow
@pytest.mark.timeout(2400)
def test_every_exercise_is_proved() -> None:
    ran = grader("verify", "--json")
    result = json.loads(ran.stdout)
    bad = [
        exercise["id"]
        for exercise in result["exercises"]
        if exercise["solution"] != "passed"
        or exercise["stub"] != "not_attempted"
        or len(exercise["misconceptions"]) < 3
        or any(m["status"] == "passed" or not m["diagnosed"] for m in exercise["misconceptions"])
        or not exercise["equivalents"]
        or any(e["status"] != "passed" for e in exercise["equivalents"])
    ]
    assert not bad
    assert result["ok"]
    assert len(result["exercises"]) >= 18
    mistakes = [m for exercise in result["exercises"] for m in exercise["misconceptions"]]
    print(f"{sum(m['diagnosed'] for m in mistakes)} of {len(mistakes)} mistakes named rightly")
