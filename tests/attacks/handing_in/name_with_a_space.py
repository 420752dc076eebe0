"""Tries to be taken for ada: a space after the name, which nobody sees.

Must be named to the teacher: a person renames the folder.
"""

from forms import HandedIn

ATTACK = HandedIn("rename it", student="ada ")
