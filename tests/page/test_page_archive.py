"""What a page unpacks: a check, a drill and an explorer run on it alone, in CPython and in the Python of a browser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from page.page_cases import COURSE

from grader.site.page_archive import page_archive, without_words

PYODIDE = "314.0.7"
CHECKS = '''
import json, sys
from pathlib import Path
from grader.page import check, drill_reply, explorer_reply

right = """
def late_clicks(clicks):
    timed = clicks.withWatermark("event_time", "10 seconds")
    return timed.groupBy(F.window("event_time", "5 minutes"), "page").agg(F.count("*").alias("clicks"))
"""
plain = "def how_many_stores(report, cores, rows):\\n    raise NotImplementedError()\\n"
answers = [
    ("03.2", right),
    ("03.2", right.replace("10 seconds", "10 minutes")),
    ("03.2", right.replace('"event_time", "5', 'clicks.event_time, "5')),
    ("11.4", plain),
]
found = [check(id, code, Path(COURSE)).to_dict() for id, code in answers]
said = [
    one["only_lab"] or [one["verdict"]["status"], (one["verdict"]["diagnosis"] or {}).get("id")]
    for one in found
]
asked = drill_reply.reply(Path(COURSE), "question", kept={}, topic="windows", number=1)
told = drill_reply.reply(Path(COURSE), "answer", kept={}, made=asked["made"], number=1, chosen=0)
placed = drill_reply.reply(Path(COURSE), "placement_answer", seed=4, chosen=[0, 1, 0])["placement"]
board = explorer_reply.reply(Path(COURSE), "03.0", ["turn", "delay", "10 minutes"])
result = json.dumps([*said, told["standing"]["answered"], len(placed["answers"]), len(board["said"])])
'''
SAID = [
    ["passed", None],
    ["failed", "minutes_for_seconds"],
    "the column event_time of another DataFrame",
    ["not_attempted", None],
    1,  # answer of a drill
    3,  # answers of a placement test
    2,  # lines on a change of an explorer
]
IN_NODE = """
import { readFileSync } from "node:fs";
const { loadPyodide } = await import(process.argv[2]);
const python = await loadPyodide();
python.unpackArchive(new Uint8Array(readFileSync(process.argv[3])), "zip", { extractDir: "/page" });
console.log(python.runPython(
  `import sys; sys.path.insert(0, "/page"); COURSE = "/page/course"\\n${readFileSync(process.argv[4])}\\nresult`));
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.zip"
    path.write_bytes(page_archive(COURSE))
    print(f"\nthe archive of a page: {path.stat().st_size / 1000:.0f} kB")
    return path


def test_it_is_small_and_holds_no_answer(archive: Path) -> None:
    assert archive.stat().st_size < 700_000
    with zipfile.ZipFile(archive) as held:
        names = held.namelist()
    assert "grader/page/exercise_check.py" in names
    assert {"fsrs/scheduler.py", "fsrs/LICENSE"} <= {*names}
    assert "grader/judging/wording/spark_errors.toml" in names
    assert not [n for n in names if "solutions" in n or "authoring" in n or "classroom" in n]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="reading TOML needs a package")
def test_a_page_runs_on_it_alone(archive: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(archive).extractall(tmp_path)
    code = f"COURSE = {str(tmp_path / 'course')!r}\n{CHECKS}\nprint(result)"
    ran = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
    )
    assert ran.stderr == ""
    assert json.loads(ran.stdout) == SAID


def test_words_are_left_out_and_code_is_not() -> None:
    text = '"""Words."""\n\n# more\ndef f():\n    """Words."""\n\n\nclass C:\n    """Words."""\n\n    x = 1\n'
    assert without_words(text) == "def f():\n    pass\n\nclass C:\n    x = 1\n"


@pytest.mark.slow
def test_a_page_runs_in_pyodide(archive: Path, tmp_path: Path) -> None:
    """The same answers in the Python of a browser, by node; skipped where npm brings no Pyodide."""
    if not shutil.which("node") or not shutil.which("npm"):
        pytest.skip("there is no node")
    (tmp_path / "package.json").write_text("{}")
    command = ["npm", "install", "--no-audit", "--no-fund", f"pyodide@{PYODIDE}"]
    installed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    if installed.returncode:
        pytest.skip(f"npm brings no Pyodide: {installed.stderr[-200:]}")
    (tmp_path / "checks.py").write_text(CHECKS)
    (tmp_path / "page.mjs").write_text(IN_NODE)
    module = tmp_path / "node_modules" / "pyodide" / "pyodide.mjs"
    ran = subprocess.run(
        ["node", "page.mjs", str(module), str(archive), "checks.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout.splitlines()[-1]) == SAID
