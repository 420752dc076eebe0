"""Tries to leave by SystemExit, KeyboardInterrupt or GeneratorExit.

Must cost its own exercise; the cells below run.
"""

from forms import Notebook

CELL = """raise KeyboardInterrupt("all of you")
"""
ATTACK = Notebook(CELL, status="error", says="SystemExit|exception|Interrupt")
