"""Tries to be taken for ada, with an invisible space after the name.

Must be named to the teacher: a person renames the folder.
"""

from forms import HandedIn

ATTACK = HandedIn("rename it", student="ada ")
