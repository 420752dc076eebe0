"""Tries to run JavaScript in the browser of anyone who opens the graded page: the state of widgets in the metadata.

Must be replaced by the metadata of the course.
"""

from forms import Page

ATTACK = Page(
    metadata={
        "widgets": {
            "application/vnd.jupyter.widget-state+json": {
                "version_major": 2,
                "version_minor": 0,
                "state": {"</script><script>EVIL</script>": {}},
            }
        }
    },
    elsewhere=False,
)
