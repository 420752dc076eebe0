"""Tries to run JavaScript in the browser of whoever opens the graded page: an address of Markdown that is none.

Must be shown as it was typed.
"""

from forms import Page

ATTACK = Page(markdown="<javascript:EVIL>", elsewhere=False)
