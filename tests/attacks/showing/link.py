"""Tries to run JavaScript in the browser of anyone who opens the graded page: a link that is not an address.

Must be reduced to what only displays.
"""

from forms import Page

ATTACK = Page(shown={"text/html": '<a href="javascript:EVIL">prize</a>'})
