"""Tries to hang in C code that no exception interrupts: a regular expression that would take longer than the sun
lives.

Must be killed by the supervisor.
"""

from forms import Notebook

CELL = """import re
re.match(r"(a|aa)+$", "a" * 200 + "b")
"""
ATTACK = Notebook(CELL, status="timeout", says="timed out after", person=True)
