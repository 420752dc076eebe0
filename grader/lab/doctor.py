"""The doctor: what the lab needs, what this machine has, and the fix if they differ."""

import os
import shlex
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from grader.errors import SetupError
from grader.runtime.broker import running_broker
from grader.runtime.bubblewrap import NoBubblewrapError, find_bubblewrap
from grader.runtime.cluster import shared_folder
from grader.runtime.file_locks import file_lock
from grader.runtime.jars import (
    ENVIRONMENTS,
    NEEDED_MB,
    jar_folder,
    locked_jars,
    missing_jars,
    sha256,
)
from grader.runtime.java import FIX as JAVA_FIX
from grader.runtime.java import find_java
from grader.runtime.kafka_probe import stranger_at
from grader.runtime.kafka_settings import login_fix, python_settings
from grader.runtime.paths import cache_dir, state_dir

NEEDED_MEMORY_GB = 2.5  # the whole lab: broker, Spark, one kernel, JupyterLab
NEEDED_ON_CLUSTER_GB = 1.0  # Spark's driver and one kernel
NEEDED_CACHE_GB = NEEDED_MB / 1000
NEEDED_TEMPORARY_GB = 1.0
LOCK = Path(__file__).parents[2] / "requirements.lock"
# make setup works on the .venv next to the lock; a conda or container Python is a different one
OWN_PYTHON = Path(sys.prefix).resolve() == (LOCK.parent / ".venv").resolve()
SETUP = "run make setup" if OWN_PYTHON else "run grader setup"


@dataclass(frozen=True)
class Finding:
    """One thing examined: what was found and, if it is not ok, what to do.

    What only a teacher needs is ok without it, and says what a teacher would do.
    """

    name: str
    ok: bool
    found: str
    fix: str = ""


def examine() -> list[Finding]:
    """Examine this machine; never raises, takes about a second."""
    examinations: dict[str, Callable[[], Finding]] = {
        "python": _python,
        "packages": _packages,
        "java": _java,
        "connector": lambda: _jars("connector", "Spark's Kafka connector"),
        "lake": lambda: _jars("lake", "Delta Lake"),
        "broker jars": lambda: _jars("broker", "Kafka's broker"),
        "caches": _caches,
        "memory": _memory,
        "disk": _disk,
        "folders": _folders,
        "ports": _ports,
        "broker": _broker,
        "spark master": _spark_master,
        "checkpoints": _checkpoints,
        "sandbox": _sandbox,
    }
    findings = []
    for name, look in examinations.items():
        try:
            findings.append(look())
        except (PermissionError, FileExistsError, NotADirectoryError) as error:
            fix = (
                "make it a folder that you can write in, or name other ones in GRADER_STATE and "
                "GRADER_CACHE"
            )
            findings.append(Finding(name, False, str(error), fix))
        except (OSError, SetupError, ValueError) as error:
            findings.append(Finding(name, False, str(error), SETUP))
    return findings


def _python() -> Finding:
    found = f"Python {sys.version.split()[0]} in {sys.prefix}"
    if sys.version_info < (3, 10):
        return Finding("python", False, found, "install Python 3.10 or newer, then make setup")
    return Finding("python", True, found)


def _packages() -> Finding:
    if not LOCK.is_file():
        return Finding("packages", True, "installed without the lock beside it: not compared")
    wanted = locked_packages(LOCK)
    wrong = []
    for name, version in wanted.items():
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            installed = "missing"
        if installed != version:
            wrong.append(f"{name} is {installed}, locked is {version}")
    if wrong:
        more = f" and {len(wrong) - 4} more" if len(wrong) > 4 else ""
        fix = (
            f"{_again()}make setup"
            if OWN_PYTHON
            else f"run pip install -r {shlex.quote(str(LOCK))}"
        )
        return Finding("packages", False, "; ".join(wrong[:4]) + more, fix)
    return Finding("packages", True, f"{len(wanted)} packages, each as the lock has it")


def locked_packages(lock: Path) -> dict[str, str]:
    """Name and version of the packages that a lock asks for on this machine."""
    from packaging.requirements import Requirement

    packages = {}
    for line in lock.read_text().splitlines():
        if line[:1].isalnum():
            requirement = Requirement(line.rstrip("\\").strip())
            if requirement.marker is None or requirement.marker.evaluate():
                packages[requirement.name] = str(requirement.specifier).removeprefix("==")
    return packages


def _java() -> Finding:
    try:
        java = find_java()
    except SetupError as error:
        # of the lab's own Java, the error itself says how it is installed again
        fix = JAVA_FIX if os.environ.get("GRADER_JAVA") else ""
        return Finding("java", False, str(error).split(" To fix it,")[0], fix)
    return Finding("java", True, f"Java {java.version} in {java.home}")


def _jars(environment: str, what: str) -> Finding:
    folder = jar_folder(environment)
    jars = locked_jars(environment)
    bad = {jar.filename: "missing or cut short" for jar in missing_jars(environment)}
    for jar in jars:
        if jar.filename not in bad and sha256(folder / jar.filename) != jar.sha256:
            bad[jar.filename] = "damaged"
    name = "broker jars" if environment == "broker" else environment
    if bad:
        found = "; ".join(f"{file} is {state}" for file, state in list(bad.items())[:4])
        return Finding(name, False, f"{len(bad)} of {len(jars)} jars: {found}", SETUP)
    return Finding(name, True, f"{what}: {len(jars)} jars, each as its lock has it")


def _caches() -> Finding:
    from grader.lab.setup import start_ups

    if any(missing_jars(environment) for environment in ENVIRONMENTS):
        return Finding("caches", False, "cannot be used without all jars", SETUP)
    said = {each.kind: each.misfit() for each in start_ups(find_java())}
    bad = [f"the {kind}'s: {problem}" for kind, problem in said.items() if problem]
    if bad:
        found = (
            f"start-up caches of Java do not fit, everything starts more slowly; {'; '.join(bad)}"
        )
        return Finding("caches", False, found, SETUP)
    return Finding("caches", True, "start-up caches for the broker and Spark")


def _memory() -> Finding:
    import psutil

    memory = psutil.virtual_memory()
    total, free = memory.total / 2**30, memory.available / 2**30
    limit = _container_limit()
    if limit is not None and limit < total:
        total, free = limit, min(free, limit - _container_use())
    needed = NEEDED_MEMORY_GB
    if os.environ.get("GRADER_KAFKA") and os.environ.get("GRADER_SPARK_MASTER"):
        needed = NEEDED_ON_CLUSTER_GB
    found = f"{free:.1f} GB free of {total:.1f} GB; the lab takes up to {needed} GB"
    if total < needed:
        fix = "give the container or virtual machine at least 4 GB"
        return Finding("memory", False, found, fix)
    if free < needed:
        fix = "close other programs, and notebooks that you do not need (each has its own Spark)"
        return Finding("memory", False, found, fix)
    return Finding("memory", True, found)


def _container_limit() -> float | None:
    """The memory limit of the control group in GB, if there is one."""
    try:
        text = Path("/sys/fs/cgroup/memory.max").read_text().strip()
    except OSError:
        return None
    return int(text) / 2**30 if text.isdigit() else None


def _container_use() -> float:
    """What the control group holds in GB, without what the kernel gives back at need (file caches)."""
    group = Path("/sys/fs/cgroup")
    try:
        used = int((group / "memory.current").read_text())
        counts = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):
        return 0.0
    return (used - int(counts.get("inactive_file", 0))) / 2**30


def _disk() -> Finding:
    places = {cache_dir(): NEEDED_CACHE_GB, Path(tempfile.gettempdir()): NEEDED_TEMPORARY_GB}
    found, short = [], []
    for place, needed in places.items():
        free = shutil.disk_usage(place).free / 2**30
        found.append(f"{free:.1f} GB free in {place}")
        if free < needed:
            short.append(f"{place} needs {needed} GB")
    if short:
        fix = "; ".join(short) + ": free some, or set GRADER_CACHE and TMPDIR to other disks"
        return Finding("disk", False, "; ".join(found), fix)
    return Finding("disk", True, "; ".join(found))


def _folders() -> Finding:
    for place in (cache_dir(), state_dir(), Path(tempfile.gettempdir())):
        if not os.access(place, os.W_OK):
            fix = f"make {place} writable, or set GRADER_CACHE, GRADER_STATE or TMPDIR"
            return Finding("folders", False, f"cannot write in {place}", fix)
        with tempfile.TemporaryDirectory(dir=place) as folder:
            try:
                with file_lock(Path(folder, "lock")):
                    pass
            except SetupError as error:
                found, _, fix = str(error).partition(" Fix: ")
                return Finding("folders", False, found.replace(folder, str(place)), fix)
    return Finding("folders", True, f"{cache_dir()} and {state_dir()} can be written")


def _ports() -> Finding:
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as server,
            socket.create_connection(server.getsockname(), timeout=2),
        ):
            pass
    except OSError as error:
        fix = "let programs talk to 127.0.0.1 (a firewall or VPN forbids it)"
        return Finding("ports", False, f"the loopback does not answer: {error}", fix)
    try:
        socket.gethostbyname(socket.gethostname())
    except OSError:
        host = socket.gethostname()
        found = f"this machine's own name, {host}, cannot be looked up"
        return Finding("ports", False, found, f'add the line "127.0.0.1 {host}" to /etc/hosts')
    return Finding("ports", True, "free ports on 127.0.0.1")


def _broker() -> Finding:
    external = os.environ.get("GRADER_KAFKA")
    if external:
        return _external_broker(external)
    servers = running_broker()
    return Finding("broker", True, f"running on {servers}" if servers else "none is running now")


def _external_broker(servers: str) -> Finding:
    """Whether the Kafka that GRADER_KAFKA names lets us in, by the way in GRADER_KAFKA_CONF."""
    from kafka import KafkaAdminClient
    from kafka.errors import KafkaError

    found = _reach("broker", "GRADER_KAFKA", servers)
    if not found.ok:
        return found
    if stranger := stranger_at(servers):
        found_there = f"at GRADER_KAFKA={servers} answers no Kafka broker, but {stranger}"
        return Finding(
            "broker", False, found_there, "correct the variable, or unset it: unset GRADER_KAFKA"
        )
    try:
        settings = python_settings()
    except SetupError as error:
        return Finding("broker", False, str(error), "correct that file (docs/cluster.md)")
    try:
        admin = KafkaAdminClient(bootstrap_servers=servers, bootstrap_timeout_ms=8000, **settings)
        admin.close()
    except (KafkaError, OSError) as error:
        login_problem = (
            f"GRADER_KAFKA={servers} answers, but not as a Kafka that lets us in "
            f"({type(error).__name__})"
        )
        return Finding("broker", False, login_problem, login_fix())
    return found


def _spark_master() -> Finding:
    master = os.environ.get("GRADER_SPARK_MASTER", "")
    if not master.startswith("spark://"):
        return Finding("spark master", True, master or f"local, {os.cpu_count()} cores")
    return _reach("spark master", "GRADER_SPARK_MASTER", master.removeprefix("spark://"))


def _checkpoints() -> Finding:
    from grader.runtime.cluster import spark_master

    folder = shared_folder()
    if folder is not None:
        return Finding("checkpoints", True, f"in {folder}, which a cluster's workers must see too")
    if spark_master().startswith("local"):
        return Finding("checkpoints", True, f"in {tempfile.gettempdir()}")
    fix = "set GRADER_CHECKPOINTS to a folder mounted on driver and workers (docs/cluster.md)"
    return Finding("checkpoints", False, "Spark's workers do not see this machine's files", fix)


def _sandbox() -> Finding:
    try:
        return Finding("sandbox", True, f"for grading a class: {find_bubblewrap()}")
    except NoBubblewrapError as problem:
        found = f"a class cannot be graded in sandboxes here ({problem}); learners need none"
        return Finding("sandbox", True, found, f"to grade a class: {problem.fix}")


def _reach(name: str, variable: str, address: str) -> Finding:
    """Whether one of host:port[,host:port …], set in an environment variable, answers."""
    problem: Exception | None = None
    for each in address.split(","):
        host, _, port = each.strip().rpartition(":")
        if not host or not port.isdecimal():
            fix = f"correct the variable, or unset it: unset {variable}"
            return Finding(name, False, f"in {variable}={address}, {each!r} is no host:port", fix)
        try:
            socket.create_connection((host, int(port)), timeout=3).close()
            return Finding(name, True, f"{variable}={address} answers")
        except (OSError, OverflowError) as error:
            problem = error
    fix = f"start it, or correct the variable, or unset it: unset {variable}"
    return Finding(name, False, f"{variable}={address} does not answer: {problem}", fix)


def _again() -> str:
    stamp = LOCK.parent / ".venv" / "installed"
    return f"rm -f {shlex.quote(str(stamp))}; " if stamp.exists() else "run "
