"""A course laid out from the package keeps what a learner wrote, and brings the rest up to date."""

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from testkit.lab_processes import ROOT

from grader.errors import SetupError
from grader.lab.course_folder import RECORD, course_around, is_laid_out, lay_out
from grader.runtime.bubblewrap import NoBubblewrapError, find_bubblewrap
from grader.runtime.paths import APP

LESSON = "course/03_watermarks"
NOTEBOOK = f"{LESSON}/03_watermarks.ipynb"
BESIDE = f"{LESSON}/03_watermarks-{metadata.version(APP)}.ipynb"


def release(package: Path, text: str) -> Path:
    """A package with a lesson whose files all say `text`."""
    (package / LESSON).mkdir(parents=True, exist_ok=True)
    (package / "datasets").mkdir(exist_ok=True)
    nbformat.write(new_notebook(cells=[new_code_cell(text, id="a")]), package / NOTEBOOK)
    for name in (f"{LESSON}/checks.pack", f"{LESSON}/03.0.svg", "datasets/clicks.jsonl"):
        (package / name).write_text(text)
    return package


def sources(path: Path) -> list[str]:
    return [cell.source for cell in nbformat.read(path, as_version=4).cells]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def write_answer(path: Path, answer: str) -> None:
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].source = answer
    nbformat.write(notebook, path)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return release(tmp_path / "package", "first")


@pytest.fixture
def folder(tmp_path: Path, package: Path) -> Path:
    """A folder in which the first release was laid out."""
    lay_out(tmp_path / "folder", package)
    return tmp_path / "folder"


def test_all_of_the_package_is_laid_out_and_a_second_time_nothing_changes(
    folder: Path, package: Path
) -> None:
    laid_out = contents(folder)
    assert laid_out.pop(RECORD)
    assert laid_out == contents(package)
    times = {path: path.stat().st_mtime_ns for path in folder.glob("*/**/*")}
    done = lay_out(folder, package)
    assert not (done.new or done.updated or done.beside)
    assert {path: path.stat().st_mtime_ns for path in folder.glob("*/**/*")} == times


def test_what_a_learner_did_not_change_is_updated(folder: Path, package: Path) -> None:
    done = lay_out(folder, release(package, "second"))
    assert sorted(done.updated) == sorted(contents(package))
    assert sources(folder / NOTEBOOK) == ["second"]


def test_a_notebook_that_only_ran_is_updated(folder: Path, package: Path) -> None:
    notebook = nbformat.read(folder / NOTEBOOK, as_version=4)
    notebook.cells[0].outputs = [new_output("stream", text="12 rows")]
    notebook.cells[0].execution_count = 1
    notebook.metadata["language_info"] = {"name": "python", "version": "3.12"}
    nbformat.write(notebook, folder / NOTEBOOK)
    lay_out(folder, package)
    assert nbformat.read(folder / NOTEBOOK, as_version=4) == notebook  # nothing new: it stays
    lay_out(folder, release(package, "second"))
    assert sources(folder / NOTEBOOK) == ["second"]


def test_an_answer_stays_and_the_new_version_is_beside_it(folder: Path, package: Path) -> None:
    write_answer(folder / NOTEBOOK, "my answer")
    assert not lay_out(folder, package).beside  # it is the same release
    done = lay_out(folder, release(package, "second"))
    assert done.beside == [BESIDE] and BESIDE in done.text()
    assert sources(folder / NOTEBOOK) == ["my answer"]
    assert sources(folder / BESIDE) == ["second"]
    (folder / BESIDE).unlink()
    assert not lay_out(folder, package).beside  # told once


def test_what_is_written_into_the_new_version_stays_too(folder: Path, package: Path) -> None:
    write_answer(folder / NOTEBOOK, "my answer")
    lay_out(folder, release(package, "second"))
    write_answer(folder / BESIDE, "my second answer")
    lay_out(folder, release(package, "third"))
    assert sources(folder / NOTEBOOK) == ["my answer"]
    assert sources(folder / BESIDE) == ["my second answer"]


def test_without_a_readable_record_every_answer_stays(folder: Path, package: Path) -> None:
    write_answer(folder / NOTEBOOK, "my answer")
    for damaged in ("", "{", "[]", '{"files": 3}'):
        (folder / RECORD).write_text(damaged)
        lay_out(folder, release(package, f"after {damaged}"))
        assert sources(folder / NOTEBOOK) == ["my answer"]
    assert json.loads((folder / RECORD).read_text())["files"].keys() == contents(package).keys()


def test_a_check_pack_and_a_picture_are_restored(folder: Path, package: Path) -> None:
    (folder / LESSON / "checks.pack").write_text("damaged")
    (folder / LESSON / "03.0.svg").unlink()
    lay_out(folder, package)
    assert (folder / LESSON / "checks.pack").read_text() == "first"
    assert (folder / LESSON / "03.0.svg").read_text() == "first"


def test_a_file_that_the_course_no_longer_has_goes_unless_it_was_changed(
    folder: Path, package: Path
) -> None:
    write_answer(folder / NOTEBOOK, "my answer")
    for name in (NOTEBOOK, "datasets/clicks.jsonl"):
        (package / name).unlink()
    lay_out(folder, package)
    assert not (folder / "datasets/clicks.jsonl").exists()
    assert sources(folder / NOTEBOOK) == ["my answer"]


def test_a_learners_own_files_are_not_touched(folder: Path, package: Path) -> None:
    own = {f"{LESSON}/notes.ipynb": b"{", "course/welcome.md": b"w", "mine/x.py": b"x"}
    for name, content in own.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    lay_out(folder, release(package, "second"))
    assert own.items() <= contents(folder).items()


@pytest.mark.parametrize("there", ["course/03_watermarks/x.ipynb", "Makefile", ".git/config"])
def test_a_folder_of_something_else_is_refused(tmp_path: Path, package: Path, there: str) -> None:
    strange = tmp_path / "strange"
    (strange / there).parent.mkdir(parents=True)
    (strange / there).write_text("mine")
    with pytest.raises(SetupError, match=r"holds something else .* Fix: choose another folder"):
        lay_out(strange, package)
    assert contents(strange) == {there: b"mine"}


def test_a_file_in_the_folders_place_is_refused(tmp_path: Path, package: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    for name in ("file", "nowhere"):
        with pytest.raises(SetupError, match=r"is not a folder\. Fix: choose another"):
            lay_out(tmp_path / name, package)
    with pytest.raises(SetupError, match=r"cannot be laid out .* Fix: "):
        lay_out(tmp_path / "file" / "below", package)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_where_a_file_belongs_is_told(folder: Path, package: Path) -> None:
    (folder / NOTEBOOK).unlink()
    (folder / NOTEBOOK).mkdir()
    with pytest.raises(SetupError, match="Is a directory"):
        lay_out(folder, package)


def test_the_course_around_a_folder_is_found(folder: Path, tmp_path: Path) -> None:
    assert course_around(folder / LESSON) == folder and is_laid_out(folder)
    assert course_around(tmp_path) is None and not is_laid_out(tmp_path)


LAY_OUT = """
import sys
from pathlib import Path
from grader.errors import SetupError
from grader.lab.course_folder import lay_out
folder, package = map(Path, sys.argv[1:])
try:
    lay_out(folder, package)
except SetupError as error:
    print(error)
print(sorted(p.stat().st_size for p in folder.rglob("*") if p.is_file()))
"""


def in_a_namespace(*mounts: str, folder: Path, package: Path) -> str:
    """What `LAY_OUT` prints where `folder` is mounted in this way, read-only or small."""
    try:
        bwrap = str(find_bubblewrap())
    except NoBubblewrapError as problem:
        pytest.skip(f"no namespaces on this machine: {problem}")
    inside = [sys.executable, "-c", LAY_OUT, str(folder), str(package)]
    done = subprocess.run(
        [bwrap, "--bind", "/", "/", "--dev", "/dev", *mounts, "--", *inside],
        cwd=ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_full_disk_is_told_and_leaves_whole_files(tmp_path: Path, package: Path) -> None:
    (tmp_path / "small").mkdir()
    (package / LESSON / "big.svg").write_bytes(b"x" * 300_000)
    small = str(tmp_path / "small")
    said = in_a_namespace("--size", "200000", "--tmpfs", small, folder=Path(small), package=package)
    assert "No space left on device. All that was there is kept. Fix: free some space" in said
    assert "300000" not in said  # neither the file nor a part of it is left


def test_a_folder_without_the_right_to_write_is_told(folder: Path, package: Path) -> None:
    before = contents(folder)
    mount = ("--ro-bind", str(folder), str(folder))
    said = in_a_namespace(*mount, folder=folder, package=release(package, "second"))
    assert "Read-only file system. All that was there is kept. Fix: " in said
    assert contents(folder) == before
