"""What every command has in common."""

import json
import subprocess
import sys
from argparse import Namespace

import pytest

from grader import cli
from grader.commands.command import print_json


def test_with_json_nothing_else_is_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    def command(arguments: Namespace) -> int:
        print("Fetching a server, once (3 MB) …")
        print_json(arguments, {"ok": True})
        return 0

    assert cli._run(Namespace(run=command, json=True)) == 0
    out, said = capsys.readouterr()
    assert json.loads(out) == {"ok": True}
    assert "Fetching" in said


def test_without_json_a_command_speaks_on_standard_output(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def command(arguments: Namespace) -> int:
        print("all is well")
        return 3

    assert cli._run(Namespace(run=command)) == 3
    assert capsys.readouterr().out == "all is well\n"


def test_a_folder_that_cannot_be_used_is_named_with_the_fix(tmp_path, monkeypatch, capsys):
    (tmp_path / "state").touch()
    monkeypatch.setenv("GRADER_STATE", str(tmp_path / "state"))
    assert cli.main(["progress"]) == 2
    told = capsys.readouterr().err
    assert f"grader: {tmp_path / 'state'}: File exists" in told and "GRADER_STATE" in told


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["grade", "submitted", "--jobs", "abc"], "an integer, at least 1, and not 'abc'"),
        (["grade", "submitted", "--waiting", "-1"], "an integer, at least 0, and not '-1'"),
        (["check", "a.ipynb", "--timeout", "0"], "seconds, more than 0, and not '0'"),
        (["drill", "--count", "0"], "an integer, at least 1"),
    ],
)
def test_a_number_that_cannot_be_is_refused_with_what_is_wanted(words, why, capsys):
    with pytest.raises(SystemExit):
        cli.main(words)
    assert why in capsys.readouterr().err


def test_a_folder_in_the_place_of_a_file_is_told_before_any_work(tmp_path, capsys):
    assert cli.main(["bundle", "--students", str(tmp_path)]) == 2
    assert f"is a folder: name a file, such as {tmp_path / 'lab.zip'}" in capsys.readouterr().err
    assert cli.main(["export", "--format", "csv", "--out", str(tmp_path)]) == 2
    assert "csv writes a file" in capsys.readouterr().err


def test_help_loads_the_standard_library_and_nothing_else() -> None:
    program = (
        "import sys, grader.cli; grader.cli._parser().format_help();"
        "print(*{name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names)"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    allowed = {"__main__", "_distutils_hack", "grader", "sitecustomize"}
    assert {name for name in loaded.stdout.split() if not name.startswith("_editable")} <= allowed
