"""Tries to send to the internet, or to the school's network.

Must be told that no network can be reached.
"""

from forms import Program

SEND = """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as far:
    far.connect((given[0], 9))
harm()
"""
# an address that is kept free for examples; nothing is sent there
ATTACK = Program(SEND, lambda world: ["192.0.2.1"], refused="unreachable")
