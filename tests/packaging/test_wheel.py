"""The wheel is the course: notebooks, checks, pictures, events; `stateful-streams` lays them out."""

import json
import subprocess
import zipfile
from pathlib import Path

import nbformat
import pytest
from testkit.installed_wheel import Installed
from testkit.lab_processes import ROOT

from grader.validity.versions import locked_versions

LESSONS = {path.name for path in (ROOT / "course").glob("[0-9][0-9]_*")}
TRACKED = subprocess.run(
    ["git", "ls-files", "course", "datasets"], cwd=ROOT, capture_output=True, text=True
).stdout.split()  # empty in a source archive
NO_JAVA = {"GRADER_JAVA": "/nonexistent"}  # stops `lab` after the course is laid out
NOTEBOOK = "course/03_watermarks/03_watermarks.ipynb"

LOOK = """
import json
from pathlib import Path
import grader
from grader.learner.course_packs import exercise_near, packs_near
from grader.learner.notebook_lab import events
from grader.runtime.course_files import dataset_folder
from grader.runtime.jars import locked_jars
from grader.validity.versions import locked_versions
print(json.dumps({
    "package": grader.__file__,
    "version": grader.__version__,
    "packs": {lesson: str(path) for lesson, path in packs_near(Path.cwd()).items()},
    "title": exercise_near("03.2", Path.cwd()).exercise.title,
    "events": len(events("page_clicks")),
    "dataset_folder": str(dataset_folder()),
    "jars": len(locked_jars("broker")),
    "locks": locked_versions(),
}))
"""


def test_the_wheel_holds_the_whole_course_and_nobodys_answers(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    handed_out = {name for name in names if name.startswith(("grader/course/", "grader/datasets/"))}
    if TRACKED:
        assert handed_out == {f"grader/{name}" for name in TRACKED}
    assert {name.split("/")[0] for name in names} == {"grader"}
    for lesson in LESSONS:
        for name in (f"{lesson}.ipynb", "checks.pack", f"{lesson[:2]}.0.svg"):
            assert f"grader/course/{lesson}/{name}" in names
    assert wheel.stat().st_size < 3_000_000


def test_in_an_empty_folder_checks_and_events_are_found_in_the_package(
    installed: Installed, tmp_path: Path
) -> None:
    ran = installed.run("python", "-c", LOOK, cwd=tmp_path, HOME=str(tmp_path))
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    package = Path(found["package"]).parent
    assert package.is_relative_to(installed.folder)
    assert {Path(path).parent.name for path in found["packs"].values()} == LESSONS
    assert all(Path(path).is_relative_to(package) for path in found["packs"].values())
    assert found["dataset_folder"] == str(package / "datasets") and found["events"] > 10
    assert found["title"] and found["jars"] > 20
    assert found["locks"] == locked_versions(), "what a class's kept results depend on"
    assert f'version = "{found["version"]}"' in (ROOT / "pyproject.toml").read_text()


def test_a_notebooks_own_checks_go_before_the_packages(
    installed: Installed, tmp_path: Path
) -> None:
    lesson = tmp_path / "course" / "03_watermarks"
    lesson.mkdir(parents=True)
    (lesson / "checks.pack").write_bytes((ROOT / "course/03_watermarks/checks.pack").read_bytes())
    ran = installed.run("python", "-c", LOOK, cwd=lesson, HOME=str(tmp_path))
    assert json.loads(ran.stdout)["packs"] == {"03": str(lesson / "checks.pack")}


def lab(installed: Installed, home: Path, *words: str) -> str:
    """What `stateful-streams` says, in an empty home, until it needs Java."""
    ran = installed.run("stateful-streams", *words, cwd=home, HOME=str(home), **NO_JAVA)
    assert ran.returncode == 2, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


def test_one_command_lays_the_course_out_and_keeps_answers(
    installed: Installed, tmp_path: Path
) -> None:
    said = lab(installed, tmp_path)
    folder = tmp_path / "stateful-streams"
    assert f"{folder}: " in said and "files new" in said
    assert {path.parent.name for path in folder.glob("course/*/checks.pack")} == LESSONS
    assert "GRADER_JAVA=/nonexistent" in said and "unset GRADER_JAVA" in said  # with its fix
    notebook = nbformat.read(folder / NOTEBOOK, as_version=4)
    notebook.cells[-1].source = "my answer"
    nbformat.write(notebook, folder / NOTEBOOK)
    (folder / "course/04_time_windows/04_time_windows.ipynb").unlink()
    said = lab(installed, tmp_path, "lab")
    assert f"{folder}: 1 files new" in said
    assert nbformat.read(folder / NOTEBOOK, as_version=4).cells[-1].source == "my answer"
    assert "files" not in lab(installed, folder / "course" / "03_watermarks", "lab")


def test_a_foreign_folder_is_refused_before_anything_is_set_up(
    installed: Installed, tmp_path: Path
) -> None:
    (tmp_path / "stateful-streams").mkdir()
    (tmp_path / "stateful-streams" / "thesis.tex").write_text("mine")
    said = lab(installed, tmp_path, "lab")
    assert "holds something else (thesis.tex)" in said and "lab --folder FOLDER" in said
    assert [path.name for path in (tmp_path / "stateful-streams").iterdir()] == ["thesis.tex"]
    lab(installed, tmp_path, "lab", "--folder", "elsewhere")
    assert (tmp_path / "elsewhere" / NOTEBOOK).is_file()


def test_a_clone_is_used_as_it_is(installed: Installed, tmp_path: Path) -> None:
    pack = tmp_path / "course/03_watermarks/checks.pack"
    pack.parent.mkdir(parents=True)
    pack.write_bytes((ROOT / "course/03_watermarks/checks.pack").read_bytes())
    assert f"{tmp_path}, as it is" in lab(installed, tmp_path, "lab")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["checks.pack"]


@pytest.mark.parametrize("name", ["grader", "stateful-streams"])
def test_both_names_are_one_program(installed: Installed, tmp_path: Path, name: str) -> None:
    told = installed.run(name, "lab", "--help", cwd=tmp_path, HOME=str(tmp_path)).stdout
    assert "--folder" in told and "--no-browser" in told
    listed = installed.run(name, "list", "--json", cwd=tmp_path, HOME=str(tmp_path)).stdout
    assert len(json.loads(listed)["lessons"]) == len(LESSONS)
