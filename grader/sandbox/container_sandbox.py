"""The other kind of sandbox: a Docker container of the course's image for each submission.

The container has only a loopback network and no rights. It can write only to memory and to the files of its
answers. It sees what sandbox_files.py shows, in the same places.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO

import psutil

from grader.errors import SetupError
from grader.runtime.docker_engine import IMAGE, no_engine
from grader.sandbox.resource_limits import Limits
from grader.sandbox.sandbox_files import CHECK, FOLDERS, HANDED_IN, VARIABLES
from grader.sandbox.syscall_filter import refused_calls
from grader.validity.digest import package_digest

LABEL = "stateful-streams.supervisor"  # what started it: the process, and when that was started
# the whole of a submission's notebook has a quarter of it, its plays a minute each
LIFE_SECONDS = 3600
LEARNER = "1000:1000"  # of the image
HOME, PYTHON = "/opt/stateful-streams", "/opt/venv/bin/python"
CONFINE = f"{HOME}/grader/sandbox/confinement.py"
FIX = "docker build -t stateful-streams:latest -f docker/Dockerfile ."


@lru_cache(maxsize=1)
def find_image() -> None:
    """See that a container can run what this grader is, and end what killed supervisors left; once a process.

    Raises SetupError with the fix.
    """
    problem = _problem()
    if problem:
        raise SetupError(f"No container can be a sandbox here, so nothing is run: {problem}")
    _sweep()


@dataclass
class ContainerSandbox:
    """A command that runs in a container of this name, which ends with it."""

    process: subprocess.Popen[bytes]
    name: str
    limits: Limits

    @property
    def why(self) -> str | None:
        """Which limit ended it, if one did."""
        said = _docker("inspect", "--format", "{{.State.OOMKilled}}", self.name)
        if said.stdout.strip() == "true":
            return f"its processes took more than {self.limits.memory_mb} MB of memory"
        return None

    def end(self, grace_seconds: float = 0.0) -> int:
        """Wait `patience` seconds for the command, then end all processes; returns the exit code."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(grace_seconds)
        _docker("rm", "--force", "--volumes", self.name)
        try:
            return self.process.wait(grace_seconds + 10)
        except subprocess.TimeoutExpired:  # the engine has gone
            self.process.kill()
            return self.process.wait()


def start(
    command: Sequence[str],
    *,
    job: Path,
    writable: Iterable[str] = (),
    handed_in: Path | None = None,
    log: IO[bytes],
    limits: Limits | None = None,
) -> ContainerSandbox:
    """Start a command in a container; all as `bwrap_sandbox.start` has it. Its Python is the image's."""
    limits = limits or Limits()
    name = f"stateful-streams-{uuid.uuid4().hex[:12]}"
    job.chmod(0o755)  # the learner of the image is a different user
    words = ["docker", "run", "--interactive", "--name", name, "--label", f"{LABEL}={_own_mark()}"]
    words += ["--network", "none", "--hostname", "localhost", "--read-only", "--user", LEARNER]
    words += ["--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--log-driver", "none"]
    words += ["--pids-limit", str(limits.tasks), "--shm-size", f"{limits.shm_mb}m"]
    words += ["--memory", f"{limits.memory_mb}m", "--memory-swap", f"{limits.memory_mb}m"]
    words += ["--tmpfs", f"/tmp:rw,exec,nosuid,nodev,mode=1777,size={limits.tmp_mb}m"]
    for variable, value in {**VARIABLES, "PYTHONPATH": HOME}.items():
        words += ["--env", f"{variable}={value}"]
    words += ["--volume", f"{job}:{CHECK}:ro"]
    for file in writable:
        (job / file).chmod(0o666)
        words += ["--volume", f"{job / file}:{CHECK / file}"]
    if handed_in is not None:
        words += ["--volume", f"{handed_in}:{HANDED_IN}:ro"]
    words += ["--entrypoint", "timeout", IMAGE, "--signal=KILL", str(LIFE_SECONDS)]
    task = {"limits": limits.of_the_kernel(), "folders": FOLDERS}
    task["refused"] = (refused_calls() or b"").hex()
    words += ["python", "-I", "-S", CONFINE, json.dumps(task), PYTHON, *command[1:]]
    # what a container says goes through Docker's program: its file has an end, too
    most = f'ulimit -f {limits.file_mb << 11}; exec "$@"'
    process = subprocess.Popen(
        ["/bin/sh", "-c", most, "sh", *words],
        stdin=subprocess.PIPE,
        stdout=log,
        stderr=log,
        cwd="/",
        start_new_session=True,
    )
    return ContainerSandbox(process, name, limits)


def _problem() -> str | None:
    if shutil.which("docker") is None:
        return "Docker is not installed. Install Docker Engine, or use --sandbox bwrap."
    asked = _docker("info")
    if asked.returncode:
        return no_engine(asked.stderr)
    if _docker("image", "inspect", IMAGE).returncode:
        return f"there is no image {IMAGE}. Build it: {FIX}"
    program = "from grader.validity.digest import package_digest as d; print(d())"
    run = ("run", "--rm", "--network", "none", "--entrypoint", "python", IMAGE, "-c", program)
    answer = _docker(*run)
    if answer.stdout.strip() != package_digest():
        why = answer.stderr.strip().splitlines()[-1:] or ["it is of another version of the course"]
        return f"the image {IMAGE} does not fit: {why[0]}. Build it again: {FIX}"
    return None


def _own_mark() -> str:
    return f"{os.getpid()}-{psutil.Process().create_time():.0f}"


def _sweep() -> None:
    """Remove containers whose supervisor was killed."""
    listed = _docker("ps", "--all", "--filter", f"label={LABEL}", "--format", _ID_AND_MARK)
    for line in listed.stdout.splitlines():
        container, _, mark = line.partition(" ")
        process, _, since = mark.partition("-")
        with contextlib.suppress(psutil.Error, ValueError):
            if f"{psutil.Process(int(process)).create_time():.0f}" == since:
                continue
        _docker("rm", "--force", "--volumes", container)


_ID_AND_MARK = '{{.ID}} {{.Label "' + LABEL + '"}}'


def _docker(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["docker", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
