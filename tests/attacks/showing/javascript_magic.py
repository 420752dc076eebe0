"""Tries to run JavaScript in the browser of whoever opens the graded page: a cell of JavaScript (%%javascript).

Must be left out.
"""

from forms import Page

ATTACK = Page(cell="%%javascript\nEVIL", shown={"application/javascript": "EVIL"})
