"""Tries to open a socket to the kernel's ciphers, an interface that had vulnerabilities.

Must be told that there are none: the filter of system calls allows only sockets that a network
namespace isolates.
"""

from forms import Program

OPEN = """
import socket
for kind in (socket.SOCK_STREAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
    try:
        socket.socket(38, kind).close()
        harm()
    except OSError as refused:
        print(refused)
"""
ATTACK = Program(OPEN, refused="not supported")
