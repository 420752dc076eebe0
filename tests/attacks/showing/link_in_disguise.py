"""Tries to run JavaScript in the browser of anyone who opens the graded page: a Markdown link that is not an address,
with a letter written as a number.

Must be shown as it was typed.
"""

from forms import Page

ATTACK = Page(markdown="[prize](jAva&#115;cript:EVIL)")
