"""Tries to have another student's work graded as its own, by a pattern of other characters.

Must be named to the teacher: a person renames the folder.
"""

from forms import HandedIn

ATTACK = HandedIn("rename it", student="ad[a]")
