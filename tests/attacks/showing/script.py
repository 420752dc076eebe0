"""Tries to run JavaScript in the browser of whoever opens the graded page: a script in HTML that a cell shows.

Must be cut down to what only shows.
"""

from forms import Page

ATTACK = Page(shown={"text/html": "<script>EVIL</script>"})
