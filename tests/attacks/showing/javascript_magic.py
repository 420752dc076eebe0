"""Tries to run JavaScript in the browser of anyone who opens the graded page: a JavaScript cell (%%javascript).

Must be left out.
"""

from forms import Page

ATTACK = Page(cell="%%javascript\nEVIL", shown={"application/javascript": "EVIL"})
