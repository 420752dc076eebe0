"""Tries to reach a service by a Unix socket that is a name in the kernel, not a file.

Must be refused: such names belong to the network, and a sandbox has a network of its own.
"""

import socket

from forms import Program

KNOCK = """
import socket
with socket.socket(socket.AF_UNIX) as door:
    door.connect(chr(0) + given[0])
harm()
"""
ATTACK = Program(
    KNOCK,
    lambda world: [world.service(socket.AF_UNIX, f"\0{world.name}")[1:].decode()],
    refused="refused",
)
