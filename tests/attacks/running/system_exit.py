"""Tries to leave with SystemExit, KeyboardInterrupt or GeneratorExit.

Must lose its own exercise; the cells below run.
"""

from forms import Notebook

CELL = """raise KeyboardInterrupt("all of you")
"""
ATTACK = Notebook(CELL, status="error", says="SystemExit|exception|Interrupt", person=True)
