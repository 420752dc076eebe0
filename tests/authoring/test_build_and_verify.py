"""From solutions/ to course/, and the proof that the check tells right from wrong."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from testkit.grader_command import run_grader

from grader.judging.check_pack import FILE_NAME, read_pack

pytestmark = pytest.mark.slow


def spoil(project: Path, file: str, old: str, new: str) -> None:
    found = sorted((project / "solutions").rglob(file))
    path = next(path for path in found if old in path.read_text())
    path.write_text(path.read_text().replace(old, new))


def test_build_makes_the_students_side_and_check_sees_every_difference(project: Path) -> None:
    assert run_grader("build", "--check").code == 1
    built = run_grader("build", "--fresh")
    assert built.code == 0, built.err
    lesson = project / "course" / "90_sample"
    notebook = json.loads((lesson / "90_sample.ipynb").read_text())
    answer = "".join(notebook["cells"][5]["source"])
    assert 'raise NotImplementedError("your code here")' in answer
    assert "where" not in answer
    assert b"shoes" not in (lesson / FILE_NAME).read_bytes()
    assert "kites" in (lesson / "90.0.svg").read_text(), "the worked example's run is drawn"
    packed = read_pack(lesson / FILE_NAME).exercises["90.1"]
    assert [print_.id for print_ in packed.fingerprints] == [
        "everything",
        "the_others",
        "null_is_kept",
    ]
    assert packed.predictions[0].answer == "2"
    checked = run_grader("build", "--check")
    assert (checked.code, checked.out) == (0, "")

    again = {path: path.read_bytes() for path in lesson.iterdir()}
    assert run_grader("build").code == 0
    assert {path: path.read_bytes() for path in lesson.iterdir()} == again

    spoil(project, "lesson.py", "# A sample lesson", "# Another lesson")
    assert "90_sample.ipynb differs" in run_grader("build", "--check").out
    spoil(project, "lesson.py", "# Another lesson", "# A sample lesson")
    spoil(project, "exercise.toml", "Which clicks are wanted?", "Which clicks do you want?")
    assert "made from other sources" in run_grader("build", "--check").out
    built = run_grader("build")
    assert "\n0 plays; " in built.err, "another hint is no reason to play anything"
    assert "do you want" in read_pack(lesson / FILE_NAME).exercises["90.1"].hints[0]
    checked = run_grader("build", "--check")
    assert (checked.code, checked.out) == (0, "")
    spoil(project, "public.jsonl", "hats", "caps")
    assert "made from other sources" in run_grader("build", "--check").out


def verified(*words: str) -> tuple[int, dict[str, Any], str]:
    """Exit code, the JSON result and what was told on the way."""
    ran = run_grader("verify", "--json", *words)
    return ran.code, json.loads(ran.out), ran.err


def test_verify_proves_a_sound_exercise_and_refuses_unsound_ones(project: Path) -> None:
    assert run_grader("build").code == 0
    code, result, told = verified("--fresh")
    assert code == 0
    assert result["ok"]
    assert "90.1 Purchases: ok" in told
    assert "1 of 1" in told
    assert "; 0 more were played before" in told
    (exercise,) = result["exercises"]
    assert (exercise["id"], exercise["solution"], exercise["stub"]) == (
        "90.1",
        "passed",
        "not_attempted",
    )
    assert [m["status"] for m in exercise["misconceptions"]] == ["failed"] * 3
    assert all(m["diagnosed"] for m in exercise["misconceptions"])
    assert exercise["equivalents"] == [{"id": "with_filter", "status": "passed"}]

    (proof,) = project.rglob("proofs.json")
    kept = proof.read_bytes()
    proof.unlink()
    code, again, told = verified()
    assert (code, again["ok"], proof.read_bytes()) == (0, True, kept)
    assert "\n0 plays; " in told, "what was played is judged again, and not played again"

    # a mistake that the events do not tell from the solution
    shutil.copytree(project / "solutions", project / "kept")
    spoil(project, "public.jsonl", '"bought": null', '"bought": false')
    spoil(project, "hidden.py", "i % 2 == 0", "True")
    run_grader("build")
    code, result, told = verified()
    assert code == 1
    assert not result["ok"]
    assert "misconception null_is_kept passes" in told
    assert not proof.exists(), "a proof that does not hold is taken away"

    # a solution that hard-codes the public rows, and a row that Spark does not make
    shutil.rmtree(project / "solutions")
    shutil.copytree(project / "kept", project / "solutions")
    run_grader("build")
    spoil(
        project,
        "equivalents.py",
        'F.col("bought") == F.lit(True)',
        'F.col("page").isin("shoes", "hats")',
    )
    spoil(project, "exercise.toml", 'page = "shoes"', 'page = "boots"')
    code, result, told = verified()
    assert code == 1
    assert "equivalent with_filter does not pass" in told
    assert "worked out by hand" in told
