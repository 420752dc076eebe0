"""`grader check NOTEBOOK` on notebooks of every kind, the hostile ones included."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import nbformat
import psutil
import pytest
from testkit.submissions import DOUBLED, KEPT, NAMED, RIGHT, filled, write

from grader.judging.check_pack import PackError
from grader.judging.verdict import Verdict
from grader.learner.notebook_reader import NotebookError
from grader.sandbox.notebook_check import check_notebook

GRADER = [sys.executable, "-c", "from grader.cli import main; raise SystemExit(main())"]
SECONDS = 20.0  # for one cell and one play; a busy machine needs most of it for a first play
LOOP = "\nwhile True:\n    pass"
STUBBORN = """
import time
while True:
    try:
        time.sleep(1)
    except BaseException:
        pass
"""
AWAIT = """
query = spark.readStream.format("rate").load().writeStream.format("noop").start()
query.awaitTermination()
"""
SLOW_UDF = """
@F.udf("int")
def slow(n):
    while True:
        pass

def kept(clicks):
    return clicks.select("page", slow("n").alias("n"))
"""
LOOP_INSIDE = "def kept(clicks):\n    while True:\n        pass"
EXIT = "\nimport os\nos._exit(7)"
KILL = "\nimport os\nos.kill(os.getpid(), 9)"


def handed_in(built: Path, folder: Path, answers: dict[str, str]) -> Path:
    path = write(filled(built / f"{built.name}.ipynb", answers), folder / f"{built.name}.ipynb")
    shutil.copy(built / "checks.pack", folder)
    return path


def check(built: Path, folder: Path, answers: dict[str, str]) -> dict[str, Verdict]:
    told: list[str] = []
    verdicts = check_notebook(handed_in(built, folder, answers), notify=told.append)
    return {verdict.exercise: verdict for verdict in verdicts}


@pytest.mark.slow
def test_right_answers_pass_and_the_notebook_stays_as_it_was(built: Path, tmp_path: Path) -> None:
    path = handed_in(built, tmp_path, RIGHT)
    before = path.read_bytes()
    verdicts = check_notebook(path)
    assert [(v.exercise, v.status, v.score) for v in verdicts] == [
        ("90.1", "passed", 3.0),
        ("90.2", "passed", 2.0),
        ("90.3", "passed", 1.0),
    ]
    assert path.read_bytes() == before


@pytest.mark.slow
def test_a_known_mistake_is_named_and_an_untouched_cell_is_not_attempted(
    built: Path, tmp_path: Path
) -> None:
    verdicts = check(built, tmp_path, {"doubled": "def doubled(clicks):\n    return clicks"})
    assert verdicts["90.1"].status == "failed"
    assert verdicts["90.1"].diagnosis is not None
    assert verdicts["90.1"].diagnosis.id == "as_it_was"
    assert verdicts["90.2"].status == "not_attempted"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (DOUBLED + LOOP, SLOW_UDF),
        (DOUBLED + STUBBORN, LOOP_INSIDE),
        (DOUBLED + AWAIT, "def kept(clicks):\n    return clicks.where(" + '"n > 0")'),
    ],
    ids=["loops in a cell and in a UDF", "swallows the limit, loop in the function", "awaits"],
)
def test_an_endless_answer_times_out_and_the_next_exercise_is_still_checked(
    built: Path, tmp_path: Path, first: str, second: str
) -> None:
    answers = {"doubled": first, "kept": second, "named": NAMED}
    path = handed_in(built, tmp_path, answers)
    done = subprocess.run(
        [*GRADER, "check", str(path), "--timeout", str(SECONDS), "--json"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stderr
    verdicts = {found["exercise"]: found for found in json.loads(done.stdout)["verdicts"]}
    assert (verdicts["90.1"]["status"], verdicts["90.1"]["score"]) == ("timeout", 0.0)
    assert verdicts["90.2"]["status"] == ("failed" if "n > 0" in second else "timeout")
    assert verdicts["90.3"]["status"] == "passed"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        (
            DOUBLED + EXIT,
            "def kept(clicks):\n    import os\n    os._exit(7)",
            [("error", "crash"), ("error", "crash")],
        ),
        (
            DOUBLED + KILL,
            "def kept(clicks)\n    return clicks",
            [("error", "crash"), ("error", "syntax")],
        ),
        ("@nothing\n" + DOUBLED, KEPT + "\nspark.stop()", [("error", "cell"), ("passed", "rows")]),
        ("# nothing", KEPT, [("not_attempted", "not_attempted"), ("passed", "rows")]),
    ],
    ids=["exit, exit in a play", "kill, syntax", "decorator, stopped session", "no function"],
)
def test_a_broken_answer_costs_its_own_exercise_only(
    built: Path, tmp_path: Path, first: str, second: str, wanted: list[tuple[str, str]]
) -> None:
    answers = {"doubled": first, "kept": second, "named": NAMED}
    verdicts = check(built, tmp_path, answers)
    got = [(verdicts[i].status, verdicts[i].criteria[0].name) for i in ("90.1", "90.2")]
    assert got == wanted
    assert verdicts["90.3"].status == "passed"


FILL = """
import tempfile
try:
    for n in range(40):
        with open(f"{tempfile.gettempdir()}/part-{n}.bin", "wb") as file:
            file.write(bytes(120 << 20))
except OSError:
    pass
"""
END_KAFKA = """
import psutil
for process in psutil.process_iter():
    if "kafka.Kafka" in process.cmdline():
        process.kill()
        process.wait(10)
"""
END_JAVA = """
try:
    spark._jvm.java.lang.System.exit(3)
except Exception:
    pass
"""
ASKS = "who = input('Who are you? ')\n"


@pytest.mark.slow
def test_cells_that_end_the_lab_are_left_out_and_every_answer_is_judged(
    built: Path, tmp_path: Path
) -> None:
    """A full disk, a dead Kafka, a dead Java: in a sandbox, which has its own of each."""
    path = handed_in(built, tmp_path, {**RIGHT, "named": ASKS + NAMED})
    notebook = nbformat.read(path, 4)
    at = {
        cell.metadata.get("nbgrader", {}).get("grade_id"): n
        for n, cell in enumerate(notebook.cells)
    }
    for name, source in (("kept", END_JAVA), ("check-doubled", END_KAFKA), ("doubled", FILL)):
        notebook.cells.insert(at[name], nbformat.v4.new_code_cell(source))
    nbformat.write(notebook, path)
    first, second, third = check_notebook(path, sandbox="bwrap", notify=lambda text: None)
    assert (first.status, second.status) == ("passed", "passed")
    assert (third.status, third.criteria[0].name) == ("error", "cell")
    assert "Fix: write the value into the cell" in third.criteria[0].message


@pytest.mark.slow
def test_a_syntax_error_in_the_cell_gets_its_golden_verdict(built: Path, tmp_path: Path) -> None:
    """GOLDEN_UPDATE=1 writes the file anew, as for the other kinds in judging/golden."""
    answers = {"doubled": DOUBLED, "kept": "def kept(clicks)\n    return clicks", "named": NAMED}
    verdict = check(built, tmp_path, answers)["90.2"]
    shown = {**verdict.to_dict(), "seconds": None}
    text = json.dumps(shown, indent=1, ensure_ascii=False) + "\n"
    path = Path(__file__).parents[1] / "judging" / "golden" / "syntax_error.json"
    if os.environ.get("GOLDEN_UPDATE"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill"])
def test_nothing_runs_on_after_the_check_was_ended(
    built: Path, tmp_path: Path, end: signal.Signals
) -> None:
    path = handed_in(built, tmp_path, {"doubled": DOUBLED + LOOP})
    mark = uuid.uuid4().hex
    code = "import sys\nfrom grader.sandbox.notebook_check import check_notebook\n"
    code += "check_notebook(sys.argv[1])"
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        env={**os.environ, "MARKED": mark, "GRADER_STATE": str(tmp_path / "state")},
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(lambda: len(_marked(mark)) >= 5, 180)  # check, runner, Java, guard, broker
        process.send_signal(end)
        process.wait(120)
        _wait(lambda: not _marked(mark), 120)
    finally:
        for left in _marked(mark):
            left.kill()
    assert process.returncode != 0


def test_a_notebook_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    path = tmp_path / "90_counting.ipynb"
    path.write_text("not a notebook")
    with pytest.raises(NotebookError, match="JupyterLab"):
        check_notebook(path)


def test_a_notebook_without_a_pack_says_where_to_put_it(released: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(released, tmp_path))
    with pytest.raises(PackError, match="course/"):
        check_notebook(path)


def _marked(mark: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("MARKED") == mark and process.status() != "zombie":
                found.append(process)
        except psutil.Error:
            continue
    return found


def _wait(holds: object, seconds: float) -> None:
    assert callable(holds)
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.2)
