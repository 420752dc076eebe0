"""Where Python has no modules of Linux and macOS, as on Windows, a person is told what to do."""

import subprocess
import sys

import pytest

from grader.systems import WINDOWS

AS_ON_WINDOWS = """
import sys
class Without:
    def find_spec(self, name, path=None, target=None):
        if name in ("fcntl", "grp", "pwd", "resource", "termios"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Without())
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules.pop(name, None)
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", AS_ON_WINDOWS + code], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("command", ["lab --no-browser", "setup", "grade submitted 03", "doctor"])
def test_a_command_that_needs_them_names_the_linux_in_windows(command: str) -> None:
    done = run(f"from grader.cli import main; sys.exit(main({command.split()!r}))")
    assert (done.returncode, done.stderr) == (2, f"grader: {WINDOWS}\n")


def test_the_first_cell_of_a_notebook_does() -> None:
    done = run("import grader; grader.start()")
    assert done.stderr.splitlines()[-1].endswith(WINDOWS)


def test_a_command_that_needs_none_of_them_runs() -> None:
    done = run("from grader.cli import main; sys.exit(main(['list']))")
    assert done.returncode == 0, done.stderr


def test_another_missing_module_stays_a_defect() -> None:
    done = run("""
from grader import cli
def broken(arguments): import no_such_module
cli._run = broken
sys.exit(cli.main(["list"]))
""")
    assert "ModuleNotFoundError: No module named 'no_such_module'" in done.stderr
