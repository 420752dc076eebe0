"""The first program in a sandbox: takes on its limits, makes its folders, becomes the command.

Its command line is `python -I -S confinement.py TASK COMMAND…`, with the TASK as JSON:
`{"limits": {"RLIMIT_CPU": 60}, "folders": [path], "refused": hexadecimal}`. The command starts in the last
folder. The field `refused` is the filter of system calls, if the sandbox's maker has not set one. The program
uses only the standard library, so that it is small and starts at once. The limits count only the sandbox's
processes, and nothing in the sandbox can lift them.
"""

import contextlib
import json
import os
import resource
import sys

NICER = 5  # the judge and the watch come first
FIRST_TO_GO = 500  # should the machine run out of memory
NO_NEW_PRIVILEGES, SECCOMP = 38, 22  # linux/prctl.h; the second with 2, a filter
BYTES_OF_A_STEP = 8


def main() -> None:
    """Do what the command line asks."""
    task = json.loads(sys.argv[1])
    for folder in task["folders"]:
        os.makedirs(folder, exist_ok=True)
    os.chdir(task["folders"][-1])
    os.nice(NICER)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write(str(FIRST_TO_GO))
    for name, value in task["limits"].items():
        limit = getattr(resource, name)
        most = resource.getrlimit(limit)[1]
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(limit, (value, value))
    if task.get("refused"):
        refuse(bytes.fromhex(task["refused"]))
    os.execv(sys.argv[2], sys.argv[2:])


def refuse(program: bytes) -> None:
    """Let the kernel filter the calls of this process, and of all that it starts."""
    import ctypes

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]

    given = Program(len(program) // BYTES_OF_A_STEP, program)
    kernel = ctypes.CDLL(None, use_errno=True)
    filters = (SECCOMP, 2, ctypes.byref(given), 0, 0)
    for option, *values in ((NO_NEW_PRIVILEGES, 1, 0, 0, 0), filters):
        if kernel.prctl(option, *values):
            raise OSError(ctypes.get_errno(), "the calls cannot be filtered")


if __name__ == "__main__":
    main()
