"""Tries to kill Java, in which Spark runs, while a cell runs.

Must lose its own exercise: the next ones get a new lab.
"""

from forms import Notebook

CELL = """
import glob, os, signal
for path in glob.glob("/proc/[0-9]*/cmdline"):
    words = open(path).read().split(chr(0))
    if words[0].endswith("java") and "kafka.Kafka" not in words:
        print("killed", words[-3:])
        os.kill(int(path.split("/")[2]), signal.SIGKILL)
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, spark=True, status="error", others="passed", shows="killed", person=True)
