"""Python workers of Spark's driver, forked from a process that has imported what they need.

When a query with `transformWithState` or a source written in Python starts, Spark starts a Python process on
the driver. In 4.2.0 the code is in core/src/main/scala/org/apache/spark/api/python/StreamingPythonRunner.scala.
The process lives for a moment or for the query. It costs half a second of a core, nearly all of it for imports.

Run as a script, standard library only:

```
python -I -S worker_fork.py serve LISTENER PYTHON     wait for the first worker, then import, then fork
python -I -S worker_fork.py launch SOCKET PYTHON -m MODULE    be a worker: what Spark runs in place of Python
```

`LISTENER` is the number of an inherited Unix socket. The server ends with its standard input. A launcher
hands its environment and its three standard streams over, and ends with the worker; the worker ends with it.
If the server is gone, a launcher becomes the Python process that Spark wanted to start.
"""

import contextlib
import marshal
import os
import selectors
import signal
import socket
import sys
import threading
from typing import Any

MODULES = (
    "pyspark.sql.streaming.transform_with_state_driver_worker",
    "pyspark.sql.streaming.python_streaming_source_runner",
)
# what these import, and what they need later on; not themselves, because they are run
IMPORTED = (
    *("numpy", "pandas", "pyarrow", "pyspark.worker", "pyspark.worker_util"),
    *("pyspark.sql.datasource_internal", "pyspark.sql.streaming.datasource"),
    *("pyspark.sql.streaming.stateful_processor_util", "pyspark.sql.worker.plan_data_source_read"),
    "pyspark.sql.streaming.proto.StateMessage_pb2",
)
STREAMS = (0, 1, 2)
FAILED = 1


def launch(address: str, python: str, arguments: list[str]) -> int:
    """Have a worker forked and wait for its end; its exit status."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        task = marshal.dumps((arguments, dict(os.environb), os.getcwdb()))
        socket.send_fds(connection, [len(task).to_bytes(4, "big")], STREAMS)
        connection.sendall(task)
        if connection.recv(1):  # a worker has it
            status = connection.recv(1)
            return status[0] if status else FAILED
    os.execv(python, [python, *arguments])


def wait(listener: socket.socket, python: str) -> None:
    """Wait for the first launcher, then continue as a Python with its packages; small until then."""
    if called(listener):
        os.set_inheritable(listener.fileno(), True)
        script = os.path.abspath(__file__)
        os.execv(python, [python, script, "ready", str(listener.fileno()), python])


def serve(listener: socket.socket) -> None:
    """Import what workers need and fork one for each launcher, until standard input ends."""
    import importlib

    del sys.path[0]  # this script's folder
    own = python_path()
    path = [p for p in sys.path if p not in own]
    for name in IMPORTED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no process waits for a worker here
    while called(listener):
        connection, _ = listener.accept()
        with contextlib.suppress(OSError), connection:
            if os.fork() == 0:
                listener.close()
                work(connection, path)


def called(listener: socket.socket) -> bool:
    """Wait for a call; False when standard input has ended."""
    with selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ)
        selector.register(0, selectors.EVENT_READ)
        ready = [key.fileobj for key, _ in selector.select()]
    return 0 not in ready


def work(connection: socket.socket, path: list[str]) -> None:
    """Be the worker that a launcher asks for; does not return."""
    status = FAILED
    try:
        arguments, environment, folder = receive(connection)
        connection.sendall(b"+")
        threading.Thread(target=end_with, args=(connection,), daemon=True).start()
        settle(environment, folder, path)
        status = run(arguments)
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        with contextlib.suppress(OSError):
            connection.sendall(bytes([status]))
        os._exit(status)


def receive(connection: socket.socket) -> Any:
    """The task of a launcher: arguments, environment, folder. Its streams become this process's."""
    said, streams, _, _ = socket.recv_fds(connection, 4, len(STREAMS))
    for stream, own in zip(streams, STREAMS, strict=True):
        os.dup2(stream, own)
        os.close(stream)
    rest = int.from_bytes(said, "big")
    task = b""
    while len(task) < rest:
        more = connection.recv(rest - len(task))
        if not more:
            raise EOFError("the launcher ended before it had said what to do")
        task += more
    return marshal.loads(task)


def settle(environment: dict[bytes, bytes], folder: bytes, path: list[str]) -> None:
    """Take over what a process has from the one that starts it."""
    import time

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.environb.clear()
    os.environb.update(environment)
    time.tzset()
    os.chdir(folder)
    given = python_path()
    sys.path[:] = [os.getcwd(), *given, *(p for p in path if p not in given)]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, write_through=True)  # type: ignore[union-attr]
    # else all workers draw the same numbers; `random` looks after itself
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()


def python_path() -> list[str]:
    """The folders of PYTHONPATH."""
    return [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]


def run(arguments: list[str]) -> int:
    """Run `-m MODULE …` as Python would; the exit status."""
    import runpy
    import traceback

    sys.argv = ["-m", *arguments[2:]]
    try:
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else FAILED if end.code else 0
    except BaseException:
        traceback.print_exc()
        return FAILED
    return 0


def end_with(connection: socket.socket) -> None:
    """End this worker with its launcher."""
    with contextlib.suppress(OSError):
        connection.recv(1)
    os._exit(FAILED)


def main(task: str, where: str, python: str, *arguments: str) -> int:
    if task == "launch":
        return launch(where, python, list(arguments))
    listener = socket.socket(fileno=int(where))
    if task == "serve":
        wait(listener, python)
    else:
        serve(listener)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
