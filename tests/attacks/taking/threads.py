"""Tries to start threads without end.

Must be refused by the kernel. For root, be ended by the watch (at 2048; here 40).
"""

from forms import Program

from grader.sandbox.resource_limits import Limits

BOMB = """
import os, threading, time
for _ in range(100):
    threading.Thread(target=time.sleep, args=[2], daemon=True).start()
time.sleep(1)
harm()
os._exit(0)
"""
ATTACK = Program(
    BOMB,
    refused="can't start new thread",
    ended="more than 40 processes and threads",
    limits=Limits(tasks=40),
)
