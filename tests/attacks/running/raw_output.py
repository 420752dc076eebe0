"""Tries to write without end to the streams of its process, bypassing Python.

Must write to nowhere, and be interrupted at the time limit of a cell.
"""

from forms import Notebook

CELL = """import os
while True:
    os.write(1, b"x" * 65536)
"""
ATTACK = Notebook(CELL, status="timeout", person=True)
