"""Tries to loop on when it is interrupted: it catches every exception.

Must be killed by the supervisor, whose clock it cannot reach.
"""

from forms import Notebook

CELL = """import time
while True:
    try:
        while True:
            time.sleep(0.1)
    except BaseException:
        pass
"""
ATTACK = Notebook(CELL, status="timeout", says="timed out after", person=True)
