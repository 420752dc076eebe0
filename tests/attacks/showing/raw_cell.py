"""Tries to run JavaScript in the browser of whoever opens the graded page: a cell that goes to the page as it is.

Must be cut down to what only shows.
"""

from forms import Page

ATTACK = Page(raw="<script>EVIL</script>", elsewhere=False)
