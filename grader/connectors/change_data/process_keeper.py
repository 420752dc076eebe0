"""Keeps a server that must not be killed: it gets SIGQUIT when its keeper is killed.

    python process_keeper.py UID GID PROGRAM ARGUMENT…

PostgreSQL leaves shared memory behind after SIGKILL. So its keeper is a process that may be killed, with a child
that starts the server and ends it when the keeper is gone. Uses the standard library only.
"""

import os
import select
import signal
import subprocess
import sys

POLL_SECONDS = 0.2


def main() -> None:
    """Run the server until it ends, or this process does."""
    uid, gid, *command = sys.argv[1:]
    ends_with_us, ours = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        os.setsid()
        os._exit(keep(command, int(uid), int(gid), ends_with_us))
    os.close(ends_with_us)
    _, status = os.waitpid(child, 0)
    sys.exit(os.waitstatus_to_exitcode(status))


def keep(command: list[str], uid: int, gid: int, keeper: int) -> int:
    """Run the server as a user; end it when the pipe `keeper` closes. Its exit code."""
    if os.getuid() == 0:
        server = subprocess.Popen(command, user=uid, group=gid, extra_groups=[])
    else:
        server = subprocess.Popen(command)
    while server.poll() is None:
        if select.select([keeper], [], [], POLL_SECONDS)[0]:
            server.send_signal(signal.SIGQUIT)
            server.wait()
    return abs(int(server.returncode))


if __name__ == "__main__":
    main()
