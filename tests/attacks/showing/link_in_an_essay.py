"""Tries to run JavaScript in the browser of whoever opens the graded page: a link of Markdown that is no address.

Must be shown as it was typed.
"""

from forms import Page

ATTACK = Page(markdown="[prize](javascript:EVIL)")
