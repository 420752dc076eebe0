"""grader drill --import: what a page saved of a drill and a placement test goes on in the lab, and nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest

from grader import cli
from grader.learner import progress
from grader.model.drill.mastery import at_first
from grader.model.drill.saved_drill import NoSavedDrill, import_drill


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_STATE", str(tmp_path / "state"))


def standing(answered: int) -> dict[str, Any]:
    return {**at_first(), "answered": answered, "right": answered}


def saved(folder: Path, **drill: Any) -> Path:
    file = folder / "saved.json"
    passed = {"03.2": {"code": "def late_clicks(clicks): ...", "passed": True}}
    file.write_text(json.dumps({"version": 1, "exercises": passed, "drill": drill}))
    return file


def test_a_topic_with_more_answers_is_kept_and_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    progress.remember_drill("joins", standing(5))
    progress.remember_drill("sessions", standing(2))
    file = saved(
        tmp_path, windows=standing(3), joins=standing(4), sessions=standing(6),
        watermarks={**standing(9), "level": 7}, cooking=standing(9),
    )  # fmt: skip
    assert cli.main(["drill", "--import", str(file)]) == 0
    said = capsys.readouterr().out
    assert "windows: level 1 of 3" in said and "6 of 6 right" in said
    assert "not imported: only the lab's checks count" in said
    assert progress.drilled() == {
        "joins": standing(5), "sessions": standing(6), "windows": standing(3),
    }  # fmt: skip
    assert progress.read()["exercises"] == {}


def test_a_second_import_changes_nothing(tmp_path: Path) -> None:
    file = saved(tmp_path, windows=standing(3))
    import_drill(file)
    kept = progress.read()
    assert "no topic with more answers" in import_drill(file)
    assert progress.read() == kept


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2}', '{"version": 1, "drill": 3}'])
def test_another_file_is_refused_with_what_to_do(tmp_path: Path, text: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(text)
    with pytest.raises(NoSavedDrill, match="Fix: save a file"):
        import_drill(file)
    with pytest.raises(NoSavedDrill):
        import_drill(tmp_path / "missing.json")


def placed(folder: Path, when: str, *answers: object) -> Path:
    file = folder / "placed.json"
    test = {"when": when, "answers": answers}
    file.write_text(json.dumps({"version": 1, "exercises": {}, "drill": {}, "placement": test}))
    return file


def test_a_placement_test_of_a_page_is_the_labs_if_it_is_later(tmp_path: Path) -> None:
    first = placed(tmp_path, "2026-03-01T12:00:00+00:00", ["00", True], ["01", True], ["02", False])
    assert "Placement: skip 00, 01; study 02; begin with lesson 02" in import_drill(first)
    assert progress.placement() == [("00", True), ("01", True), ("02", False)]
    kept = progress.read()["placement"]
    assert kept["when"] == "2026-03-01T12:00:00+00:00"
    for file in (first, placed(tmp_path, "2026-03-01T11:59:59+00:00", ["00", False])):
        assert "no later placement test" in import_drill(file)
        assert progress.read()["placement"] == kept
    import_drill(placed(tmp_path, "2026-03-01T14:00:01+02:00", ["00", False]))
    assert progress.placement() == [("00", False)]


def test_the_labs_own_later_test_stays(tmp_path: Path) -> None:
    progress.remember_placement([("00", True)])
    file = placed(tmp_path, "2026-03-01T12:00:00+00:00", ["00", False])
    assert "no later placement test" in import_drill(file)
    assert progress.placement() == [("00", True)]


@pytest.mark.parametrize("when", ["", "tomorrow", "2026-03-01T12:00:00", 7, None])
def test_a_placement_test_without_its_time_is_left_out(tmp_path: Path, when: Any) -> None:
    import_drill(placed(tmp_path, when, ["00", True]))
    assert progress.placement() == []


def test_a_damaged_placement_test_is_left_out(tmp_path: Path) -> None:
    import_drill(placed(tmp_path, "2026-03-01T12:00:00+00:00", ["00", True], ["cooking", True]))
    assert progress.placement() == []


def test_a_topic_and_an_import_exclude_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    assert cli.main(["drill", "joins", "--import", str(saved(tmp_path))]) == 2
    assert "leave the topic" in capsys.readouterr().err
