"""Tries to run JavaScript in the browser of anyone who opens the graded page: a page inside the page.

Must be reduced to what only displays.
"""

from forms import Page

ATTACK = Page(shown={"text/html": '<iframe srcdoc="<script>EVIL</script>"></iframe>'})
