"""Tries to leave threads and a process running that go on after the cell and spoil later exercises.

Must end with its own process; its other exercises get the verdicts that they deserve.
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
