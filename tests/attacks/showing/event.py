"""Tries to run JavaScript in the browser of anyone who opens the graded page: an event that runs when a picture
cannot be loaded.

Must be reduced to what only displays.
"""

from forms import Page

ATTACK = Page(shown={"text/html": '<img src=x onerror="EVIL">'})
