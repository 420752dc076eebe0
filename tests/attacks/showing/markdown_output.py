"""Tries to run JavaScript in the browser of anyone who opens the graded page: a script in a Markdown output.

Must be left out.
"""

from forms import Page

ATTACK = Page(shown={"text/markdown": "<script>EVIL</script>"})
