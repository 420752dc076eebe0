"""A proof ends with what it rests on: each change is named, with the command that proves anew."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from testkit.spot_check import (
    changed_since_the_last_commit_but_one,
    commit_id,
    contradiction,
    sample,
    spots_of,
)
from testkit.unproved import unproved

from grader.authoring.course_build import build, differences
from grader.authoring.lesson_source import ExerciseSource, LessonSource, read_lessons
from grader.authoring.play_store import KeptPlays
from grader.authoring.proof import Bench
from grader.authoring.proof_store import (
    forget_proof,
    proofs_path,
    read_proof,
    write_entry,
    write_part,
)
from grader.authoring.verification import verify
from grader.judging.check_pack import FILE_NAME, read_pack, write_pack
from grader.runtime.paths import PACKAGE
from grader.scenario import Exercise

pytestmark = pytest.mark.slow
SAMPLE = Path(__file__).parent / "sample"
FIX = "Run `grader verify 90.1` and commit solutions/90_sample/proofs.json"


@pytest.fixture(scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory, bench: Bench) -> Path:
    """The sample course, built and verified."""
    root = tmp_path_factory.mktemp("proved") / "project"
    shutil.copytree(SAMPLE, root)
    plays = KeptPlays(lambda: bench, root / "plays")
    build(read_lessons(root / "solutions"), root / "course", plays)
    (proof,) = verify(read_lessons(root / "solutions"), root / "course", plays, [])
    assert proof.faults == []
    return root


@pytest.fixture
def project(proved: Path, tmp_path: Path) -> Path:
    shutil.copytree(proved, tmp_path / "project")
    return tmp_path / "project"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the engine's files, with the lock beside them."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, tmp_path / "engine" / "grader", ignore=ignored)
    shutil.copy(PACKAGE.parent / "requirements.lock", tmp_path / "engine")
    return tmp_path / "engine" / "grader"


def exercise(project: Path) -> ExerciseSource:
    return read_lessons(project / "solutions")[0].exercises[0]


def unproved_in(project: Path, package: Path = PACKAGE) -> list[str]:
    return unproved(read_lessons(project / "solutions"), project / "course", package)


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_proof_is_small_readable_and_the_same_each_time(project: Path, bench: Bench) -> None:
    path = proofs_path(exercise(project).lesson)
    text = path.read_text()
    proofs = json.loads(text)
    assert text == json.dumps(proofs, indent=1, sort_keys=True) + "\n"
    assert list(proofs) == ["90.1"]
    proof = proofs["90.1"]
    assert set(proof.pop("rests_on")) == {"engine", "exercise", "pack", "versions"}
    runs = {id: of_it.pop("run_on_hidden") for id, of_it in proof["misconceptions"].items()}
    assert runs["null_is_kept"] is None, "the hidden events hold no null"
    assert runs["everything"] and runs["the_others"] not in (None, runs["everything"])
    named = {"status": "failed", "diagnosed": True, "named_on_hidden": True}
    unseen = {**named, "named_on_hidden": False}
    assert proof == {
        "solution": "passed",
        "stub": "not_attempted",
        "misconceptions": {"everything": named, "the_others": named, "null_is_kept": unseen},
        "equivalents": {"with_filter": {"status": "passed", "blamed_on_hidden": False}},
    }
    plays = KeptPlays(lambda: bench, None)
    verify(read_lessons(project / "solutions"), project / "course", plays, ["90.1"])
    assert plays.played
    assert path.read_text() == text


def test_a_proof_holds_as_long_as_nothing_changes(project: Path, package: Path) -> None:
    assert unproved_in(project) == []
    assert unproved_in(project, package) == []
    with open(package / "learner" / "hints.py", "a") as file:
        file.write("NEXT_HINT = 1  # what learners see proves nothing\n")
    assert unproved_in(project, package) == []


def test_words_end_no_proof_and_need_no_play(project: Path, package: Path) -> None:
    """A hint, a title, a note, a discussion, a comment and a docstring: `build` takes them over without Spark."""
    folder = exercise(project).folder
    pack = project / "course" / "90_sample" / FILE_NAME
    before = pack.read_bytes()
    change(folder / "exercise.toml", 'title = "', 'title = "Other words: ')
    mistakes = folder / "misconceptions.py"
    mistakes.write_text(re.sub(r'    """(?=\w)', '    """Other words: ', mistakes.read_text()))
    change(folder / "equivalents.py", "from pyspark", "# a comment\nfrom pyspark")
    (folder / "discussion.md").write_text("Another discussion.\n")
    assert differences(read_lessons(project / "solutions"), project / "course")

    def no_lab() -> Bench:
        raise AssertionError("nothing has to be played")

    build(read_lessons(project / "solutions"), project / "course", KeptPlays(no_lab, None))
    assert not differences(read_lessons(project / "solutions"), project / "course")
    assert pack.read_bytes() != before
    packed = read_pack(pack).exercises["90.1"]
    assert packed.discussion == "Another discussion."
    assert all(known.title.startswith("Other words: ") for known in packed.fingerprints)
    assert unproved_in(project, package) == []


@pytest.mark.parametrize(
    ("what", "spoil"),
    [
        ("engine", lambda _, package: change(package / "judging" / "rows.py", "rel_tol=1e-9", "rel_tol=1e-8")),
        ("engine", lambda _, package: change(package / "scenario" / "events.py", "*self.clocks, 0", "*self.clocks, 1")),
        ("versions", lambda _, package: change(package.parent / "requirements.lock", "pyspark==", "pyspark==1")),
        ("versions", lambda _, package: change(package / "runtime/jars/broker/jgo.lock.toml", "4.3.0", "4.3.1")),
        ("exercise", lambda project, _: change(exercise(project).folder / "equivalents.py", "filter(", "where(")),
        ("pack", lambda project, _: repack(project)),
    ],
)  # fmt: skip
def test_what_has_changed_is_named_with_the_command(
    project: Path, package: Path, what: str, spoil: Callable[[Path, Path], None]
) -> None:
    spoil(project, package)
    assert unproved_in(project, package) == [f"90.1 was proved with another {what}. {FIX}"]


def repack(project: Path) -> None:
    """What an engine that judges otherwise would have put into the pack."""
    path = project / "course" / "90_sample" / FILE_NAME
    pack = read_pack(path)
    pack.exercises["90.1"].fingerprints.pop()
    write_pack(pack, path)


@pytest.mark.parametrize("text", [None, "", '<<<<<<< ours\n{"rests_on": {}}\n'])
def test_without_a_proof_that_can_be_read_there_is_none(project: Path, text: str | None) -> None:
    path = proofs_path(exercise(project).lesson)
    path.unlink()
    if text is not None:
        path.write_text(text)
    assert unproved_in(project) == [f"90.1 has no proof. {FIX}"]


def test_a_forged_proof_is_caught_when_it_is_played(project: Path, bench: Bench) -> None:
    source = exercise(project)
    packed = read_pack(project / "course" / "90_sample" / FILE_NAME).exercises["90.1"]

    def contradictions() -> list[str]:
        plays = KeptPlays(lambda: bench, None)
        found = [contradiction(plays, spot, packed) for spot in spots_of(source)]
        return [said for said in found if said]

    assert contradictions() == []
    proof = read_proof(source)
    proof["solution"] = "failed"
    proof["misconceptions"]["the_others"]["status"] = "error"
    proof["misconceptions"]["everything"]["named_on_hidden"] = False
    proof["equivalents"]["with_filter"]["blamed_on_hidden"] = True
    write_entry(source.lesson, source.exercise.id, proof)
    assert unproved_in(project) == []
    assert [said.split(":")[0] for said in contradictions()] == [
        "90.1/solution/",
        "90.1/misconceptions/the_others",
        "90.1/misconceptions/everything/elsewhere",
        "90.1/equivalents/with_filter/elsewhere",
    ]


@pytest.mark.parametrize("beside", [False, True])
def test_a_fault_takes_the_proof_away_and_no_other_commands_part(
    project: Path, bench: Bench, beside: bool
) -> None:
    path = proofs_path(exercise(project).lesson)
    part = {"rests_on": {"program": "0123"}, "killed": 3}
    if beside:
        write_part(exercise(project), "mutants", part)
    change(
        exercise(project).folder / "equivalents.py", 'F.col("bought") == F.lit(True)', "F.lit(True)"
    )
    plays = KeptPlays(lambda: bench, project / "plays")
    (proof,) = verify(read_lessons(project / "solutions"), project / "course", plays, [])
    assert any("equivalent with_filter does not pass" in fault for fault in proof.faults)
    assert read_proof(exercise(project)) == ({"mutants": part} if beside else {})
    assert path.exists() == beside
    assert any("has no proof" in line for line in unproved_in(project))


def test_another_commands_part_stays_as_long_as_it_holds(project: Path, bench: Bench) -> None:
    def verified() -> dict[str, Any]:
        plays = KeptPlays(lambda: bench, project / "plays")
        verify(read_lessons(project / "solutions"), project / "course", plays, [])
        assert plays.played == 0, "all that is needed was played before"
        return read_proof(exercise(project))

    engine = read_proof(exercise(project))["rests_on"]["engine"]
    part = {"rests_on": {"engine": engine, "program": "0123"}, "killed": 3}
    write_part(exercise(project), "mutants", part)
    assert verified()["mutants"] == part
    assert unproved_in(project) == []
    part["rests_on"]["engine"] = "another"
    write_part(exercise(project), "mutants", part)
    assert "mutants" not in verified()


def git(project: Path, *words: str) -> None:
    who = ["-c", "user.name=author", "-c", "user.email=author@example.org"]
    subprocess.run(["git", *who, *words], cwd=project, check=True, capture_output=True)


def test_parts_written_side_by_side_are_all_kept(tmp_path: Path) -> None:
    """Exercises of a lesson are proved side by side, and each proof goes into the lesson's one file."""
    lesson = LessonSource(tmp_path, "Sample")
    sources = [
        ExerciseSource(tmp_path / id, Exercise(id, "Sample", "f", []), [], [], [], lesson)
        for id in (f"90.{number}" for number in range(8))
    ]
    for source in sources:
        write_part(source, "mutants", {"rests_on": {}})

    def take_the_proof_away(source: ExerciseSource) -> None:
        for _ in range(50):
            forget_proof(source, {})

    with ThreadPoolExecutor(len(sources)) as pool:
        list(pool.map(take_the_proof_away, sources))
    assert [set(read_proof(source)) for source in sources] == [{"mutants"}] * len(sources)


def test_an_exercise_is_played_in_full_when_its_text_has_changed_since_the_last_commit_but_one(
    project: Path,
) -> None:
    source = exercise(project)
    assert commit_id(project) is None
    assert not changed_since_the_last_commit_but_one(source), "no git: nobody can tell"
    git(project, "init", "--quiet")
    git(project, "add", "solutions")
    git(project, "commit", "--quiet", "--message", "A proved exercise")
    assert commit_id(project)
    assert not changed_since_the_last_commit_but_one(source), "no commit before it"
    git(project, "commit", "--quiet", "--allow-empty", "--message", "Another thing")
    assert not changed_since_the_last_commit_but_one(source)
    proof = read_proof(source)
    proof["rests_on"]["exercise"] = "another"
    write_entry(source.lesson, source.exercise.id, proof)
    assert changed_since_the_last_commit_but_one(source)
    git(project, "commit", "--quiet", "--all", "--message", "Another text")
    assert changed_since_the_last_commit_but_one(source)
    git(project, "rm", "--quiet", "--cached", str(proofs_path(source.lesson)))
    git(project, "commit", "--quiet", "--message", "Not proved yet")
    git(project, "commit", "--quiet", "--allow-empty", "--message", "Another thing")
    assert changed_since_the_last_commit_but_one(source), "a new exercise"


def test_every_commit_chooses_other_statements_and_always_as_many(project: Path) -> None:
    spots = spots_of(exercise(project))
    assert len(spots) == 11
    chosen = {seed: {spot.id for spot in sample(spots, seed, 4)} for seed in map(str, range(40))}
    assert {len(found) for found in chosen.values()} == {4}
    assert set.union(*chosen.values()) == {spot.id for spot in spots}
    assert sample(spots, "1", 4) == sample(reversed(spots), "1", 4)


def test_a_given_query_that_does_not_run_is_a_fault_of_its_exercise(project: Path) -> None:
    """An older Spark may lack what it calls; the other exercises are verified all the same."""

    class Engine:
        def record(self, source: ExerciseSource, *_: Any, **__: Any) -> Any:
            assert source.subject
            return source.subject.function("a stream")

    given = exercise(project).folder / "subject.py"
    given.write_text("def subject(clicks):\n    return clicks.name('web')\n")
    lessons = read_lessons(project / "solutions")
    plays = KeptPlays(Engine, None)
    (proof,) = verify(lessons, project / "course", plays, [], write=False)
    assert proof.faults == [
        f"{given} does not run: AttributeError: 'str' object has no attribute 'name'"
    ]

    given.write_text("subject = str.upper\n")  # and what the engine does with it fails
    lessons = read_lessons(project / "solutions")
    with pytest.raises(AttributeError):
        verify(lessons, project / "course", plays, [], write=False)
