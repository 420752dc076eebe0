"""Tries to run JavaScript in the browser of anyone who opens the graded page: a code block that ends sooner than it
seems.

Must be shown as it was typed.
"""

from forms import Page

ATTACK = Page(markdown="```\n````\n<script>EVIL</script>")
