"""Tries to break lists and tables with a line end in its name.

Must be named to the teacher: a person renames the folder.
"""

from forms import HandedIn

ATTACK = HandedIn("rename it", student="eve\nada")
