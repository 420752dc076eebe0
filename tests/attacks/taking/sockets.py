"""Tries to take kernel memory that no process shows: sockets that are never read.

Must be ended by the watch, which counts the open files of all its processes together (at 3072; here
600).
"""

from forms import Program

from grader.sandbox.resource_limits import Limits

FILL = """
import socket, time
held, pairs = 0, []
for _ in range(800):
    pairs.append(socket.socketpair())
    for one in pairs[-1]:
        one.setblocking(False)
        try:
            while True:
                held += one.send(bytes(1 << 15))
        except OSError:
            pass
time.sleep(1)
if held > 256 << 20:
    harm()
"""
ATTACK = Program(
    FILL,
    refused="cannot be: it is killed",
    ended="more than 600 files and sockets open",
    limits=Limits(files_together=600),
)
