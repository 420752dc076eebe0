"""Tries to open a socket to Bluetooth devices.

Must be told that there are none: the filter of system calls allows only sockets that a network
namespace isolates.
"""

from forms import Program

OPEN = """
import socket
for kind in (socket.SOCK_STREAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
    try:
        socket.socket(31, kind).close()
        harm()
    except OSError as refused:
        print(refused)
"""
ATTACK = Program(OPEN, refused="not supported")
