"""Tries to reach a service on the machine's loopback: your Jupyter, a database, a neighbor's broker.

Must be refused: a sandbox has a loopback of its own.
"""

import socket

from forms import Program

ATTACK = Program(
    "import socket; socket.create_connection((given[0], int(given[1])), 3); harm()",
    lambda world: world.service(socket.AF_INET, ("127.0.0.1", 0)),
    refused="refused",
)
