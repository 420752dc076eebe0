"""Tries to sleep for an hour while a module of its own is imported.

Must be interrupted at the time limit of a cell.
"""

from forms import Notebook

CELL = r"""from pathlib import Path
Path("sleeper.py").write_text("import time\ntime.sleep(3600)\n")
import sleeper
"""
ATTACK = Notebook(CELL, status="timeout", says="timed out after", person=True)
