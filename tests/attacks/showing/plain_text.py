"""Tries to run JavaScript in the browser of anyone who opens the graded page: a script in plain text.

Must be shown as text.
"""

from forms import Page

ATTACK = Page(shown={"text/plain": "<script>EVIL</script>"}, elsewhere=False)
