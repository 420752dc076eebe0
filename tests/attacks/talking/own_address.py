"""Tries to reach a service of the machine by its network address instead of its loopback.

Must be told that no network can be reached.
"""

import socket

import psutil
from forms import Program
from world import World


def in_the_network(world: World) -> list[object]:
    found = [
        each.address
        for addresses in psutil.net_if_addrs().values()
        for each in addresses
        if each.family == socket.AF_INET and not each.address.startswith("127.")
    ]
    return list(world.service(socket.AF_INET, (found[0] if found else "127.0.0.1", 0)))


ATTACK = Program(
    "import socket; socket.create_connection((given[0], int(given[1])), 3); harm()",
    in_the_network,
    refused="unreachable|refused",
)
