"""Tries to run JavaScript in the browser of anyone who opens the graded page: an event in an essay.

Must be shown as it was typed.
"""

from forms import Page

ATTACK = Page(markdown='<img src=x onerror="EVIL">')
