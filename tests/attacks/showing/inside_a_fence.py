"""Tries to run JavaScript in the browser of whoever opens the graded page: a block of code that ends sooner than it seems.

Must be shown as it was typed.
"""

from forms import Page

ATTACK = Page(markdown="```\n````\n<script>EVIL</script>")
