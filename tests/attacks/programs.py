"""Plays an attack in plain Python: without a sandbox, where it has to do its harm, and in one."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forms import Program
from world import World, wait_for

from grader.sandbox import bwrap_sandbox
from grader.sandbox.sandbox_kinds import Sandbox

TIME_FACTOR = 30

# says "tried" first, and "harm" if it got what it wanted
WRAPPED = """
import sys
given = sys.argv[1:]
def harm():
    print('harm', flush=True)
print('tried', flush=True)
try:
    exec({code!r})
except (OSError, MemoryError, RuntimeError, ValueError, AttributeError) as refused:
    print(type(refused).__name__, refused, flush=True)
"""


def play_program(attack: Program, folder: Path) -> None:
    """Raises AssertionError where the attack does no harm outside, or does it inside."""
    harmed = _harmed(attack)
    with contextlib.ExitStack() as ends:
        world = World(folder / "outside", ends)
        if attack.outside and not harmed(world, _outside(attack, world)):
            pytest.skip("this machine withstands it without a sandbox as well")
    with contextlib.ExitStack() as ends:
        world = World(folder / "inside", ends)
        said, why = play_inside(attack, world)
        ended = bool(attack.ended and why and re.search(attack.ended, why))
        assert ended or re.search(attack.refused, said), (said, why)


def command(code: str, *words: Any) -> list[str]:
    """Runs Python code with the grader's own Python."""
    wrapped = WRAPPED.format(code=code)
    return [sys.executable, "-I", "-S", "-c", wrapped, *map(str, words)]


def _outside(attack: Program, world: World) -> str:
    """What the attack says when nothing holds it."""
    done = subprocess.run(
        command(attack.code, *attack.given(world)),
        cwd=world.handed_in,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        close_fds=False,
        timeout=TIME_FACTOR,
        start_new_session=True,
    )
    return done.stdout.decode()


def play_inside(
    attack: Program, world: World, start: Callable[..., Sandbox] = bwrap_sandbox.start
) -> tuple[str, str | None]:
    """What it says in a sandbox, and which limit ended it, if one did. Raises AssertionError where it harms."""
    given = list((attack.inside or attack.given)(world))
    said, why = _inside(attack, world, given, start)
    assert "tried" in said
    assert not _harmed(attack)(world, said), said
    assert world.touched() == []
    return said, why


def _harmed(attack: Program) -> Callable[[World, str], bool]:
    return attack.harmed or (lambda _, said: "harm" in said)


def _inside(
    attack: Program, world: World, given: list[Any], start: Callable[..., Sandbox]
) -> tuple[str, str | None]:
    log = world.job / "log"
    with open(log, "wb") as file:
        running = start(
            command(attack.code, *given),
            job=world.job,
            writable=[world.answer.name],
            handed_in=world.handed_in,
            log=file,
            limits=attack.limits,
        )
    if not attack.ends_itself:
        assert wait_for(lambda: "tried" in log.read_text(), TIME_FACTOR)
    with contextlib.suppress(subprocess.TimeoutExpired):
        running.process.wait(TIME_FACTOR if attack.ends_itself else 0.1)
    why = running.why  # a container is gone with its end
    running.end()
    with open(log, "rb") as file:
        return file.read(1 << 16).decode(errors="replace"), why or running.why
