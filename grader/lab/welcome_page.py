"""The page that JupyterLab opens on: what the course is, how far the learner is, what comes next.

It is a Markdown file in course/, because JupyterLab shows such a file without running anything.
"""

from __future__ import annotations

import shlex
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from grader.judging.check_pack import FILE_NAME as FILE_OF_CHECKS
from grader.judging.check_pack import Pack, PackError, read_pack
from grader.learner import progress
from grader.progress_pages.progress_page import notebook_of, passed_of, way_of

FILE_NAME = "welcome.md"
LAUNCHER = "/lab"


def keep_welcome_page(course: Path) -> str:
    """Write the page, and again after each change of progress while this process runs.

    Returns the path that JupyterLab opens on: the page, or its launcher if `course` has no readable lesson
    or cannot be written.
    """
    packs, problems = _readable_packs(course)
    if not packs:
        return LAUNCHER

    def write() -> None:
        text = welcome_markdown(packs, progress.read()["exercises"], datetime.now().astimezone())
        (course / FILE_NAME).write_text("\n\n".join([text, *problems, ""]), encoding="utf-8")

    try:
        progress.follow(write)
    except OSError:
        return LAUNCHER
    return f"/lab/tree/{FILE_NAME}"


def welcome_markdown(packs: list[Pack], done: dict[str, Any], now: datetime) -> str:
    """The page. `done` is what the progress file has of the exercises, `now` the time of reading it."""
    way = way_of(packs, done)
    lines = [
        "# Stateful Streams",
        "",
        "A hands-on course in Apache Spark Structured Streaming. You write queries against a real Kafka and a "
        "real Spark. A check says whether a query is right and shows what it did, batch by batch.",
        "",
        f"## {_following(way.following, started=bool(done))}",
        "",
    ]
    if not done:
        command = shlex.join([str(Path(sys.executable).with_name("grader")), "drill", "placement"])
        lines += [
            "Do you know some of this already? Type this in a terminal (*File → New → Terminal*). It asks "
            f"questions and says where to start: `{command}`",
            "",
        ]
    lines += [
        f"## Your progress: {way.summary()}",
        "",
        "| | Lesson | Exercises passed |",
        "|-|-|-|",
    ]
    lines += [_row(pack, done) for pack in packs]
    return "\n".join(
        [
            *lines,
            "",
            f"As of {now.day} {now:%B, %H:%M %Z}. To see what you did since, reload this page in the browser. "
            "[progress.ipynb](progress.ipynb) shows each exercise and follows your checks.",
        ]
    )


def _following(following: tuple[Pack, str, str] | None, *, started: bool) -> str:
    if following is None:
        return "All exercises passed"
    pack, id, title = following
    if not started:
        return f"Start here: [{pack.lesson} {pack.title}]({notebook_of(pack)})"
    return f"Next: [{id} {title}]({notebook_of(pack)})"


def _row(pack: Pack, done: dict[str, Any]) -> str:
    passed = passed_of(pack, done)
    mark = "✓" if passed.core == passed.of_core else ""
    bar = f'<progress value="{passed.core}" max="{passed.of_core}"></progress>'
    return (
        f"| {mark} | [{pack.lesson} {pack.title}]({notebook_of(pack)}) | {bar} {passed.summary} |"
    )


def _readable_packs(course: Path) -> tuple[list[Pack], list[str]]:
    """The packs of the course, and what is wrong with those that cannot be read."""
    packs, problems = [], []
    for path in sorted(course.glob(f"[0-9][0-9]_*/{FILE_OF_CHECKS}")):
        try:
            packs.append(read_pack(path))
        except PackError as error:
            problems.append(str(error))
    return packs, problems
