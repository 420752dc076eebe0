"""A certificate as learners and teachers type it: made of progress and notebooks, compared with notebooks."""

import json
import re
import shutil
import subprocess
from dataclasses import asdict, replace
from pathlib import Path

import nbformat
import pytest

from grader import cli
from grader.judging.check_pack import find_packs, read_pack
from grader.progress_pages.certificate import Certificate, certificate_of
from grader.progress_pages.certificate_page import certificate_html, read_page
from grader.progress_pages.certification import course_version
from grader.runtime.paths import state_dir

ROOT = Path(__file__).resolve().parents[2]
LESSONS = ("00_orientation", "03_watermarks")
NAME = "Zoë <Byte> & Sons"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of two lessons, whose learner has passed everything but 03.4."""
    root = tmp_path / "project"
    for name in LESSONS:
        shutil.copytree(ROOT / "course" / name, root / "course" / name)
    monkeypatch.setenv("GRADER_STATE", str(tmp_path / "state"))
    monkeypatch.chdir(root)
    done = {}
    for packed in graded(root):
        if packed.exercise.id != "03.4":
            exercise = packed.exercise
            done[exercise.id] = {"status": "passed", "score": exercise.points}
            write_answer(
                root / "course", exercise.id, f"{packed.cell}\n# the answer of a learner\n"
            )
    keep(done)
    return root


def graded(root: Path) -> list:
    return [packed for path in find_packs(root).values() for packed in read_pack(path).graded()]


def keep(done: dict) -> None:
    (state_dir() / "progress.json").write_text(json.dumps({"version": 1, "exercises": done}))


def write_answer(folder: Path, exercise: str, source: str) -> None:
    name = next(name for name in LESSONS if name.startswith(exercise[:2]))
    path = folder / name / f"{name}.ipynb"
    answers = {packed.exercise.id: packed.exercise.answer for packed in graded(ROOT)}
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == answers[exercise]:
            cell.source = source
    nbformat.write(notebook, path)


def made(project: Path) -> Path:
    assert cli.main(["progress", "--certificate", "mine.html", "--name", NAME]) == 0
    return project / "mine.html"


def verified(capsys: pytest.CaptureFixture, notebooks: str = "course") -> tuple[int, str]:
    capsys.readouterr()
    code = cli.main(["progress", "--verify", "mine.html", "--notebooks", notebooks])
    return code, capsys.readouterr().out


def forge(page: Path, **changes: object) -> Certificate:
    """Change what a certificate says, with a code that fits, as anybody can who reads this project."""
    forged = replace(read_page(page.read_text()), **changes)
    page.write_text(certificate_html(forged))
    return forged


def test_a_certificate_says_what_was_passed_and_the_same_notebooks_verify_it(project, capsys):
    page = made(project).read_text()
    said = capsys.readouterr().out
    certificate = read_page(page)
    assert said == f"mine.html: 7 exercises passed, code {certificate.code}\n"
    assert re.fullmatch(r"([0-9a-f]{4}-){7}[0-9a-f]{4}", certificate.code)
    assert certificate.name == NAME and "Zoë &lt;Byte&gt; &amp; Sons" in page
    assert NAME not in page and page.count("</script>") == 1
    assert "Certificate of progress" in page and "has passed 6 of 7 core exercises" in page
    assert f"Verification code</dt><dd><code>{certificate.code}</code>" in page
    assert "03 Watermarks</td><td>4 of 5 " in page and "What this page proves" in page

    code, said = verified(capsys)
    assert code == 0 and f"{NAME}, {certificate.day}, course 0." in said
    assert re.search(r"✓ 03\.2 [A-Z].*: \d of \d points$", said, re.M) and "03.4" not in said
    assert "7 of 7 answers are those of the certificate.\nWhether they earn the points" in said


def test_notebooks_may_be_as_handed_in_and_white_space_is_no_change(project, capsys):
    made(project)
    shutil.copytree("course", "submitted/zoe")
    source = next(packed for packed in graded(ROOT) if packed.exercise.id == "03.2").cell
    changed = f"{source}\n# the answer of a learner".replace("\n", "  \n") + "\n\n"
    write_answer(project / "submitted/zoe", "03.2", changed)
    assert verified(capsys, "submitted/zoe")[0] == 0


def test_another_answer_one_that_is_gone_and_a_missing_notebook_are_named(project, capsys):
    made(project)
    stub = next(packed for packed in graded(ROOT) if packed.exercise.id == "03.3").cell
    write_answer(project / "course", "03.2", "def late_clicks(clicks):\n    return clicks")
    write_answer(project / "course", "03.3", stub)
    (project / "course/00_orientation/00_orientation.ipynb").unlink()
    code, said = verified(capsys)
    assert code == 1 and "2 of 7 answers are those of the certificate." in said
    assert re.search(r"✗ 03\.2 .* points; the answer in the notebook is another one", said)
    assert len(re.findall(r"✗ 0[03]\.\d .*; there is no answer in the notebooks", said)) == 4
    assert "Whether they earn" not in said


def test_an_answer_that_is_not_in_the_notebook_is_told_when_the_certificate_is_made(
    project, capsys
):
    shutil.copyfile(
        ROOT / "course/03_watermarks/03_watermarks.ipynb",
        project / "course/03_watermarks/03_watermarks.ipynb",
    )
    page = made(project).read_text()
    missing = "03.1, 03.2, 03.3, 03.5"
    assert f"that a teacher could compare: {missing}\n" in capsys.readouterr().out
    assert "03.1* 03.2* 03.3* 03.5*</span>" in page and "00.1 00.2" in page
    assert "* The notebook had no answer" in page
    code, said = verified(capsys)
    assert code == 1 and said.count("the certificate has no answer to compare") == 4


def test_all_of_the_core_is_a_completion_and_a_certificate_replaces_its_older_one(project, capsys):
    before = made(project).read_text()
    keep({p.exercise.id: {"status": "passed", "score": p.exercise.points} for p in graded(project)})
    after = made(project).read_text()
    assert "Certificate of completion" in after and "has passed all 7 core exercises" in after
    assert read_page(before).code != read_page(after).code


def test_data_that_was_edited_does_not_give_its_code(project, capsys):
    page = made(project)
    text = page.read_text()
    page.write_text(text.replace('"score": 3', '"score": 9', 1))
    assert verified(capsys)[0] == 2
    page.write_text(text.replace("</h1>", " with distinction</h1>"))
    code, said = verified(capsys)
    assert code == 0 and "The page does not look as this version writes it." in said


def test_what_a_forger_with_a_fitting_code_says_of_the_course_is_compared_with_the_course(
    project, capsys
):
    page = made(project)
    first, second = read_page(page.read_text()).lessons

    forge(page, lessons=(first,))
    code, said = verified(capsys)
    assert code == 1 and "does not list the exercises of this course" in said

    rich = tuple(replace(one, score=99) for one in first.exercises)
    forge(page, lessons=(replace(first, exercises=rich), second))
    code, said = verified(capsys)
    assert code == 1 and said.count("99 of") == 3 and said.count("points in this course") == 3

    invented = replace(first.exercises[0], id="00.9")
    forge(page, lessons=(replace(first, exercises=(*first.exercises, invented)), second))
    assert "✗ 00.9: 2 of 2 points; this course has no such exercise" in verified(capsys)[1]

    forge(page, name="Mallory\x1b[2J", lessons=(first, second), course="0.0.1")
    code, said = verified(capsys)
    assert code == 0 and "Mallory\\x1b[2J" in said and "is of course version 0.0.1" in said

    forge(page, lessons=(first, first))
    assert verified(capsys)[0] == 2


@pytest.mark.parametrize(
    "change",
    [
        {"day": "yesterday"}, {"lessons": None}, {"lessons": [{"id": "03"}]}, {"name": 3},
        {"kind": "another"}, {"code": "1"}, {"lessons": [{"id": "03", "title": "", "exercises": [
            {"id": "03.1", "passed": 1, "score": 1, "points": 1, "further": False, "answer": ""}]}]},
    ],
)  # fmt: skip
def test_data_of_another_form_is_refused(change: dict, project, capsys):
    given = read_page(made(project).read_text()).to_dict()
    assert asdict(certificate_of(json.loads(json.dumps(given)))) == asdict(certificate_of(given))
    data = json.dumps({**given, **change})
    page = f'<script type="application/json" id="certificate">{data}</script>'
    (project / "mine.html").write_text(page)
    capsys.readouterr()
    assert cli.main(["progress", "--verify", "mine.html", "--notebooks", "course"]) == 2
    assert re.match("grader: mine.html cannot be verified: it", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--certificate", "a.html"], "a certificate needs a name: add --name"),
        (["--certificate", "a.html", "--name", "  "], "a name has 1 to 80 printable characters"),
        (["--certificate", "a.html", "--name", "x" * 81], "a name has 1 to 80"),
        (["--certificate", "a.html", "--name", "a\x1b[2J"], "a name has 1 to 80"),
        (["--certificate", "a.pdf", "--name", "A"], "a.pdf is not a name for a page: name it a.html"),
        (["--certificate", "other.html", "--name", "A"], "other.html exists, and is no certificate"),
        (["--certificate", "folder.html", "--name", "A"], "folder.html exists, and is no certif"),
        (["--certificate", "no/a.html", "--name", "A"], "there is no folder no"),
        (["--verify", "mine.html"], "name the learner's notebooks as well: --notebooks FOLDER"),
        (["--verify", "none.html", "--notebooks", "course"], "none.html is not a file that can be"),
        (["--verify", "other.html", "--notebooks", "course"], "it is not a page that `grader prog"),
        (["--verify", "bytes.html", "--notebooks", "course"], "bytes.html is not a page in UTF-8"),
        (["--verify", "mine.html", "--notebooks", "none"], "none has no notebook of the course"),
        (["--name", "A"], "--name goes with --certificate"),
        (["--certificate", "a.html", "--notebooks", "x"], "--notebooks goes with --verify"),
        (["--verify", "mine.html", "--name", "A"], "--name goes with --certificate"),
    ],
)  # fmt: skip
def test_bad_input_gets_a_clear_error_and_overwrites_nothing(words, why, project, capsys):
    made(project)
    other = project / "other.html"
    other.write_text("<p>my page</p>")
    (project / "bytes.html").write_bytes(b"\xff\xfe\xfa")
    (project / "folder.html").mkdir()
    capsys.readouterr()
    assert cli.main(["progress", *words]) == 2
    assert why in capsys.readouterr().err
    assert other.read_text() == "<p>my page</p>" and not (project / "a.html").exists()


def test_who_has_no_points_gets_no_certificate(project, capsys):
    keep({"03.1": {"status": "failed", "score": 0}})
    assert cli.main(["progress", "--certificate", "a.html", "--name", "A"]) == 2
    assert "no exercise has points yet" in capsys.readouterr().err


def test_the_version_names_the_commit_of_a_clone(tmp_path):
    assert re.fullmatch(r"\d+\.\d+\.\d+", course_version(tmp_path))
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    assert re.fullmatch(r"\d+\.\d+\.\d+, commit [0-9a-f]{12}", course_version(tmp_path))
