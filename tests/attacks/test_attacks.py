"""Every attack of this folder, played against what a class is graded by."""

from __future__ import annotations

from pathlib import Path

import pytest
from catalogue import ATTACKS, of
from forms import Program
from programs import play_program

from grader.runtime.bubblewrap import NoBubblewrapError, find_bubblewrap

try:
    find_bubblewrap()
    here = ""
except NoBubblewrapError as problem:
    here = f"no sandbox here: {problem}"
pytestmark = pytest.mark.skipif(bool(here), reason=here)


@pytest.mark.parametrize("name", of(Program))
def test_a_program(name: str, tmp_path: Path) -> None:
    attack = ATTACKS[name]
    assert isinstance(attack, Program)
    play_program(attack, tmp_path)
