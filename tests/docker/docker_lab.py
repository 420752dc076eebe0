"""Driving the containers as the tests need it: run, copy, kill, look."""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.lab.docker_lab import PORTS, Compose, build
from grader.runtime import ports
from grader.runtime.docker_engine import IMAGE

ROOT = Path(__file__).parents[2]
GRADER = Path(sys.executable).with_name("grader")
ENTRYPOINT = "/opt/stateful-streams/docker/entrypoint.sh"


class DockerLab:
    """One running lab in containers."""

    def __init__(self, root: Path, environment: dict[str, str]):
        self.root = root
        self.environment = environment
        self.compose = Compose(root, environment)
        self.seconds: dict[str, float] = {}

    def build(self) -> None:
        """Build the image from this working tree."""
        began = time.monotonic()
        build(self.root)
        self.seconds["build"] = time.monotonic() - began

    def up(self) -> None:
        """Bring all up and wait until all health checks pass."""
        began = time.monotonic()
        self.compose.up()
        self.seconds["up"] = time.monotonic() - began

    def container(self, service: str, number: int = 1) -> str:
        """The container's name; both versions of Compose number a service's containers from 1."""
        names = sorted(name for name in self.compose.containers() if service in name)
        return names[number - 1]

    def run(self, *command: str, service: str = "lab", seconds: float = 600) -> str:
        """Run a command in a container as the lab runs it; what it printed. Fails if it does."""
        done = subprocess.run(
            ["docker", "exec", self.container(service), ENTRYPOINT, *command],
            capture_output=True,
            text=True,
            timeout=seconds,
        )
        assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def start(self, *command: str, service: str = "lab") -> "subprocess.Popen[str]":
        """Start a command in a container; its output by line."""
        return subprocess.Popen(
            ["docker", "exec", "-i", self.container(service), ENTRYPOINT, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def copy_in(self, source: Path, target: str) -> None:
        """Copy a file or folder into the lab container."""
        docker("cp", str(source), f"{self.container('lab')}:{target}")

    def workers(self) -> list[dict[str, Any]]:
        """The living workers, as the master's page has them."""
        return [w for w in self.master_page()["workers"] if w["state"] == "ALIVE"]

    def master_page(self) -> dict[str, Any]:
        return json.loads(self.get(f"http://127.0.0.1:{self.port('SPARK_PAGE_PORT')}/json/"))  # type: ignore[no-any-return]

    def get(self, url: str) -> str:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return str(answer.read().decode())

    def port(self, name: str) -> int:
        return int(self.environment[name])

    def tasks_run(self, number: int) -> int:
        """How many tasks the executors of a worker have run, by their logs."""
        script = "cat /tmp/spark-work/*/*/stderr | grep -c 'Running task' || true"
        name = self.container("spark-worker", number)
        return int(docker("exec", name, "sh", "-c", script))


def docker(*arguments: str) -> str:
    """Run docker; what it printed. Fails if it does."""
    done = subprocess.run(["docker", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, f"docker {' '.join(arguments)}:\n{done.stderr}"
    return done.stdout.strip()


def wait_until(condition: Callable[[], object], what: str, seconds: float = 90) -> None:
    """Wait until the condition holds; fail with `what` when it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds} s in vain: {what}"
        time.sleep(0.25)


def own_ports() -> dict[str, str]:
    """A port for everything that the containers publish: one that stays free while containers restart."""
    return {name: str(port) for name, port in zip(PORTS, ports.own_ports(len(PORTS)), strict=True)}


__all__ = [
    "ENTRYPOINT",
    "GRADER",
    "IMAGE",
    "PORTS",
    "ROOT",
    "DockerLab",
    "docker",
    "own_ports",
    "wait_until",
]
