"""The lens shows a run also where the values in its state cannot be read."""

from pathlib import Path

import pytest

import grader
from grader.authoring.proof import Bench
from grader.judging.check_pack import find_exercise
from grader.learner import notebook_lab
from grader.replay.given_query import subject_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_a_run_with_named_sources_is_shown_without_its_state(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    version_before = subject_of(find_exercise("13.3", ROOT).subject)
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(notebook_lab, "start", lambda: bench)

    grader.lens("13.3", version_before)

    told = capsys.readouterr().out
    assert "Not shown: what is in the state. Spark's reader cannot read it here" in told
    assert "/home" in told
