"""Tries to leave a process running that changes the recording when the judge thinks that the run has ended.

Must find it ended by the kernel: when the first process of a sandbox ends, all others end.
"""

from forms import Program
from world import wait_for

LEAVE = """
import os, signal, time
if os.fork() == 0:
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    if os.fork() == 0:
        time.sleep(0.5)
        open(given[0], 'a').write('changed')
    os._exit(0)
"""
ATTACK = Program(
    LEAVE,
    lambda world: [world.answer],
    inside=lambda world: [world.answer_inside],
    harmed=lambda world, said: wait_for(lambda: world.answer.read_text() == "changed", 1.5),
)
