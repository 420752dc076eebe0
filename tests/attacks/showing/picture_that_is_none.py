"""Tries to run JavaScript in the browser of anyone who opens the graded page: data that are not a picture, but an
event.

Must be left out.
"""

from forms import Page

ATTACK = Page(shown={"image/png": 'x" onerror="EVIL'}, elsewhere=False)
