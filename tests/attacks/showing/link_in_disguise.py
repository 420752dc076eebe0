"""Tries to run JavaScript in the browser of whoever opens the graded page: the same with a letter written as a number.

Must be shown as it was typed.
"""

from forms import Page

ATTACK = Page(markdown="[prize](jAva&#115;cript:EVIL)")
