"""Ports for servers in their own processes: chosen first, taken by the process a moment later."""

from __future__ import annotations

import contextlib
import random
import socket

from grader.errors import SetupError

# A program that requests any free port, as Spark's JVM does for every Python worker, gets a higher one:
# from 32768 on by Linux (ip(7), ip_local_port_range), from 49152 on by macOS and Windows (RFC 6335).
OURS = range(20_000, 32_768)


def own_ports(count: int) -> list[int]:
    """Ports of the loopback that are free, and that no system assigns by itself.

    A port that systems assign could go to a different program before its server is up. Then the server would
    not start, and that program would get the calls of the server's clients. Raises SetupError if all are taken.
    """
    with contextlib.ExitStack() as held:
        found: list[int] = []
        for port in random.SystemRandom().sample(OURS, len(OURS)):
            with contextlib.suppress(OSError):
                held.enter_context(socket.create_server(("127.0.0.1", port)))
                found.append(port)
            if len(found) == count:
                return found
    raise SetupError(
        f"No {count} ports from {OURS.start} to {OURS.stop - 1} are free on 127.0.0.1. End what listens there."
    )


def is_free(port: int) -> bool:
    """Whether a port of the loopback is free at this moment."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
