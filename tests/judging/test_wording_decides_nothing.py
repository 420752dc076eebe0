"""Words are made in one package, at the end: no verdict hangs on them, and no other module of judging uses them."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from grader.judging import judge as judging
from grader.judging.check_pack import FILE_NAME, PackedExercise, read_pack
from grader.judging.judge import judge
from grader.judging.verdict import Diagnosis, Verdict
from grader.runtime.paths import PACKAGE
from grader.scenario.recording import Batch, Failure, Operator, Recording

COURSE = Path(__file__).resolve().parents[2] / "course"
WORDING = "grader.judging.wording"
MAKES_VERDICTS = "judge.py"


def imports_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    ]
    return {*found, *names}


def test_only_the_judge_imports_words() -> None:
    users = {
        path.name
        for path in (PACKAGE / "judging").glob("*.py")
        if any(name.startswith(WORDING) for name in imports_of(path))
    }
    assert users == {MAKES_VERDICTS}


def test_no_kind_of_answer_is_compared_by_its_name() -> None:
    for room in ("judging", "feedback"):
        for path in (PACKAGE / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Compare):
                    sides = [node.left, *node.comparators]
                    names = [side.attr for side in sides if isinstance(side, ast.Attribute)]
                    assert "returns" not in names, path


def no_rows(run: Recording) -> Recording:
    return replace(run, batches=[replace(batch, rows=[]) for batch in run.batches])


def no_watermark(run: Recording) -> Recording:
    batches = [replace(batch, watermark=None) for batch in run.batches]
    return replace(run, batches=batches, plan=replace(run.plan, watermarks=[], print="another"))


def much_state(run: Recording) -> Recording:
    def of(operator: Operator) -> Operator:
        return replace(operator, rows_total=3 * operator.rows_total + 9, dropped=1)

    def grown(batch: Batch) -> Batch:
        return replace(batch, operators=[of(operator) for operator in batch.operators])

    return replace(run, batches=[grown(batch) for batch in run.batches])


def other_columns(run: Recording) -> Recording:
    return replace(run, schema=[{"name": "spare", "type": "long"}, *run.schema[1:]])


def failed(run: Recording) -> Recording:
    return replace(run, failure=Failure("query", "No more of it.", step=1))


WRONG = (no_rows, no_watermark, much_state, other_columns, failed)


@pytest.fixture(scope="module")
def packs() -> list[PackedExercise]:
    files = sorted(COURSE.glob(f"*/{FILE_NAME}"))
    return [packed for path in files[:10] for packed in read_pack(path).exercises.values()]


def verdicts(packs: list[PackedExercise]) -> list[Verdict]:
    """Each exercise of the first lessons with each kind of wrong run, in the first play or in the last."""
    found = []
    for packed in packs:
        right = [replace(play, actual=play.expected) for play in packed.plays()]
        for wrong in WRONG:
            for place in {0, len(right) - 1}:
                plays = list(right)
                plays[place] = replace(right[place], actual=wrong(right[place].expected))
                found.append(judge(packed.exercise, plays, packed.fingerprints))
    return found


def decided(verdict: Verdict) -> tuple[object, ...]:
    criteria = [(criterion.name, criterion.passed) for criterion in verdict.criteria]
    named = verdict.diagnosis.id if verdict.diagnosis else None
    return verdict.exercise, verdict.status, verdict.score, criteria, named


def test_without_words_every_verdict_is_the_same(
    packs: list[PackedExercise], monkeypatch: pytest.MonkeyPatch
) -> None:
    spoken = verdicts(packs)
    assert {verdict.status for verdict in spoken} >= {"passed", "failed", "error"}
    assert len({c.name for verdict in spoken for c in verdict.criteria if not c.passed}) > 8
    monkeypatch.setattr(judging, "criterion_text", lambda *_: "")
    monkeypatch.setattr(judging, "known_mistake", lambda mistake, *_: Diagnosis(mistake.id, "", ""))
    monkeypatch.setattr(judging, "plan_mistake", lambda found: Diagnosis(found.kind, "", ""))
    silent = verdicts(packs)
    assert all(not criterion.message for verdict in silent for criterion in verdict.criteria)
    assert [decided(verdict) for verdict in silent] == [decided(verdict) for verdict in spoken]
