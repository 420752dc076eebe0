"""A notebook alone in a folder, in an environment without the course: its first cell installs it, and it is graded."""

import json
import subprocess
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from testkit.installed_wheel import environment_without_course
from testkit.lab_processes import ROOT

from grader.authoring.course_build import source_notebook
from grader.authoring.install_cell import ID, install_cell
from grader.authoring.lesson_source import read_lessons
from grader.runtime.paths import cache_dir

FURTHER = 'print(len(grader.events("page_clicks")))', 'grader.hint("00.2")', "grader.progress()"
# has no time limit, so that a busy machine loads what the check needs before its time counts
WARM = """stream = spark.readStream.format("rate").load().where("value >= 0").writeStream.format("noop")
stream.trigger(availableNow=True).start().awaitTermination()"""
EXECUTE = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=600, allow_errors=True).execute()
nbformat.write(notebook, sys.argv[1])
"""


@pytest.mark.parametrize("path", sorted((ROOT / "course").glob("**/*.ipynb")), ids=lambda p: p.stem)
def test_the_first_code_cell_of_each_notebook_installs_its_release(path: Path) -> None:
    first = next(c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code")
    assert first.id == ID and first.source == install_cell().source
    compile(first.source, "cell", "exec")


def solved() -> NotebookNode:
    """Lesson 00 as far as the start of the lab, exercise 00.1 with its solution, and a few verbs."""
    (lesson,) = (one for one in read_lessons(ROOT / "solutions") if one.id == "00")
    wanted = {"checkout_clicks", "check-checkout_clicks"}
    notebook = source_notebook(lesson)
    notebook.cells = [
        cell
        for cell in notebook.cells
        if {ID, "given", "start"} & set(cell.metadata.get("tags", []))
        or cell.metadata.get("nbgrader", {}).get("grade_id") in wanted
    ]
    started = next(i for i, c in enumerate(notebook.cells) if "start" in c.metadata.get("tags", []))
    notebook.cells.insert(started + 1, nbformat.v4.new_code_cell(WARM))
    notebook.cells += [nbformat.v4.new_code_cell(source) for source in FURTHER]
    return notebook


@pytest.mark.slow
def test_a_notebook_alone_gets_a_verdict(wheel: Path, state: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone" / "00_orientation.ipynb"
    alone.parent.mkdir()
    nbformat.write(solved(), alone)
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "GRADER_CACHE": str(cache_dir()),
        "GRADER_STATE": str(state),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheel.parent),
        # pip takes the course of the clone for installed, because it sees all packages of the tests
        "PIP_FORCE_REINSTALL": "1",
        "PIP_NO_DEPS": "1",
    }
    bare = environment_without_course(tmp_path / "bare")
    assert subprocess.run([str(bare), "-c", "import grader"], cwd=tmp_path).returncode != 0
    program = [str(bare), "-c", EXECUTE, str(alone)]
    ran = subprocess.run(program, cwd=alone.parent, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    cells = nbformat.read(alone, as_version=4).cells
    errors = [out for cell in cells for out in cell.outputs if out.output_type == "error"]
    assert not errors, errors
    installing, *_, events, hint, progress = ["\n".join(map(str, cell.outputs)) for cell in cells]
    assert "Successfully installed stateful-streams-" in installing
    assert "Hint 1 of" in hint and "Watermarks" in progress
    assert cells[-3].outputs[0].text.strip().isdigit(), events
    done = json.loads((state / "progress.json").read_text())["exercises"]
    assert done["00.1"]["status"] == "passed"
    assert [path.name for path in alone.parent.iterdir()] == [alone.name]
