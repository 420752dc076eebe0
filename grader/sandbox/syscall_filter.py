"""What a sandboxed process may not ask of the kernel, as a seccomp filter.

Namespaces isolate files, processes and the network. The filter refuses what bypasses namespaces or limits:

- memory that belongs to no process and no folder
- sockets that no network namespace isolates
- the memory of other processes
- the kernel's keys
- the newest and least tested interfaces of the kernel
"""

from __future__ import annotations

import errno
import platform
import struct
from dataclasses import dataclass

FAMILIES = (1, 2, 10, 16)  # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK (Java lists interfaces by it)
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
LOAD, IF_EQUAL, IF_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16
X32 = 0x40000000  # numbers from here on are those of a second set of calls

# refused as if the kernel did not have them: programs then use an alternative
NAMES = (
    *("memfd_create", "memfd_secret", "shmget", "msgget", "semget"),
    *("add_key", "request_key", "keyctl", "ptrace", "process_vm_readv", "process_vm_writev"),
    *("io_uring_setup", "userfaultfd", "bpf", "perf_event_open", "unshare", "setns"),
)


@dataclass(frozen=True)
class Machine:
    """How a processor's Linux numbers its calls; the numbers are in the order of NAMES."""

    architecture: int
    socket: int
    refused: tuple[int, ...]


# source: the kernel's syscall_64.tbl and its asm-generic/unistd.h
MACHINES = {
    "x86_64": Machine(
        0xC000003E, 41,
        (319, 447, 29, 68, 64, 248, 249, 250, 101, 310, 311, 425, 323, 321, 298, 272, 308),
    ),
    "aarch64": Machine(
        0xC00000B7, 198,
        (279, 447, 194, 186, 190, 217, 218, 219, 117, 270, 271, 425, 282, 280, 241, 97, 268),
    ),
}  # fmt: skip


def refused_calls(machine: str | None = None) -> bytes | None:
    """The filter as the kernel takes it; None for a processor whose numbers are not known."""
    known = MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    program = [
        (LOAD, 0, 0, ARCHITECTURE_AT),
        (IF_EQUAL, 1, 0, known.architecture),
        (RETURN, 0, 0, REFUSE | errno.ENOSYS),
        (LOAD, 0, 0, NUMBER_AT),
        (IF_AT_LEAST, 0, 1, X32),
        (RETURN, 0, 0, REFUSE | errno.ENOSYS),
    ]
    for number in known.refused:
        program += [(IF_EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE | errno.ENOSYS)]
    program += [(IF_EQUAL, 1, 0, known.socket), (RETURN, 0, 0, ALLOW)]
    program += [(LOAD, 0, 0, FIRST_ARGUMENT_AT)]
    for family in FAMILIES:
        program += [(IF_EQUAL, 0, 1, family), (RETURN, 0, 0, ALLOW)]
    program += [(RETURN, 0, 0, REFUSE | errno.EAFNOSUPPORT)]
    return b"".join(struct.pack("=HBBI", *step) for step in program)
