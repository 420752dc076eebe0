"""Tries to reach a service by its Unix socket, such as Docker's, which would give it the whole machine.

Must find no such file.
"""

import socket

from forms import Program

KNOCK = """
import socket
with socket.socket(socket.AF_UNIX) as door:
    door.connect(given[0])
harm()
"""
ATTACK = Program(
    KNOCK,
    lambda world: [world.service(socket.AF_UNIX, str(world.temporary() / "docker.sock"))],
    refused="No such file",
)
