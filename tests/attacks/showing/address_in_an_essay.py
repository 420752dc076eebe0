"""Tries to run JavaScript in the browser of anyone who opens the graded page: a Markdown address that is not an
address.

Must be shown as it was typed.
"""

from forms import Page

ATTACK = Page(markdown="<javascript:EVIL>", elsewhere=False)
