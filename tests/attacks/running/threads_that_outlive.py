"""Tries to leave threads and a process behind that go on when the cell is over and spoil later exercises.

Must be over with its own process; its other exercises are what they are.
"""

from forms import Notebook

CELL = """import subprocess, sys, threading, time
def on():
    while True:
        time.sleep(0.01)
for _ in range(20):
    threading.Thread(target=on).start()
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], start_new_session=True)
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, status="failed")
