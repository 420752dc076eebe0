"""The landing page: one file of HTML with its style, its script and the frames that the model played."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from importlib import resources
from itertools import pairwise
from string import Template

from grader.site.first_minute import SLIDER, FirstMinute, clock

# Seconds after midnight, and percent of the picture's width: the half hour without a click is short.
SCALE = [(43200, 0.0), (43800, 80.0), (45000, 90.0), (45300, 100.0)]
TICKS = (43200, 43500, 43800, 45000)


@dataclass(frozen=True)
class Doors:
    """Where the page leads: addresses relative to it, and how much there is to find.

    `in_page` counts the exercises that can be written in a page.
    """

    read: str
    play: str
    placement: str
    install: str
    watermarks: str
    model: str
    lessons: int
    exercises: int
    in_page: int


def landing_page(minute: FirstMinute, doors: Doors) -> str:
    """The page as one HTML text; it asks for nothing from any server."""
    data = {**minute.to_dict(), "slider": list(SLIDER), "scale": SCALE}
    asked = minute.clicks[minute.question]
    before, after = minute.code
    return Template(_file("page.html")).substitute(
        {name: str(value) for name, value in vars(doors).items()},
        style=_file("page.css").strip(),
        script=_file("page.js").strip(),
        theme=_theme().strip(),
        data=json.dumps(data, separators=(",", ":")).replace("</", "<\\/"),
        delay=f"{minute.delay // 60} minutes",
        question=clock(asked.at),
        step=asked.step,
        ticks="".join(_tick(second) for second in TICKS),
        steps="\n".join(_step(minute, number) for number in range(1, len(minute.newest) + 1)),
        count=len(minute.newest),
        last=len(SLIDER) - 1,
        place=SLIDER.index(minute.delay),
        before=escape(before),
        after=escape(after),
    )


def place(second: int) -> float:
    """Where a time is on the picture, in percent of its width; page.js does the same."""
    for (start, left), (end, right) in pairwise(SCALE):
        if start <= second <= end:
            return left + (second - start) / (end - start) * (right - left)
    raise ValueError(f"{clock(second)} is not on the picture")


def _step(minute: FirstMinute, number: int) -> str:
    clicks = "".join(
        f'<li class="click{" asking" if index == minute.question else ""}" style="--x:{place(click.at):.2f}%"><i></i>'
        f"<span>{_time(click.at)}</span>"
        f'<span class="unseen fate"></span></li>'
        for index, click in enumerate(minute.clicks)
        if click.step == number
    )
    mark = (
        '<span class="mark"></span>' if number > 1 else ""
    )  # the first step begins without a watermark
    return (
        f'<li class="step"><p class="caption"><b>Step {number}</b>{mark}</p>'
        f'<ul class="track">{clicks}</ul></li>'
    )


def _time(second: int) -> str:
    """A time of which a phone shows no hour."""
    hour, rest = clock(second).split(":", 1)
    return f'<span class="h">{hour}:</span>{rest}'


def _tick(second: int) -> str:
    return f'<span style="--x:{place(second):.2f}%">{clock(second)[:5]}</span>'


def _file(name: str) -> str:
    return (resources.files("grader.site") / "landing" / name).read_text(encoding="utf-8")


def _theme() -> str:
    """The script that all pages share."""
    return (resources.files("grader.site") / "play" / "theme.js").read_text(encoding="utf-8")
