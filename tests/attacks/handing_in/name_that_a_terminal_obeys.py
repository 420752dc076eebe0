"""Tries to give orders to the terminal that prints its name: clear the screen, change what was printed.

Must be named to the teacher, with its control characters shown as text.
"""

from forms import HandedIn

ATTACK = HandedIn("rename it", student="eve\x1b[2J\x1b[1;1Hada: 6 of 6 points")
