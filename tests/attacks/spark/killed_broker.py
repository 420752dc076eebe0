"""Tries to kill the broker and the guard that watches over it.

Must lose its own exercise: the next ones get a new lab, and no other submission has this broker.
"""

from forms import Notebook

CELL = r"""import glob, os, signal
for path in glob.glob("/proc/[0-9]*/cmdline"):
    words = open(path).read()
    if "guard.py" in words or "kafka.Kafka" in words:
        print("killed", words[:60])
        os.kill(int(path.split("/")[2]), signal.SIGKILL)
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, spark=True, status="error", others="passed", shows="killed", person=True)
