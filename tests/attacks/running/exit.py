"""Tries to end its process in a cell: os._exit.

Must lose its own exercise; another process runs the cells below.
"""

from forms import Notebook

CELL = """import os
os._exit(7)
"""
ATTACK = Notebook(CELL, status="error", says="exit code 7", person=True)
