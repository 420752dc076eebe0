"""Tries to run JavaScript in the browser of anyone who opens the graded page: an output that is JavaScript.

Must be left out.
"""

from forms import Page

ATTACK = Page(shown={"application/javascript": "EVIL"})
