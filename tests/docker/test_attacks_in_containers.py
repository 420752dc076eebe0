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

from grader.sandbox import container_sandbox

pytestmark = [
    pytest.mark.docker,
    pytest.mark.timeout(600, func_only=True),  # the image may be built first, which takes longer
]


# harmless in a container, though it is not refused there
ELSEWHERE = {
    "reading/disks": "the image's own file, which says nothing of the machine",
    "reading/machine_name": "the same",
    "reading/users": "the same",
    "taking/memory_in_small_parts": "test_grading.py: the kernel ends one process after the other",
    "taking/sockets": "test_grading.py: they are memory of the container",
}

# nothing is refused them: what they leave behind ends with the container, what they look for is not there,
# or the kernel ends them
WITHOUT_A_WORD = {
    *("processes/daemon", "processes/deaf", "processes/outlive_the_supervisor"),
    *("reading/environment", "taking/processor_time"),
}


@pytest.mark.parametrize("name", [name for name in of(Program) if name not in ELSEWHERE])
def test_a_program_in_a_container(name: str, docker_lab: DockerLab, tmp_path: Path) -> None:
    attack: Any = ATTACKS[name]
    with contextlib.ExitStack() as ends:
        world = World(tmp_path / "inside", ends)
        said, why = play_inside(attack, world, container_sandbox.start)
        told = said.replace("tried", "").strip()
        assert told or why or name in WITHOUT_A_WORD, "it ended, and nobody knows of what"
