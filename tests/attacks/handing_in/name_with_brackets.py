"""Tries the same by a pattern of other signs.

Must be named to the teacher: a person renames the folder.
"""

from forms import HandedIn

ATTACK = HandedIn("rename it", student="ad[a]")
