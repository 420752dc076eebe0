"""Tries to crash Python: it reads at address 0.

Must lose its own exercise, and no other.
"""

from forms import Notebook

CELL = """import ctypes
ctypes.string_at(0)
"""
ATTACK = Notebook(CELL, status="error", says="ended", person=True)
