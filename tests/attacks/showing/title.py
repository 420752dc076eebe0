"""Tries to run JavaScript in the browser of whoever opens the graded page: the notebook's title.

Must be put back: metadata are those of the course.
"""

from forms import Page

ATTACK = Page(metadata={"title": "</title><script>EVIL</script>"}, elsewhere=False)
