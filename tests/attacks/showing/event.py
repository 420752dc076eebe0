"""Tries to run JavaScript in the browser of whoever opens the graded page: what happens when a picture cannot be loaded.

Must be cut down to what only shows.
"""

from forms import Page

ATTACK = Page(shown={"text/html": '<img src=x onerror="EVIL">'})
