"""Tries to turn off the alarm that should interrupt its play.

Must be killed by the supervisor.
"""

from forms import Notebook

CELL = """import signal, time
def answer(clicks):
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    time.sleep(300)
"""
ATTACK = Notebook(CELL, status="timeout", says="came back within", person=True)
