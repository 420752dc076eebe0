"""Tries to live on past its time: its processes ignore every signal that asks them to end.

Must be killed at once: the sandbox's first process is killed, and no other process outlives it.
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

time.sleep(2)
"""
ATTACK = Program(
    LEAVE,
    lambda world: [world.answer],
    inside=lambda world: [world.answer_inside],
    ends_itself=False,
    harmed=lambda world, said: wait_for(lambda: world.answer.read_text() == "changed", 1.5),
)
