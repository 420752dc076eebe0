"""Tries to run JavaScript in the browser of whoever opens the graded page: a link that is no address.

Must be cut down to what only shows.
"""

from forms import Page

ATTACK = Page(shown={"text/html": '<a href="javascript:EVIL">prize</a>'})
