"""What restores a file of the course depends on how the course came."""

from pathlib import Path

import pytest

from grader.judging import course_origin
from grader.judging.check_pack import PackError, read_pack
from grader.judging.course_origin import restore_fix


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "course" / "03_watermarks"
    folder.mkdir(parents=True)
    return folder / "checks.pack"


def test_in_a_clone_it_is_git(pack: Path, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    with pytest.raises(PackError) as told:
        read_pack(pack)
    assert str(told.value) == f"{pack} is missing. Restore it: `git checkout -- {pack}`."


def test_a_zip_is_unzipped_again(pack: Path) -> None:
    pack.write_bytes(b"stateful-streams checks 5\ncut short")
    with pytest.raises(
        PackError, match=r"is damaged\. Restore it: unzip the course again.*from there\.$"
    ):
        read_pack(pack)


def test_a_zip_within_a_repository_of_the_learners_own_is_no_clone(
    pack: Path, tmp_path: Path
) -> None:
    inside = tmp_path / "unzipped" / "course" / "checks.pack"
    inside.parent.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    assert restore_fix(inside).startswith("unzip the course again")


def test_a_package_is_installed_again(pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = "/home/ada/.venv/lib/python3.12/site-packages/grader/judging/course_origin.py"
    monkeypatch.setattr(course_origin, "__file__", installed)
    assert "pip install --force-reinstall stateful-streams" in restore_fix(pack)
