"""The guard: owns one server process for as long as a lease on it is held.

A lease is an open TCP connection to the guard. The system closes it however its holder ends,
so a crash, a kill or a closed terminal leaves nothing behind. Run as a script, in a session of
its own; uses the standard library only, so that it is small and starts at once.

The task comes as one line on standard input, which counts as a lease too until it is closed. So
the process that starts a guard can die at any moment without leaving it behind.

The task:

```
{"command": [...], "environment": {...}, "log": path, "data": folder, "token": string,
 "registry": path, "about": {...}}
```

The guard answers with one line of JSON on standard output: `{"port": int, "pid": int, "java_pid": int}`. A
lease sends the token and a line end, and gets `about` as one line of JSON, later `{"exit": code}` if the
server ends.
"""

import contextlib
import ctypes
import fcntl
import hmac
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

TOKEN_SECONDS = 10
POLL_SECONDS = 0.2
PR_SET_PDEATHSIG = 1


def start_guard(
    task: dict[str, Any], log: Path
) -> "tuple[subprocess.Popen[bytes], dict[str, Any] | None]":
    """Start a guard; its process, whose open standard input is a lease, and its answer.

    The answer is None if the guard ended first: the end of its log says why.
    """
    with open(log, "ab") as errors:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
            cwd="/",
        )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps({**task, "log": str(log)}).encode() + b"\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    return process, json.loads(answer) if answer else None


def main() -> None:
    """Start the server, serve leases, end with the last of them."""
    task = json.loads(read_line(0))
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    owner = os.open(Path(task["data"]) / ".owner", os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(owner, fcntl.LOCK_EX)  # says to others that the folder is in use
    listener = socket.create_server(("127.0.0.1", 0))
    server = start(task)
    try:
        answer = {"port": listener.getsockname()[1], "pid": os.getpid(), "java_pid": server.pid}
        print(json.dumps(answer), flush=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reader has gone
        serve(listener, server, task)
    finally:
        listener.close()
        server.kill()
        server.wait()
        shutil.rmtree(task["data"], ignore_errors=True)
        forget(Path(task["registry"]), task["token"])


def read_line(descriptor: int) -> bytes:
    """Read up to a line end, without a buffer that would hide the end of input later."""
    line = b""
    while not line.endswith(b"\n"):
        part = os.read(descriptor, 65536)
        if not part:
            raise SystemExit("the guard got no task")
        line += part
    return line


def start(task: dict[str, Any]) -> "subprocess.Popen[bytes]":
    """The server process; on Linux the kernel ends it should this process be killed."""
    with open(task["log"], "ab") as log:
        return subprocess.Popen(
            task["command"],
            env=task["environment"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            preexec_fn=die_with_parent,
        )


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def serve(listener: socket.socket, server: "subprocess.Popen[bytes]", task: dict[str, Any]) -> None:
    """Grant leases until the last one ends, or the server does."""
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    selector.register(0, selectors.EVENT_READ)
    starter_holds = True
    leases: set[socket.socket] = set()
    asking: dict[socket.socket, float] = {}  # not yet shown the token → until when

    def drop(connection: socket.socket) -> None:
        selector.unregister(connection)
        connection.close()
        leases.discard(connection)
        asking.pop(connection, None)

    def answer(connection: socket.socket) -> None:
        said = connection.recv(256)
        if not said:
            drop(connection)
        elif connection in asking:
            if not hmac.compare_digest(said.strip(), task["token"].encode()):
                raise PermissionError
            connection.sendall(json.dumps(task["about"]).encode() + b"\n")
            del asking[connection]
            leases.add(connection)

    while starter_holds or leases or asking:
        for key, _ in selector.select(POLL_SECONDS):
            if key.fileobj is listener:
                connection, _ = listener.accept()
                asking[connection] = time.monotonic() + TOKEN_SECONDS
                selector.register(connection, selectors.EVENT_READ)
            elif key.fileobj == 0:
                starter_holds = bool(os.read(0, 256))
                if not starter_holds:
                    selector.unregister(0)
            else:
                assert isinstance(key.fileobj, socket.socket)
                try:
                    answer(key.fileobj)
                except OSError:
                    drop(key.fileobj)
        for connection in [c for c, until in asking.items() if until < time.monotonic()]:
            drop(connection)
        code = server.poll()
        if code is not None:
            for connection in leases:
                with contextlib.suppress(OSError):
                    connection.sendall(json.dumps({"exit": code}).encode() + b"\n")
            return


def forget(registry: Path, token: str) -> None:
    """Remove the registry entry if it is still about this guard."""
    try:
        if json.loads(registry.read_text())["token"] == token:
            registry.unlink()
    except (OSError, ValueError, KeyError):
        pass


if __name__ == "__main__":
    main()
