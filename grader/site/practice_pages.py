"""The page that drills, as HTML."""

from __future__ import annotations

from grader.model.drill import TOPICS
from grader.site.play_frame import filled, framed


def drill_page() -> str:
    """The page with its topics; its questions come from its Python."""
    topics = "\n".join(map(_topic, TOPICS))
    return framed("drill.html", "drill", "drill.js", filled("drill.html", topics=topics))


def _topic(topic: str) -> str:
    anchor = topic.replace(" ", "-")
    return (
        f'<li><a id="{anchor}" href="#{anchor}">{topic.capitalize()}</a> '
        f'<span class="mark" data-mark="{topic}"></span></li>'
    )
