"""Tries to turn off the alarm that is to interrupt its play.

Must be killed by the supervisor.
"""

from forms import Notebook

CELL = """import signal, time
def answer(clicks):
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    time.sleep(300)
"""
ATTACK = Notebook(CELL, status="timeout", says="did not come to an end|came within", person=True)
