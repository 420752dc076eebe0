"""Tries to run JavaScript in the browser of whoever opens the graded page: a page inside the page.

Must be cut down to what only shows.
"""

from forms import Page

ATTACK = Page(shown={"text/html": '<iframe srcdoc="<script>EVIL</script>"></iframe>'})
