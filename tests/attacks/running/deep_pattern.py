"""Tries to hang in code of C that no exception interrupts: a pattern that takes longer than the sun lives.

Must be killed by the supervisor.
"""

from forms import Notebook

CELL = """import re
re.match(r"(a|aa)+$", "a" * 200 + "b")
"""
ATTACK = Notebook(CELL, status="timeout", says="did not come to an end", person=True)
