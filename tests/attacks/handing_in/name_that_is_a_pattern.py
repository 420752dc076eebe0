"""Tries to have another student's work graded as its own: its name is a pattern that matches ada.

Must be named to the teacher: a person renames the folder.
"""

from forms import HandedIn

ATTACK = HandedIn("rename it", student="a*")
