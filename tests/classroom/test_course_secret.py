"""Hidden events come from a secret of the course, and from nothing that is public."""

from __future__ import annotations

import json
import stat
import threading
from pathlib import Path

import pytest
from testkit.counting_lesson import SOLUTIONS

from grader.authoring.lesson_source import HIDDEN_SEED, ExerciseSource, read_lessons
from grader.classroom import hidden_scenarios
from grader.classroom.course_secret import FILE, course_secret, seed_of
from grader.errors import SetupError


@pytest.fixture
def doubled() -> ExerciseSource:
    (lesson,) = read_lessons(SOLUTIONS)
    return lesson.exercises[0]


def events(source: ExerciseSource, seed: int) -> str:
    found = source.hidden(seed)
    assert found is not None
    return json.dumps(found.to_lines())


def test_the_secret_is_made_once_and_is_the_teachers_alone(tmp_path: Path) -> None:
    found: list[str] = []
    start = threading.Barrier(4)

    def look() -> None:
        start.wait()
        found.append(course_secret(tmp_path))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1 and len(found) == 4
    assert len(found[0]) == 64
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_an_empty_secret_is_not_taken_for_one(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("\n")
    with pytest.raises(SetupError, match="empty"):
        course_secret(tmp_path)


def test_each_course_lesson_and_student_has_other_events(doubled: ExerciseSource) -> None:
    seeds = [
        seed_of("a", "90_counting"),
        seed_of("b", "90_counting"),
        seed_of("a", "91_shoes"),
        seed_of("a", "90_counting", "ada"),
        seed_of("a", "90_counting", "ben"),
        HIDDEN_SEED,
    ]
    assert len({events(doubled, seed) for seed in seeds}) == len(seeds)
    assert events(doubled, seeds[0]) == events(doubled, seed_of("a", "90_counting"))


def test_the_answers_that_are_kept_do_not_tell_the_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path))
    seed = seed_of("a", "90_counting")
    path = hidden_scenarios.cache_paths(SOLUTIONS / "90_counting", [seed])[seed]
    assert str(seed) not in str(path)
    assert path != hidden_scenarios.cache_paths(SOLUTIONS / "90_counting", [seed + 1])[seed + 1]
