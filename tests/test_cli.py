"""What every command has in common."""

import json
from argparse import Namespace

import pytest

from grader import cli


def test_with_json_nothing_else_is_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    def command(arguments: Namespace) -> int:
        print("Fetching a server, once (3 MB) …")
        cli._print_json(arguments, {"ok": True})
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
