"""The lab in containers: Kafka, a Spark master and workers, JupyterLab (docker/compose.yaml)."""

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from grader.errors import SetupError
from grader.lab.local_lab import open_in_browser, signals_as_exit, signals_to
from grader.runtime.docker_engine import IMAGE, no_engine
from grader.runtime.file_locks import try_lock
from grader.runtime.paths import state_dir
from grader.runtime.ports import is_free, own_ports

PROJECT = "stateful-streams"
START_SECONDS = 600
LOG_TAIL_LINES = 40
NEEDED_MEMORY_GB = 6
# as docker/compose.yaml has them
PORTS = {
    "LAB_PORT": 8888,
    "SPARK_PAGE_PORT": 8080,
    "SPARK_PORT": 7077,
    "KAFKA_PORT": 29092,
    "KAFKA_TLS_PORT": 29093,
}
# Where an administrator of Debian or Ubuntu puts the authorities of a company's or school's network.
AUTHORITIES = Path("/usr/local/share/ca-certificates")


def run_docker_lab(
    root: Path,
    *,
    port: int | None = None,
    open_browser: bool = True,
    say: Callable[[str], None] = print,
) -> int:
    """Build the image, run the lab in containers until Ctrl-C, take them down; the exit code.

    The learner's notebooks and progress stay in the volume stateful-streams_work. Raises SetupError
    while another terminal runs it: Compose would start again what that one follows.
    """
    environment = {
        **os.environ,
        "JUPYTER_TOKEN": os.environ.get("JUPYTER_TOKEN") or secrets.token_hex(16),
        **({"LAB_PORT": str(port)} if port else {}),
    }
    project = environment.get("COMPOSE_PROJECT_NAME", PROJECT)
    if try_lock(state_dir() / f"docker-lab.{project}.lock") is None:
        raise SetupError(
            "The lab runs in containers already: its address stands in the terminal that started it, and "
            "Ctrl-C there stops it. For a second one beside it, with notebooks of its own, set "
            "COMPOSE_PROJECT_NAME=second."
        )
    say("Image       building (the first time takes some minutes)")
    build(root)
    _look_at_memory(say)
    environment |= free_ports_of(environment, Compose(root, environment).published())
    compose = Compose(root, environment)
    if there := compose.run_from_elsewhere():
        raise SetupError(
            f"Containers of {project} run already, started from {there}. Stop them there (docker compose -p "
            f"{project} down), or set COMPOSE_PROJECT_NAME=second for a lab beside them."
        )
    try:
        with signals_as_exit():
            _follow(compose, environment, open_browser, say)
    except KeyboardInterrupt:
        say("")
    finally:
        say("Containers  going down …")
        # a second Ctrl-C, or a terminal that closes now, must not leave containers running
        with signals_to(signal.SIG_IGN, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            compose("down", "--timeout", "20")
    say("The lab has stopped; your notebooks and your progress are kept for the next time.")
    return 0


def free_ports_of(environment: Mapping[str, str], own: Collection[int] = ()) -> dict[str, str]:
    """A port for each of PORTS that the environment does not name: its usual one, or a free one if that is taken.

    `own` are those that this lab's containers hold already.
    """
    unnamed = {name: port for name, port in PORTS.items() if not environment.get(name)}
    taken = [name for name, port in unnamed.items() if port not in own and not is_free(port)]
    others = dict(zip(taken, own_ports(len(taken)), strict=True)) if taken else {}
    return {name: str(port) for name, port in (unnamed | others).items()}


def _follow(
    compose: "Compose",
    environment: dict[str, str],
    open_browser: bool,
    say: Callable[[str], None],
) -> NoReturn:
    """Start the lab and follow it; ends by an interrupt, or by SetupError."""
    started = time.monotonic()
    say("Containers  Kafka, a Spark master, two workers, the lab with its self-check …")
    compose.up()
    url = f"http://127.0.0.1:{environment['LAB_PORT']}/?token={environment['JUPYTER_TOKEN']}"
    say(f"JupyterLab  {url} (up in {time.monotonic() - started:.0f} s)")
    say(f"Spark       http://127.0.0.1:{environment['SPARK_PAGE_PORT']}")
    say("            Ctrl-C here stops everything; your notebooks and your progress stay.")
    if open_browser:
        open_in_browser(url)
    compose("logs", "--follow", "--tail", "0", "lab", quiet=True)
    raise SetupError(f"The lab ended by itself. Its last words:\n{compose.tail('lab')}")


def _look_at_memory(say: Callable[[str], None]) -> None:
    """Print a warning if the engine, often a separate virtual machine, has too little memory."""
    total = _output("docker", "info", "--format", "{{.MemTotal}}").strip()
    gigabytes = int(total) / 2**30 if total.isdigit() else NEEDED_MEMORY_GB
    if gigabytes < NEEDED_MEMORY_GB:
        say(
            f"Memory      Docker has {gigabytes:.1f} GB and may end a container for want of it. "
            f"{NEEDED_MEMORY_GB} GB are enough: Docker Desktop → Settings → Resources, or "
            "memory= in .wslconfig. make lab needs 2.5 GB."
        )


def build(root: Path) -> None:
    """Build the image, or bring it up to date. Raises SetupError if that fails.

    What this machine's administrator trusts, the build trusts: it takes the same way to the network.
    """
    docker = shutil.which("docker")
    if docker is None:
        raise SetupError(
            "Docker is not installed. Install Docker Desktop or Docker Engine, or stay without: "
            "make lab"
        )
    asked = subprocess.run([docker, "info"], capture_output=True, text=True)
    if asked.returncode:
        raise SetupError(no_engine(asked.stderr))
    lend_authorities(AUTHORITIES, root / "docker" / "certs")
    command = [docker, "build", "-t", IMAGE, "-f", "docker/Dockerfile", "."]
    if subprocess.run(command, cwd=root).returncode:
        raise SetupError(
            "The image was not built; Docker's words are above. If debian:bookworm-slim cannot be "
            "fetched: sudo docker/engine.sh up. If a certificate is refused: docker/certs/README.md"
        )


def lend_authorities(machine: Path, certs: Path) -> None:
    """Make the files machine-* in `certs` equal to the machine's own certificates.

    Unchanged ones are not written again, so that the image's cache holds.
    """
    wanted = {f"machine-{path.name}": path.read_bytes() for path in machine.rglob("*.crt")}
    for path in certs.glob("machine-*"):
        if path.name not in wanted:
            path.unlink()
    for name, content in wanted.items():
        target = certs / name
        if not target.exists() or target.read_bytes() != content:
            target.write_bytes(content)


class Compose:
    """Docker Compose on this project's file: version 2 (`docker compose`) or 1.29."""

    def __init__(
        self, root: Path, environment: dict[str, str] | None = None, files: Sequence[str] = ()
    ):
        self._root = root
        self._environment = environment or dict(os.environ)
        self.project = self._environment.get("COMPOSE_PROJECT_NAME", PROJECT)
        self._command = [*compose_program(), "-p", self.project]
        for name in ("docker/compose.yaml", *files):
            self._command += ["-f", name]

    def __call__(self, *arguments: str, quiet: bool = False) -> None:
        """Run one command. Raises SetupError with its words if it fails."""
        done = subprocess.run(
            [*self._command, *arguments],
            cwd=self._root,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL if quiet else subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=arguments[0] == "down",  # a terminal's Ctrl-C does not reach it
        )
        if done.returncode and not quiet:
            raise SetupError(f"{' '.join(arguments)} failed. Docker's words:\n{done.stdout}")

    def up(self) -> None:
        """Start all containers and wait until they are healthy. Raises SetupError with the logs."""
        try:
            self("up", "-d", "--no-build")
        except SetupError as error:
            if re.search("already allocated|already in use|Ports are not available", str(error)):
                raise SetupError(
                    f"{error}\nAnother program has that port. Choose others in the environment, "
                    f"LAB_PORT=8890 for one: {', '.join(PORTS)}."
                ) from error
            raise SetupError(f"{error}\n{self._words_of_the_sick()}") from error
        self.wait_until_healthy()

    def run_from_elsewhere(self) -> str | None:
        """The folder of another clone whose containers run under this project's name, if there are any."""
        own = str(self._root.resolve() / "docker")
        for entry in self._inspected():
            labels = entry.get("Config", {}).get("Labels") or {}
            where = labels.get("com.docker.compose.project.working_dir", own)
            if entry["State"]["Status"] == "running" and where != own:
                return str(where)
        return None

    def _inspected(self) -> list[Any]:
        label = f"label=com.docker.compose.project={self.project}"
        ids = _output("docker", "ps", "--all", "--quiet", "--filter", label).split()
        return list(json.loads(_output("docker", "inspect", *ids))) if ids else []

    def published(self) -> set[int]:
        """The ports of this machine that the project's containers hold."""
        bound = [
            entry.get("HostConfig", {}).get("PortBindings") or {} for entry in self._inspected()
        ]
        return {
            int(one["HostPort"]) for ports in bound for each in ports.values() for one in each or ()
        }

    def containers(self) -> dict[str, str]:
        """Name → health ("healthy", "starting", "unhealthy") or state of each container."""
        found = {}
        for entry in self._inspected():
            state = entry["State"]
            health = state.get("Health", {}).get("Status", "")
            running = state["Status"] == "running"
            found[entry["Name"].strip("/")] = health if running and health else state["Status"]
        return found

    def wait_until_healthy(self, seconds: float = START_SECONDS) -> None:
        """Wait until every container's health check passes. Raises SetupError with the log."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            states = self.containers()
            ended = [n for n, state in states.items() if state in ("exited", "dead", "restarting")]
            if ended:
                raise SetupError(f"{ended[0]} ended. Its last words:\n{_tail(ended[0])}")
            if states and all(state == "healthy" for state in states.values()):
                return
            time.sleep(0.5)
        raise SetupError(f"Not ready after {seconds:.0f} s.\n{self._words_of_the_sick()}")

    def _words_of_the_sick(self) -> str:
        late = [name for name, state in self.containers().items() if state != "healthy"]
        return "\n".join(
            f"{name}, which is not healthy, said last:\n{_tail(name)}" for name in late
        )

    def tail(self, service: str) -> str:
        """The last lines that the containers of a service wrote."""
        names = [name for name in self.containers() if service in name]
        return "\n".join(_tail(name) for name in names)


def compose_program() -> list[str]:
    """The command of Docker Compose on this machine. Raises SetupError if there is none."""
    if not subprocess.run(["docker", "compose", "version"], capture_output=True).returncode:
        return ["docker", "compose"]
    if shutil.which("docker-compose"):
        return ["docker-compose"]
    raise SetupError(
        "Docker Compose is not installed. Docker Desktop has it; Debian: apt-get install "
        "docker-compose; elsewhere: the package docker-compose-plugin"
    )


def _tail(container: str) -> str:
    return _output("docker", "logs", "--tail", str(LOG_TAIL_LINES), container)


def _output(*command: str) -> str:
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ).stdout
