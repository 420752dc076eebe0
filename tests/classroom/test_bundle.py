"""What students get holds all that their lab needs, and nothing that is the teacher's."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from testkit import shoes
from testkit.counting_lesson import SOLUTIONS
from testkit.submissions import RIGHT, filled, write

from grader.authoring.lesson_source import read_lessons
from grader.classroom.bundle import FILES, TOP, bundle, bundle_discussions
from grader.classroom.bundle_downloads import gather
from grader.classroom.discussions import LeaveOutDiscussions
from grader.cli import main
from grader.connectors.node_packages import package_file
from grader.errors import SetupError
from grader.judging.check_pack import FILE_NAME, Pack, read_pack, write_pack
from grader.lab.offline_downloads import take_offline_downloads
from grader.runtime.jars import ENVIRONMENTS, fetch_jars, jar_folder, locked_jars, sha256

PROJECT = Path(__file__).resolve().parents[2]
TEACHERS = (
    *("gradebook.db", "submitted/ada/x.ipynb", "autograded/ada/x.ipynb", "grading/secret", "grades.csv"),
    *(f"course/{shoes.LESSON}/mine.ipynb", f"course/{shoes.LESSON}/.ipynb_checkpoints/{shoes.LESSON}.ipynb"),
    *("docker/certs/school.crt", "tests/test_x.py", "benchmarks/x.py", ".git/config", "notes.md"),
)  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A teacher's folder: the project with a small lesson, and much that is nobody's business."""
    root = shoes.make_course(tmp_path_factory.mktemp("teacher"))
    for name in FILES:
        shutil.copy(PROJECT / name, root)
    for name in ("grader", "datasets", "docs", "docker"):
        shutil.copytree(PROJECT / name, root / name, dirs_exist_ok=True)
    for name in TEACHERS:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("the teacher's")
    return root


@pytest.fixture(scope="module")
def unzipped(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("student")
    out = folder / "lab.zip"
    bundle(project, out)
    with zipfile.ZipFile(out) as zipped:
        for about in zipped.infolist():
            path = Path(zipped.extract(about, folder))
            path.chmod(about.external_attr >> 16 & 0o777)
    return folder / TOP


def test_nothing_of_the_teachers_is_in_it(unzipped: Path) -> None:
    names = {str(path.relative_to(unzipped)) for path in unzipped.rglob("*") if path.is_file()}
    assert not names & set(TEACHERS)
    assert {name.split("/")[0] for name in names} <= {
        *FILES, "course", "grader", "datasets", "docs", "docker",
    }  # fmt: skip
    assert not [name for name in names if name.endswith(".pyc")]
    for path in unzipped.rglob("*"):
        assert not path.is_file() or path.read_bytes() != b"the teacher's"


def test_what_is_said_of_solutions_comes_after_the_deadline(tmp_path: Path) -> None:
    said = "The trick is a filter on shoes."
    root = shoes.make_course(tmp_path / "teacher")
    path = root / "course" / shoes.LESSON / FILE_NAME
    pack = read_pack(path)
    exercises = {id: replace(one, discussion=said) for id, one in pack.exercises.items()}
    write_pack(replace(pack, exercises=exercises), path)
    name = f"course/{shoes.LESSON}/{FILE_NAME}"

    def unzipped_pack(out: Path) -> Pack:
        with zipfile.ZipFile(out) as zipped:
            return read_pack(Path(zipped.extract(f"{TOP}/{name}", tmp_path / out.stem)))

    assert name in bundle(root, tmp_path / "lab.zip")
    handed_out = unzipped_pack(tmp_path / "lab.zip")
    assert {one.discussion for one in handed_out.exercises.values()} == {""}
    emptied = {id: replace(one, discussion="") for id, one in exercises.items()}
    assert handed_out == replace(pack, exercises=emptied), "all else is as it was"
    assert bundle_discussions(root, tmp_path / "after.zip", ["91"]) == [name]
    assert {x.discussion for x in unzipped_pack(tmp_path / "after.zip").exercises.values()} == {
        said
    }
    with pytest.raises(SetupError, match="there are: 91_shoes"):
        bundle_discussions(root, tmp_path / "b.zip", ["92"])


def test_the_exchange_hands_out_packs_without_discussions(tmp_path: Path) -> None:
    root = shoes.make_course(tmp_path)
    released = root / "released" / shoes.LESSON / FILE_NAME
    released.parent.mkdir(parents=True)
    pack = read_pack(root / "course" / shoes.LESSON / FILE_NAME)
    first, *_ = pack.exercises
    pack.exercises[first] = replace(pack.exercises[first], discussion="The trick.")
    write_pack(pack, released)
    released.chmod(0o444)
    LeaveOutDiscussions(root=str(root), release_directory="released")(shoes.LESSON, ".", [])
    assert {one.discussion for one in read_pack(released).exercises.values()} == {""}


def test_its_readme_names_only_what_is_in_it(unzipped: Path) -> None:
    text = (unzipped / "README.md").read_text()
    for name in re.findall(r"`([a-z_.]+)/`", text):
        assert (unzipped / name).is_dir(), name
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (unzipped / target).exists(), target
    assert "grader.check(" in text and "make lab" in text and "| `course/` |" in text
    assert not re.search(r"make (test|verify|bench)\b", text)


def test_no_solution_of_the_course_stands_in_what_students_get() -> None:
    handed_out = {
        (path.parent.name, cell.metadata["nbgrader"]["grade_id"]): cell.source
        for path in sorted((PROJECT / "course").glob("*/*.ipynb"))
        for cell in nbformat.read(path, 4).cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    }
    answers = re.compile(r'\n# %% .*?"grade_id": "([^"]+)"(.*?)(?=\n# %%|\Z)', re.S)
    between = re.compile(r"### BEGIN SOLUTION(.*?)### END SOLUTION", re.S)
    compared = 0
    for lesson in read_lessons(PROJECT / "solutions"):
        for id, answer in answers.findall(lesson.text.read_text(encoding="utf-8")):
            for solution in between.findall(answer):
                assert solution.strip() not in handed_out[lesson.name, id], (lesson.name, id)
                compared += 1
    assert compared >= len(handed_out) > 80


def test_the_lab_of_the_bundle_finds_its_course_and_its_parts(unzipped: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(unzipped)}
    done = subprocess.run(
        [sys.executable, "-m", "grader", "list"],
        cwd=unzipped, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("91  Shoes")
    parts = "import grader, grader.runtime.jars as jars; print(grader.__file__, len(jars.locked_jars('broker')))"
    done = subprocess.run(
        [sys.executable, "-c", parts], cwd=unzipped, env=environment, capture_output=True, text=True
    )
    assert done.stdout.startswith(str(unzipped)) and int(done.stdout.split()[-1]) > 10
    assert os.access(unzipped / "postBuild", os.X_OK)
    dry = subprocess.run(["make", "-n", "lab"], cwd=unzipped, capture_output=True, text=True)
    assert dry.returncode == 0 and "grader lab" in dry.stdout, dry.stderr


def test_the_same_project_gives_the_same_zip(project: Path, tmp_path: Path) -> None:
    for name in ("one.zip", "two.zip"):
        bundle(project, tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


@pytest.mark.slow
def test_a_notebook_with_answers_in_it_is_not_handed_out(released: Path, tmp_path: Path) -> None:
    shutil.copytree(SOLUTIONS, tmp_path / "solutions")
    notebook = tmp_path / "course" / "90_counting" / "90_counting.ipynb"
    notebook.parent.mkdir(parents=True)
    shutil.copy(released, notebook)
    assert bundle(tmp_path, tmp_path / "a.zip") == ["course/90_counting/90_counting.ipynb"]
    write(filled(released, RIGHT), notebook)
    with pytest.raises(SetupError, match="is not as it is handed out"):
        bundle(tmp_path, tmp_path / "b.zip")
    assert not (tmp_path / "b.zip").exists()
    shutil.copy(released, notebook)
    shutil.copy(PROJECT / "solutions" / "progress.py", tmp_path / "solutions")
    page = tmp_path / "course" / "progress.ipynb"
    page.write_text("of the teacher's own")
    with pytest.raises(SetupError, match=r"course/progress\.ipynb is not as it is handed out"):
        bundle(tmp_path, tmp_path / "b.zip")


def test_the_command_says_what_it_wrote(
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(project)
    assert main(["bundle", "--students", str(tmp_path / "lab.zip")]) == 0
    assert re.search(r"lab\.zip: \d+ files, [\d.]+ MB", capsys.readouterr().out)


@pytest.fixture(scope="module")
def brought(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Path]]:
    """What goes along for machines without a network, of a lock with one small package."""
    folder = tmp_path_factory.mktemp("offline")
    (scratch := folder / "scratch").mkdir()
    lock = (PROJECT / "requirements.lock").read_text(encoding="utf-8")
    one = re.search(r"^editables==.*?(?=^\S)", lock, re.M | re.S)
    assert one is not None
    (folder / "requirements.lock").write_text(one.group())
    return scratch, gather(folder / "requirements.lock", scratch)


def test_what_goes_along_is_what_the_locks_name(brought: tuple[Path, dict[str, Path]]) -> None:
    _, found = brought
    (wheel,) = (name for name in found if name.startswith("offline/wheels/"))
    locked = found["offline/requirements.lock"].read_text()
    assert locked == f"editables=={wheel.split('-')[1]} --hash=sha256:{sha256(found[wheel])}\n"
    for environment in ENVIRONMENTS:
        for jar in locked_jars(environment):
            assert sha256(found[f"offline/jars/{environment}/{jar.filename}"]) == jar.sha256
    assert any(name.endswith("/node_modules/kinesis-local/main.js") for name in found)


def test_a_package_that_is_not_as_locked_is_not_bundled(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_text(f"editables==0.5 --hash=sha256:{'0' * 64}\n")
    (tmp_path / "scratch").mkdir()
    with pytest.raises(SetupError, match=r"(?s)pip could not bring the packages.*sha256.*0{64}"):
        gather(lock, tmp_path / "scratch")


def test_a_set_up_takes_what_came_with_the_bundle(
    brought: tuple[Path, dict[str, Path]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, path in brought[1].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, tmp_path / name)
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GRADER_MAVEN_MIRROR", "http://127.0.0.1:9")  # nobody answers there
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", "http://127.0.0.1:9")
    said: list[str] = []
    count = take_offline_downloads(tmp_path / "offline", say=said.append)
    assert count == sum(len(locked_jars(environment)) for environment in ENVIRONMENTS) + 1
    assert all(fetch_jars(environment) for environment in ENVIRONMENTS)
    assert package_file("kinesis-local/main.js").is_file()
    assert take_offline_downloads(tmp_path / "offline", say=said.append) == 0 and len(said) == 1
    jar = locked_jars("broker")[0].filename
    (jar_folder("broker") / jar).write_bytes(b"cut short")
    assert take_offline_downloads(tmp_path / "offline") == 1
    (jar_folder("broker") / jar).unlink()
    (tmp_path / "offline" / "jars" / "broker" / jar).write_bytes(b"cut short")
    with pytest.raises(SetupError, match="Unzip the bundle again"):
        take_offline_downloads(tmp_path / "offline")


def test_make_installs_from_the_bundle_and_says_where_it_does_not_fit(
    unzipped: Path, brought: tuple[Path, dict[str, Path]], tmp_path: Path
) -> None:
    lab = Path(shutil.copytree(unzipped, tmp_path / "lab"))
    for name, path in brought[1].items():
        (lab / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, lab / name)
    target = ["make", ".venv/installed", "--eval", "show: ; @env | grep ^PIP_"]
    dry = subprocess.run([*target, "-n"], cwd=lab, capture_output=True, text=True)
    assert "cat offline/requirements.lock >.venv/packages.lock" in dry.stdout
    assert "--require-hashes -r .venv/packages.lock" in dry.stdout
    shown = subprocess.run(
        [*target[:1], *target[2:], "show"], cwd=lab, capture_output=True, text=True
    )
    assert {"PIP_NO_INDEX=1", "PIP_FIND_LINKS=offline/wheels"} <= set(shown.stdout.splitlines())
    (lab / "offline" / "made-for").write_text("Python 3.10 on Amiga m68k\n")
    python = f"PYTHON={sys.executable}"
    wrong = subprocess.run([*target, python], cwd=lab, capture_output=True, text=True)
    assert wrong.returncode != 0 and not (lab / ".venv").exists()
    assert "are for Python 3.10 on Amiga m68k, this is Python 3." in wrong.stderr
