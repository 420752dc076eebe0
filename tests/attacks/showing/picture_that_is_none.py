"""Tries to run JavaScript in the browser of whoever opens the graded page: data that are no picture, but an event.

Must be left out.
"""

from forms import Page

ATTACK = Page(shown={"image/png": 'x" onerror="EVIL'}, elsewhere=False)
