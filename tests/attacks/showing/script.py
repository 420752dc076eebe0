"""Tries to run JavaScript in the browser of anyone who opens the graded page: a script in HTML that a cell shows.

Must be reduced to what only displays.
"""

from forms import Page

ATTACK = Page(shown={"text/html": "<script>EVIL</script>"})
