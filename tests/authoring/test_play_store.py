"""What was played once is taken from disk, and played again as soon as anything that made it differs."""

import json
import os
import re
import shutil
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grader.authoring import exercise_digests, play_store
from grader.authoring.answer import Answer
from grader.authoring.exercise_digests import exercise_digest, mutants_digest, public_digest
from grader.authoring.lesson_source import ExerciseSource, read_lessons
from grader.authoring.play_store import KeptPlays, Stopped
from grader.runtime.paths import PACKAGE
from grader.scenario import Exercise, Variant
from grader.scenario.recording import Failure, Recording
from grader.validity.exercise_parts import JUDGED_ONLY, kind_of_play
from grader.validity.stored_results import CALLED_PLAY, PLAYS

SAMPLE = Path(__file__).parent / "sample" / "solutions"


class Counter:
    """A player that counts, and says what it is asked to say."""

    def __init__(self) -> None:
        self.plays = 0
        self.failure: Failure | None = None

    def record(
        self,
        source: ExerciseSource,
        answer: Answer,
        variant: Variant,
        *,
        as_expected: bool = False,
    ) -> Recording:
        self.plays += 1
        return Recording(source.exercise.id, variant.name, seconds=self.plays, failure=self.failure)


@pytest.fixture
def source() -> ExerciseSource:
    return read_lessons(SAMPLE)[0].exercises[0]


@pytest.fixture
def player() -> Counter:
    return Counter()


@pytest.fixture
def plays(player: Counter, tmp_path: Path) -> KeptPlays:
    return KeptPlays(lambda: player, tmp_path)


def as_is(source: ExerciseSource) -> Variant:
    return Variant("as_is", source.public)


def of(source: ExerciseSource, **changes: object) -> ExerciseSource:
    return replace(source, exercise=replace(source.exercise, **changes))  # type: ignore[arg-type]


def test_an_answer_is_played_once_and_its_recording_is_the_same_from_disk(
    source: ExerciseSource, player: Counter, plays: KeptPlays, tmp_path: Path
) -> None:
    first = plays.record(source, source.solution, as_is(source))
    assert plays.record(source, source.solution, as_is(source)) == first
    another_day = KeptPlays(lambda: player, tmp_path)
    judged_otherwise = of(source, title="Bought", points=9, criteria=["rows", "step"])
    assert another_day.record(judged_otherwise, source.solution, as_is(source)) == first
    assert (player.plays, another_day.taken, another_day.played) == (1, 1, 0)


def test_a_docstring_is_not_played(
    source: ExerciseSource, player: Counter, plays: KeptPlays
) -> None:
    wrong = source.misconceptions[0].answer
    said = re.sub(r'(?m)^( *""")(?=\w)', r"\1Said otherwise: ", wrong.text)
    assert said != wrong.text
    plays.record(source, wrong, as_is(source))
    plays.record(source, replace(wrong, text=said), as_is(source))
    assert player.plays == 1


def test_an_error_in_cells_names_no_line_of_the_lesson(source: ExerciseSource) -> None:
    """Lines of the cells are elsewhere in the lesson's file."""
    name = source.exercise.answer
    answer = source.answer_of(f"def {name}(clicks):\n    raise ValueError")
    with pytest.raises(ValueError) as raised:
        answer.function(None)
    frame = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert (frame.name, frame.line) == (name, "")


def test_each_kind_of_play_has_code_of_its_own(source: ExerciseSource) -> None:
    table = on_a_table(source).exercise
    kinds = [kind_of_play(source.exercise), kind_of_play(table), CALLED_PLAY]
    assert kinds == [*PLAYS]
    assert len({kind.code() for kind in kinds}) == 3


def on_a_table(source: ExerciseSource) -> ExerciseSource:
    inputs = {name: replace(given, table=True) for name, given in source.exercise.inputs.items()}
    return replace(source, exercise=replace(source.exercise, inputs=inputs))


Change = Callable[[ExerciseSource], tuple[ExerciseSource, Answer, Variant]]


@pytest.mark.parametrize(
    "change",
    [
        lambda s: (s, replace(s.solution, text=s.solution.text + "\nMORE = 1\n"), as_is(s)),
        lambda s: (s, replace(s.solution, name="clicks"), as_is(s)),
        lambda s: (of(s, output_mode="update"), s.solution, as_is(s)),
        lambda s: (of(s, conf={"spark.sql.shuffle.partitions": "1"}), s.solution, as_is(s)),
        lambda s: (s, s.solution, replace(as_is(s), crash_after=1)),
        lambda s: (s, s.solution, Variant("as_is", s.hidden())),
    ],
    ids=["text", "function", "output mode", "setting", "crash", "events"],
)
def test_whatever_makes_a_recording_makes_a_new_play(
    source: ExerciseSource, player: Counter, plays: KeptPlays, change: Change
) -> None:
    plays.record(source, source.solution, as_is(source))
    plays.record(*change(source))
    assert player.plays == 2


def test_the_solution_is_not_compared_with_itself(
    source: ExerciseSource, player: Counter, plays: KeptPlays
) -> None:
    plays.record(source, source.solution, as_is(source), as_expected=True)
    plays.record(source, source.solution, as_is(source))
    assert player.plays == 2


def test_fresh_plays_anew_and_keeps_what_came_of_it(
    source: ExerciseSource, player: Counter, plays: KeptPlays, tmp_path: Path
) -> None:
    plays.record(source, source.solution, as_is(source))
    fresh = KeptPlays(lambda: player, tmp_path, fresh=True)
    played = fresh.record(source, source.solution, as_is(source))
    assert player.plays == 2
    assert plays.record(source, source.solution, as_is(source)) == played


def test_a_timeout_and_a_damaged_file_are_played_again(
    source: ExerciseSource, player: Counter, plays: KeptPlays, tmp_path: Path
) -> None:
    player.failure = Failure("timeout", fields={"seconds": 60.0})
    plays.record(source, source.solution, as_is(source))
    assert list(tmp_path.iterdir()) == []
    player.failure = Failure("udf", "ValueError: no such page")
    kept = plays.record(source, source.solution, as_is(source))
    assert plays.record(source, source.solution, as_is(source)) == kept
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-10])
    plays.record(source, source.solution, as_is(source))
    assert player.plays == 3


def test_those_used_longest_ago_are_deleted_first(
    source: ExerciseSource, player: Counter, plays: KeptPlays, tmp_path: Path
) -> None:
    files = []
    for number in range(3):
        answer = replace(source.solution, name=f"answer_{number}")
        plays.record(source, answer, as_is(source))
        (new,) = set(tmp_path.iterdir()) - set(files)
        os.utime(new, (number, number))
        files.append(new)
    plays.record(source, replace(source.solution, name="answer_0"), as_is(source))  # used again
    plays.prune(largest=512 * (files[0].stat().st_blocks + files[2].stat().st_blocks))
    assert set(tmp_path.iterdir()) == {files[0], files[2]}


def test_after_a_stop_nothing_is_played_or_kept(
    source: ExerciseSource, plays: KeptPlays, player: Counter, tmp_path: Path
) -> None:
    record = player.record

    def interrupted(*given: object, **more: object) -> Recording:
        plays.stop()
        return record(*given, **more)  # type: ignore[arg-type]

    player.record = interrupted  # type: ignore[method-assign, assignment]
    for _ in range(2):
        with pytest.raises(Stopped):
            plays.record(source, source.solution, as_is(source))
    assert player.plays == 1
    assert list(tmp_path.iterdir()) == []


def test_replay_looks_at_nothing_that_the_key_leaves_out() -> None:
    read = set()
    for path in (PACKAGE / "replay").glob("*.py"):
        read |= set(re.findall(r"\bexercise\.(\w+)", path.read_text()))
    assert {"inputs", "takes", "timeout"} <= read
    assert read - {"answer_kind"} <= set(Exercise.__dataclass_fields__) - set(JUDGED_ONLY)


def test_what_a_subject_imports_of_the_package_is_part_of_what_is_played(tmp_path: Path) -> None:
    shutil.copytree(SAMPLE, tmp_path / "solutions")
    (lesson,) = read_lessons(tmp_path / "solutions")
    source = lesson.exercises[0]
    path = source.folder / "subject.py"
    imports = "from grader.connectors.bus_story import on_the_bus as subject\n"
    path.write_text(imports)
    assert json.loads(play_store._key(source, source.solution, as_is(source), False)[0])["imported"]
    before = exercise_digest(source)
    path.write_text(f"# the same code\n{imports}")
    assert exercise_digest(source) == before
    path.write_text(imports.replace("bus_story", "shard_trial"))
    assert exercise_digest(source) != before


def test_what_is_only_said_of_an_exercise_leaves_its_pack_valid(tmp_path: Path) -> None:
    shutil.copytree(SAMPLE, tmp_path / "solutions")
    folder = read_lessons(tmp_path / "solutions")[0].exercises[0].folder

    def now() -> tuple[str, str]:
        source = read_lessons(tmp_path / "solutions")[0].exercises[0]
        return public_digest(source), mutants_digest(source)

    before = now()
    mistakes = folder / "misconceptions.py"
    said = re.sub(r'(?m)^( *""")(?=\w)', r"\1Said otherwise: ", mistakes.read_text())
    assert said != mistakes.read_text()
    mistakes.write_text(said)
    (folder / "discussion.md").write_text("Another word on it.\n")
    (folder / "equivalents.py").write_text('"""None any more."""\n')
    assert now() == before
    mistakes.write_text(said.replace("return ", "return not ", 1))
    pack, mutants = now()
    assert (pack != before[0], mutants) == (True, before[1]), (
        "a mistake names mutants, it judges none"
    )


def test_delta_counts_for_exercises_with_tables_alone(
    source: ExerciseSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = (source, on_a_table(source))
    digests = (public_digest, mutants_digest, exercise_digest)
    before = [[made(s) for made in digests] for s in sources]
    monkeypatch.setattr(exercise_digests, "lake_jars", lambda: ["lake delta-spark 5.0.0 0"])
    after = [[made(s) for made in digests] for s in sources]
    assert after[0] == before[0]
    assert not {*after[1]} & {*before[1]}
