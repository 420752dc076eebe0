"""Tries to run JavaScript in the browser of whoever opens the graded page: a script in an output of Markdown.

Must be left out.
"""

from forms import Page

ATTACK = Page(shown={"text/markdown": "<script>EVIL</script>"})
