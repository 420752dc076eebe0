"""Tries to run JavaScript in the browser of anyone who opens the graded page: a cell that is copied to the page
unchanged.

Must be reduced to what only displays.
"""

from forms import Page

ATTACK = Page(raw="<script>EVIL</script>", elsewhere=False)
