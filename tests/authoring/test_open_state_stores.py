"""Plays of many stores in one process leave no files open behind them."""

import contextlib
import os
from pathlib import Path

import pytest

from grader.authoring import open_state_stores
from grader.authoring.lesson_source import read_lessons
from grader.authoring.play_store import KeptPlays
from grader.authoring.proof import Bench
from grader.runtime.spark_internals.java_gateway import java
from grader.runtime.spark_internals.session_internals import unload_state_stores
from grader.scenario import Variant

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]


def of_stores(bench: Bench) -> int:
    """The files that Java holds open in the folders of its state stores."""
    jvm = java(bench.spark)
    folder = Path("/proc", str(jvm.java.lang.ProcessHandle.current().pid()), "fd")
    if not folder.is_dir():
        pytest.skip("there is no /proc here")
    held = []
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            held.append(os.readlink(path))
    return sum("StateStoreId(" in name for name in held)


def test_where_files_are_many_the_stores_of_plays_that_are_over_are_closed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    lessons = read_lessons(ROOT / "solutions")
    (wide,) = [x for lesson in lessons for x in lesson.exercises if x.exercise.id == "11.6"]
    plays = KeptPlays(lambda: bench, None)

    def play() -> None:
        found = plays.record(wide, wide.solution, Variant("as_is", wide.public))
        assert found.failure is None

    unload_state_stores(bench.spark)
    play()
    assert of_stores(bench) > 20, "as Spark leaves them"
    monkeypatch.setattr(open_state_stores, "MANY", 0)
    play()
    assert of_stores(bench) == 0
    play()
