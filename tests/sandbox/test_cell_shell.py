"""Cells run in the runner's shell show what they show in JupyterLab."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import nbformat
import pytest

from grader.classroom.sanitizer import harmless_outputs
from grader.sandbox.cell_shell import CUT, MAX_CHARACTERS

CODE = """
import json, sys
from grader.sandbox.cell_shell import make_shell
shell = make_shell()
told = []
for source in json.load(sys.stdin):
    error, outputs = shell.run(source)
    told.append([type(error).__name__, outputs])
json.dump(told, sys.stdout)
"""


def run(*sources: str) -> list[tuple[str, list[dict[str, Any]]]]:
    """Run cells in one shell, in a process of its own as a runner does."""
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        input=json.dumps(sources),
        capture_output=True,
        text=True,
        check=True,
    )
    return [(name, outputs) for name, outputs in json.loads(done.stdout)]


def test_streams_results_displays_and_errors_become_outputs_in_their_order() -> None:
    source = """
    import sys
    from IPython.display import HTML, display
    print("one", end=" "); print("two")
    print("aside", file=sys.stderr)
    display(HTML("<b>three</b>"))
    4
    """
    ((error, outputs),) = run(source)
    assert error == "NoneType"
    assert [output["output_type"] for output in outputs] == [
        "stream",
        "stream",
        "display_data",
        "execute_result",
    ]
    assert outputs[0]["text"] == "one two\n"
    assert outputs[1]["name"] == "stderr"
    assert outputs[2]["data"]["text/html"] == "<b>three</b>"
    assert outputs[3]["data"]["text/plain"] == "4"
    assert len(harmless_outputs(outputs)) == 4


def test_magics_await_and_later_cells_after_an_error_work() -> None:
    results = run(
        "x = 1\n1 / 0",
        "def f(:\n    pass",
        "%time y = x + 1",
        "import asyncio\nawait asyncio.sleep(0)\ny",
        "exit()",
        "input()",
        "y",
    )
    assert [error for error, _ in results] == [
        "ZeroDivisionError",
        "SyntaxError",
        "NoneType",
        "NoneType",
        "NoneType",
        "EOFError",
        "NoneType",
    ]
    assert results[0][1][-1]["ename"] == "ZeroDivisionError"
    assert results[3][1][0]["data"]["text/plain"] == "2"
    assert results[6][1][0]["execution_count"] == 7


def test_a_plot_command_without_its_package_costs_nothing() -> None:
    results = run("%matplotlib inline\ny = 1", "y")
    assert [error for error, _ in results] == ["NoneType", "NoneType"]


def test_output_without_end_is_cut() -> None:
    ((_, outputs),) = run(f"for _ in range(100):\n    print('x' * {MAX_CHARACTERS // 10})")
    assert outputs[-1]["text"].endswith(CUT)
    assert sum(len(output["text"]) for output in outputs) < 1.2 * MAX_CHARACTERS


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak of a process")
def test_output_without_end_takes_no_memory() -> None:
    """IPython 9 keeps what a cell prints in its history; in time that ended a cell with a MemoryError."""
    printing = "for _ in range(600):\n    print('x' * 1_000_000)"
    # ru_maxrss would have the memory of the process that started this one
    peak = "int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]) // 1024"
    _, (_, outputs) = run(printing, peak)
    assert int(outputs[0]["data"]["text/plain"]) < 400


@pytest.mark.parametrize(
    "output",
    [{"output_type": "stream"}, "text", {"output_type": "error", "ename": 1}, None, {"a": {}}],
)
def test_outputs_that_no_notebook_may_hold_are_left_out(output: Any) -> None:
    good = nbformat.v4.new_output("stream", text="fine")
    assert harmless_outputs([output, good]) == [good]
