"""The attacks on a sandbox that are plain programs (tests/attacks), against the other kind of it: containers."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any

import pytest
from docker_lab import DockerLab

sys.path.append(str(Path(__file__).parents[1] / "attacks"))
from catalogue import ATTACKS, of
from forms import Program
from programs import play_inside
from world import World

from grader.classroom import containers

pytestmark = [pytest.mark.docker, pytest.mark.timeout(600)]


@pytest.mark.parametrize("name", of(Program))
def test_a_program_does_no_harm(name: str, docker_lab: DockerLab, tmp_path: Path) -> None:
    attack: Any = ATTACKS[name]
    with contextlib.ExitStack() as ends:
        world = World(tmp_path / "inside", ends)
        play_inside(attack, world, containers.start)
