"""Tries to be taken for another student, with a character that reverses the direction of letters.

Must be named to the teacher: a person renames the folder.
"""

from forms import HandedIn

ATTACK = HandedIn("rename it", student="eve\u202eada")
