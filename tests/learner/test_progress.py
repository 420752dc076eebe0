"""Progress as a page: every lesson, what comes next, what was reached; the discussion once passed."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import grader
from grader.judging.check_pack import find_packs, read_pack
from grader.judging.verdict import Verdict
from grader.learner import progress
from grader.progress_pages.progress_page import progress_html, progress_text

COURSE = Path(__file__).resolve().parents[2] / "course"


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_STATE", str(tmp_path))
    monkeypatch.chdir(COURSE / "03_watermarks")


def packs() -> list:
    return [read_pack(path) for _, path in sorted(find_packs(COURSE).items())]


def test_the_page_links_to_the_first_exercise_that_is_not_passed():
    done = {"00.1": {"status": "passed", "score": 2}, "00.2": {"status": "failed", "attempts": 3}}
    page = progress_html(packs(), done, "../")
    following = page.split("Next: ")[1]
    assert following.startswith('<a href="../00_orientation/00_orientation.ipynb">00.2 ')
    assert "3 checks" in page
    assert all(f">{pack.lesson} {pack.title}</a>" in page for pack in packs())


def test_the_next_exercise_comes_after_the_one_that_was_checked_last():
    passed = {"status": "passed", "score": 2}
    done = {"05.1": passed | {"when": "2026-03-02"}, "05.2": passed | {"when": "2026-03-01"}}
    assert "Next: 05.3 " in progress_text(packs(), done)
    done["05.1"] |= {"when": "2026-03-01"}
    last = [e.exercise.id for p in packs() for e in p.graded() if not e.exercise.further][-1]
    done[last] = passed | {"when": "2026-03-03"}
    assert "Next: 00.1 " in progress_text(packs(), done), "after the last one the first is next"
    done["05.2"] = {"status": "failed", "when": "2026-03-04"}
    assert "Next: 05.2 " in progress_text(packs(), done)


def test_text_and_page_tell_the_same_points():
    done = {
        e.exercise.id: {"status": "passed", "score": e.exercise.points} for e in packs()[0].graded()
    }
    reached = sum(entry["score"] for entry in done.values())
    assert f"<b>{reached:g} of " in progress_html(packs(), done)
    assert f"\n{reached:g} of " in progress_text(packs(), done)


def test_nothing_is_left_when_all_is_passed():
    done = {e.exercise.id: {"status": "passed", "score": 1} for p in packs() for e in p.graded()}
    assert "All exercises passed." in progress_html(packs(), done)


def one_exercise_goes_further() -> list:
    """The packs, with one exercise of 01 marked as going further (and no other), and its id."""
    marked = []
    for pack in packs():
        exercises = {
            id: replace(packed, exercise=replace(packed.exercise, further=id == "01.3"))
            for id, packed in pack.exercises.items()
        }
        marked.append(replace(pack, exercises=exercises))
    return marked


def test_what_goes_further_counts_apart_and_comes_last():
    marked = one_exercise_goes_further()
    core = [e for p in marked for e in p.graded() if not e.exercise.further]
    apart = next(e.exercise for p in marked for e in p.graded() if e.exercise.further)
    of_01 = sum(e.exercise.id.startswith("01.") for e in core)
    done = {e.exercise.id: {"status": "passed", "score": e.exercise.points} for e in core}
    text, page = progress_text(marked, done), progress_html(marked, done)
    assert f"({of_01} of {of_01}, and 0 of 1 further)" in text
    points = sum(e.exercise.points for e in core)
    assert f"\n{points:g} of {points:g} points, and 0 of {apart.points:g} further" in text
    assert f"<b>{points:g} of {points:g} points, and 0 of {apart.points:g} further</b>" in page
    assert f"Next: 01.3 {apart.title}" in text
    one_left = {id: entry for id, entry in done.items() if id != core[-1].exercise.id}
    assert f"Next: {core[-1].exercise.id} " in progress_text(marked, one_left)


def test_hints_climb_and_end_when_the_exercise_is_passed(capsys: pytest.CaptureFixture):
    grader.hint("03.2")
    grader.hint("03.2")
    said = capsys.readouterr().out
    assert "Hint 1 of 3" in said and "Hint 2 of 3" in said and "discussed" not in said
    progress.remember(Verdict("03.2", "passed", 3, 3, []), title="Late clicks")
    grader.hint("03.2")
    said = capsys.readouterr().out
    assert "You have passed 03.2." in said and "Hint" not in said and "discussed**" not in said


def test_a_damaged_file_is_kept_and_told_and_a_second_one_as_well(tmp_path, capsys, monkeypatch):
    for second in ("first", "second"):
        (tmp_path / "progress.json").write_text(f"{{{second}")
        monkeypatch.setattr(progress.time, "strftime", lambda _, name=second: name)
        assert progress.read()["exercises"] == {}
        kept = tmp_path / f"progress.damaged-{second}.json"
        assert kept.read_text() == f"{{{second}" and str(kept) in capsys.readouterr().out


def test_kernels_of_two_notebooks_lose_nothing_of_each_other(tmp_path: Path):
    code = (
        "import sys\nfrom grader.learner import progress\n"
        "for number in range(200):\n    progress.remember_hint(f'{sys.argv[1]}.{number}', 1)"
    )
    kernels = [subprocess.Popen([sys.executable, "-c", code, lesson]) for lesson in ("03", "04")]
    assert [kernel.wait(120) for kernel in kernels] == [0, 0]
    assert len(progress.read()["exercises"]) == 400


def test_where_progress_cannot_be_kept_what_was_done_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "progress.lock").mkdir()  # nothing can be written there
    progress.remember_hint("03.1", 1)
    assert "Your progress could not be kept (Is a directory). Make room" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["progress.lock"]
    with pytest.raises(OSError):
        progress.forget("03.1")
