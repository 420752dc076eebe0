"""Tries to run JavaScript in the browser of anyone who opens the graded page: the notebook's title.

Must be replaced by the metadata of the course.
"""

from forms import Page

ATTACK = Page(metadata={"title": "</title><script>EVIL</script>"}, elsewhere=False)
