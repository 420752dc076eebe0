"""The first program in a sandbox: takes on its limits, makes its folders, becomes the command.

`python -I -S confine.py TASK COMMAND…`; TASK is JSON: {"limits": {"RLIMIT_CPU": 60}, "folders": [path]}; the
command starts in the last of them. Uses the standard library only, so that it is small and starts at once.
Limits that are set in here count the sandbox's processes alone, and nothing in it can lift them.
"""

import contextlib
import json
import os
import resource
import sys

NICER = 5  # the judge and the watch come first
FIRST_TO_GO = 500  # should the machine run out of memory


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
    os.execv(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
