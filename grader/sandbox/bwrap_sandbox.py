"""The sandbox of a submission: what its processes see, what they may take, and how all of it ends.

In it there is a read-only view of what a check needs (system libraries, Python, Java, jars, start-up
caches, the grader, datasets/), the folder that was handed in, and memory to write in. There is no
network but a loopback of its own, and no process of the machine's.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from grader.errors import SetupError
from grader.runtime.bubblewrap import ISOLATION, OWN_PROC, find_bubblewrap
from grader.runtime.jars import pyspark_jars
from grader.runtime.java import find_java
from grader.runtime.paths import PACKAGE, cache_dir, datasets_dir
from grader.sandbox import confinement
from grader.sandbox.syscall_filter import refused_calls

# where things are inside
CHECK = Path("/run/check")  # the job, and what the runner says
HANDED_IN = Path("/run/submission")
WORK = Path("/tmp/notebook")  # a copy of it, for cells to run and write in
FOLDERS = ("/tmp/home", "/tmp/state", str(WORK))
COPIED_MB = 100  # a larger folder is not copied: cells run where it is, and can only read there

ETC = Path(__file__).with_name("etc")  # users and hosts of a sandbox
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
SYSTEM_ETC = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives")
CACHES = ("jars", "archives", "npm")  # of the grader's; others hold answers to hidden events

WATCH_SECONDS = 0.2
OWN_COUNT = (5, 14)  # the first Linux that counts a user's processes in each namespace apart


@dataclass(frozen=True)
class Limits:
    """What a submission may take. The whole lab takes 2.5 GB of memory at most (doctor.py).

    A Java reserves many times the addresses that it uses, so no limit is on those: the kernel limits
    the data that one process may have, and a watch the memory that all have together.
    """

    memory_mb: int = 4096  # resident, all processes together; looked at five times a second
    process_mb: int = 4096  # data of one process
    tmp_mb: int = 1024  # /tmp, all that can be written but for the answers
    shm_mb: int = 64  # /dev/shm
    file_mb: int = 128  # one file
    open_files: int = 4096  # of one process
    # of all processes (an honest one's have 560): what waits in sockets is memory that none shows
    files_together: int = 3072
    tasks: int = 2048  # processes and threads, all together
    cpu_seconds: int = 3600  # of one process; the supervisor looks at the clock

    def of_the_kernel(self) -> dict[str, int]:
        """The limits that the kernel keeps for every process."""
        limits = {
            "RLIMIT_CPU": self.cpu_seconds,
            "RLIMIT_DATA": self.process_mb << 20,
            "RLIMIT_FSIZE": self.file_mb << 20,
            "RLIMIT_NOFILE": self.open_files,
            "RLIMIT_CORE": 0,
        }
        if _kernel() >= OWN_COUNT:
            limits["RLIMIT_NPROC"] = self.tasks
        return limits


class Sandboxed:
    """A command that runs in a sandbox, which ends with it.

    `why` says which limit the watch ended it for, if it did.
    """

    def __init__(self, process: subprocess.Popen[bytes], first: int | None, limits: Limits):
        self.process = process
        self.why: str | None = None
        self._first = first  # the sandbox's first process as the machine numbers it
        self._handle = _handle(first)
        self._limits = limits
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)
        if first is not None:
            self._watch.start()

    def end(self, patience: float = 0.0) -> int:
        """Wait `patience` seconds for the command, then end all there is; the exit code."""
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self._kill()
        code = self.process.wait()
        self._over.set()
        if self._watch.is_alive():
            self._watch.join()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
        return code

    def _kill(self) -> None:
        """End the sandbox's first process; the kernel ends all others before that is gone."""
        if self._handle is None:
            self.process.kill()
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def _look(self) -> None:
        assert self._first is not None
        while self.process.poll() is None and not self._over.wait(WATCH_SECONDS):
            tasks, memory, files = _taken(self._first)
            if tasks > self._limits.tasks:
                self.why = f"it had more than {self._limits.tasks} processes and threads"
            elif memory > self._limits.memory_mb << 20:
                self.why = f"its processes took more than {self._limits.memory_mb} MB of memory"
            elif files > self._limits.files_together:
                self.why = f"it had more than {self._limits.files_together} files and sockets open"
            if self.why:
                self._kill()
                return


def start(
    command: Sequence[str],
    *,
    job: Path,
    writable: Iterable[str] = (),
    handed_in: Path | None = None,
    log: IO[bytes],
    limits: Limits | None = None,
) -> Sandboxed:
    """Start a command in a sandbox; `stdin` is a pipe, its output goes to `log`.

    `job` is seen as CHECK, and nothing in it can be changed but the files named in `writable`.
    `handed_in` is seen as HANDED_IN; the command starts in WORK, which is empty. The thread that calls
    must live as long as the sandbox: the kernel ends this with that.
    """
    limits = limits or Limits()
    words = [str(find_bubblewrap()), *ISOLATION, *_view(limits)]
    words += ["--ro-bind", str(job), str(CHECK)]
    for name in writable:
        words += ["--bind", str(job / name), str(CHECK / name)]
    if handed_in is not None:
        words += ["--ro-bind", str(handed_in), str(HANDED_IN)]
    words += ["--remount-ro", "/"]
    task = {"limits": limits.of_the_kernel(), "folders": FOLDERS}
    first = [sys.executable, "-I", "-S", confinement.__file__, json.dumps(task)]
    with contextlib.ExitStack() as ours:
        told, tells = os.pipe()
        answer = ours.enter_context(open(told, "rb"))
        theirs = [tells]
        ours.callback(lambda: _close(theirs))
        words += ["--info-fd", str(tells)]
        refused = refused_calls()
        if refused is not None:
            filter_, fill = os.pipe()
            theirs.append(filter_)
            with open(fill, "wb") as file:
                file.write(refused)
            words += ["--seccomp", str(filter_)]
        process = subprocess.Popen(
            [*words, "--chdir", "/", "--", *first, *command],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env=_environment(),  # also of bwrap itself: its processes can be read from inside
            cwd="/",
            pass_fds=theirs,
            start_new_session=True,
        )
        _close(theirs)  # its answer ends with its own end of it
        return Sandboxed(process, _first_process(answer), limits)


def work_folder(handed_in: Path) -> Path:
    """Where cells run: in a copy of what was handed in, or, if it is large, where it is.

    Raises SetupError for a folder that holds your own files.
    """
    if _within(str(Path.home().resolve()), str(handed_in.resolve())):
        raise SetupError(
            f"{handed_in} holds your own files, and code that runs there could read them. "
            "Put the notebook in a folder of its own."
        )
    return WORK if _megabytes(handed_in) <= COPIED_MB else HANDED_IN


def _view(limits: Limits) -> list[str]:
    """The words that make the sandbox's files, in the order in which bwrap mounts them."""
    words = [*OWN_PROC, "--dev", "/dev", "--remount-ro", "/dev"]
    words += ["--perms", "1777", "--size", str(limits.shm_mb << 20), "--tmpfs", "/dev/shm"]
    words += ["--perms", "1777", "--size", str(limits.tmp_mb << 20), "--tmpfs", "/tmp"]
    for name in SYSTEM:
        path = Path(name)
        if path.is_symlink():
            words += ["--symlink", os.readlink(path), name]
        elif path.is_dir():
            words += ["--ro-bind", name, name]
    for path in sorted(ETC.iterdir()):
        words += ["--ro-bind", str(path), f"/etc/{path.name}"]
    for name in (*SYSTEM_ETC, *sorted(map(str, Path("/etc").glob("java*")))):
        words += ["--ro-bind-try", name, name]
    for shown, source in _shown().items():
        words += ["--ro-bind", source, shown]
    return words


def _shown() -> dict[str, str]:
    """What a check needs beside the system: its path inside, which is the machine's, and its source."""
    package = PACKAGE
    needed = [Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve().parents[1]]
    needed += [Path(path) for path in _packages()]
    needed += [package, find_java().home, Path(pyspark_jars()[0]).parent]
    needed += [*(cache_dir() / name for name in CACHES), datasets_dir()]
    shown: dict[str, str] = {}
    for path in sorted({path.absolute() for path in needed if path.is_dir()}):
        for name in dict.fromkeys((str(path), str(path.resolve()))):
            if _of_system(name) or any(_within(name, other) for other in shown):
                continue
            if _within(str(Path.home().resolve()), name) or (Path(name) / "solutions").is_dir():
                raise SetupError(
                    f"A check needs {name}, and your own files lie in there, so that no sandbox can hide "
                    "them. Install the course in a virtual environment: make setup."
                )
            shown[name] = str(path.resolve())
    return shown


def _packages() -> list[str]:
    """Folders of installed packages, wherever Python found them."""
    kinds = ("site-packages", "dist-packages")
    return [path for path in sys.path if Path(path).name in kinds and Path(path).is_dir()]


def _environment() -> dict[str, str]:
    """The variables of a sandbox: none of the machine's, for those may hold anything."""
    package = str(PACKAGE.parent)
    kept = {name: os.environ[name] for name in ("GRADER_JAVA",) if os.environ.get(name)}
    return {
        **kept,
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": os.pathsep.join(dict.fromkeys([package, *_packages()])),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": "/tmp/home",
        "USER": "learner",
        "LANG": "C.UTF-8",
        "TMPDIR": "/tmp",
        "IPYTHONDIR": "/tmp/home/ipython",
        "MPLCONFIGDIR": "/tmp/home/matplotlib",
        "MPLBACKEND": "agg",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "OPENBLAS_NUM_THREADS": "1",
        "GRADER_STATE": "/tmp/state",
        "GRADER_CACHE": str(cache_dir()),
        "GRADER_DATASETS": str(datasets_dir()),
    }


def _close(descriptors: list[int]) -> None:
    while descriptors:
        os.close(descriptors.pop())


def _first_process(answer: IO[bytes]) -> int | None:
    """What bwrap tells of the sandbox's first process; None if it could not make one."""
    try:
        return int(json.loads(answer.read() or b"{}")["child-pid"])
    except (ValueError, KeyError):
        return None


def _handle(process: int | None) -> int | None:
    if process is None:
        return None
    try:
        return os.pidfd_open(process)
    except (AttributeError, OSError):  # an old kernel, or it has ended
        return None


def _taken(first: int) -> tuple[int, int, int]:
    """Tasks, bytes of memory and open files of a process and all below it.

    In a sandbox no other parent takes over.
    """
    children: dict[int, list[tuple[int, int]]] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with contextlib.suppress(OSError, IndexError, ValueError):
                after_name = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()
                parent, threads = int(after_name[1]), int(after_name[17])
                children.setdefault(parent, []).append((int(name), threads))
    tasks = memory = files = 0
    below = [first]
    while below:
        for process, threads in children.get(below.pop(), ()):
            below.append(process)
            tasks += threads
            memory += _memory(process)
            with contextlib.suppress(OSError):  # it has ended
                files += len(os.listdir(f"/proc/{process}/fd"))
    return tasks, memory, files


def _memory(process: int) -> int:
    """Bytes that a process holds in memory, its files aside; the kernel's tables of its pages count."""
    total = 0
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{process}/status").read_bytes().splitlines():
            if line.startswith((b"RssAnon:", b"RssShmem:", b"VmPTE:")):
                total += int(line.split()[1]) << 10
    return total


def _megabytes(folder: Path) -> float:
    sizes = [path.lstat().st_size for path in folder.rglob("*") if not path.is_symlink()]
    return sum(sizes) / (1 << 20)


def _kernel() -> tuple[int, ...]:
    numbers = os.uname().release.split("-")[0].split(".")[:2]
    return tuple(int(number) for number in numbers if number.isdecimal())


def _of_system(path: str) -> bool:
    return any(_within(path, system) for system in SYSTEM)


def _within(path: str, folder: str) -> bool:
    return Path(path).is_relative_to(folder)
