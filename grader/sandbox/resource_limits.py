"""What a submission may take of the machine, and what the processes of a sandbox take of it."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

OWN_COUNT = (5, 14)  # the first Linux that counts a user's processes in each namespace apart


@dataclass(frozen=True)
class Limits:
    """What a submission may take. The whole lab takes 2.5 GB of memory at most (doctor.py).

    A JVM reserves many times the addresses that it uses, so there is no limit on addresses. The kernel
    limits the data of each process, and a watch limits the memory of all processes together.
    """

    memory_mb: int = 4096  # resident, all processes together; looked at five times a second
    process_mb: int = 4096  # data of one process
    tmp_mb: int = 1024  # /tmp, all that can be written except the answers
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

    def broken_by(self, first: int) -> str | None:
        """Which limit the processes below this one break together, if they break one."""
        tasks, memory, files = _usage(first)
        if tasks > self.tasks:
            return f"it had more than {self.tasks} processes and threads"
        if memory > self.memory_mb << 20:
            return f"its processes took more than {self.memory_mb} MB of memory"
        if files > self.files_together:
            return f"it had more than {self.files_together} files and sockets open"
        return None


def _usage(first: int) -> tuple[int, int, int]:
    """Tasks, bytes of memory and open files of all processes below this one.

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


def _kernel() -> tuple[int, ...]:
    numbers = os.uname().release.split("-")[0].split(".")[:2]
    return tuple(int(number) for number in numbers if number.isdecimal())
