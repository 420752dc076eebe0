"""Tries to run JavaScript in the browser of anyone who opens the graded page: a script in an SVG picture.

Must be left out.
"""

from forms import Page

ATTACK = Page(
    shown={"image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg"><script>EVIL</script></svg>'},
    elsewhere=False,
)
