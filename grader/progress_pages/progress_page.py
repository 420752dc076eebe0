"""How far a learner is, as text and as a page: lessons, exercises, points, where to go next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from grader.feedback.verdict_text import STATUS_TEXT, points_text
from grader.judging.check_pack import Pack
from grader.progress_pages.drill_standing import Drilled, drilled_html, drilled_text
from grader.scenario import Exercise

# marks and words have the meaning, colors only help; the page takes the reader's theme
_STYLE = """<style>
.ss-progress{font-family:system-ui,sans-serif;font-size:14px;line-height:1.5;max-width:56em}
.ss-progress h3{margin:1.1em 0 .2em;font-size:15px}.ss-progress table{border-collapse:collapse;width:100%}
.ss-progress tr td{border-bottom:1px solid #8884;padding:.15em .8em .15em 0;text-align:left!important}
.ss-progress tr td.ss-mark{width:1.4em}
.ss-progress tr td.ss-points{text-align:right!important;white-space:nowrap;padding-right:0}
.ss-bar{display:inline-block;width:9em;height:.7em;border:1px solid #8888;border-radius:.4em;overflow:hidden;
vertical-align:middle;margin-left:.7em}.ss-bar span{display:block;height:100%;background:#0072b2}
.ss-next{border:1px solid #8888;border-left:6px solid #0072b2;border-radius:4px;padding:.4em .9em;margin:.4em 0}
.ss-soft{opacity:.75;font-size:12px}
</style>"""


@dataclass(frozen=True)
class Way:
    """How far a learner is on the whole, and what comes next: an exercise's pack and id, or None.

    `reached` and `possible` are points of the core; `further` are those of what goes further.
    """

    reached: float
    possible: float
    further: tuple[float, float]
    following: tuple[Pack, str, str] | None

    def summary(self) -> str:
        """The points in words."""
        core = f"{points_text(self.reached)} of {points_text(self.possible)} points"
        reached, possible = self.further
        if not possible:
            return core
        return f"{core}, and {points_text(reached)} of {points_text(possible)} further"


def way_of(packs: list[Pack], done: dict[str, Any]) -> Way:
    """Points so far, points in all, and the next exercise that is not passed, the core before the rest.

    The search begins at the exercise that was checked last: a learner who began with lesson 05 is not sent back to 00.
    """
    graded = [(pack, packed.exercise) for pack in packs for packed in pack.graded()]
    following = next(
        (
            (pack, exercise.id, exercise.title)
            for pack, exercise in sorted(_from_the_last(graded, done), key=_goes_further)
            if done.get(exercise.id, {}).get("status") != "passed"
        ),
        None,
    )
    exercises = [exercise for _, exercise in graded]
    reached, possible = _points(exercises, done, further=False)
    return Way(reached, possible, _points(exercises, done, further=True), following)


def _from_the_last(
    graded: list[tuple[Pack, Exercise]], done: dict[str, Any]
) -> list[tuple[Pack, Exercise]]:
    """All exercises, beginning with the one that was checked last; those before it come at the end."""
    checked = [done.get(exercise.id, {}).get("when", "") for _, exercise in graded]
    last = checked.index(max(checked, default="")) if any(checked) else 0
    return graded[last:] + graded[:last]


def _goes_further(one: tuple[Pack, Exercise]) -> bool:
    return one[1].further


def _points(
    exercises: list[Exercise], done: dict[str, Any], *, further: bool
) -> tuple[float, float]:
    """Points reached and to be reached, of the core or of what goes further."""
    counted = [exercise for exercise in exercises if exercise.further == further]
    return (
        sum(done.get(exercise.id, {}).get("score", 0) for exercise in counted),
        sum(exercise.points for exercise in counted),
    )


def notebook_of(pack: Pack) -> str:
    """The path of a lesson's notebook, relative to course/."""
    name = f"{pack.lesson}_{pack.slug}"
    return f"{name}/{name}.ipynb"


def progress_text(
    packs: list[Pack], done: dict[str, Any], drills: Sequence[Drilled] = (), placed: str = ""
) -> str:
    """The same for a terminal."""
    lines: list[str] = []
    for pack in packs:
        graded = pack.graded()
        lines.append(f"{pack.lesson}  {pack.title}  ({passed_of(pack, done).summary})")
        for packed in graded:
            mark, summary, points = _state(packed.exercise, done.get(packed.exercise.id, {}))
            lines.append(
                f"    {mark} {packed.exercise.id}  {_title(packed.exercise)}: {summary}, {points}"
            )
    lines += drilled_text(drills) + [placed] * bool(placed)
    way = way_of(packs, done)
    lines.append(way.summary())
    if way.following is None:
        return "\n".join([*lines, "All exercises passed."])
    pack, id, title = way.following
    return "\n".join([*lines, f"Next: {id} {title}, in course/{notebook_of(pack)}"])


def progress_html(
    packs: list[Pack],
    done: dict[str, Any],
    up: str = "",
    drills: Sequence[Drilled] = (),
    placed: str = "",
) -> str:
    """The page; `up` leads from the notebook that shows it to course/ (such as `../`).

    `placed` is the advice of a placement test, in one line.
    """
    way = way_of(packs, done)
    parts = [_STYLE, '<div class="ss-progress" role="region" aria-label="Your progress">']
    parts.append(f"<b>{way.summary()}</b>{_bar(way.reached, way.possible, way.summary())}")
    if way.following:
        pack, id, title = way.following
        link = f'<a href="{escape(up + notebook_of(pack))}">{escape(id)} {escape(title)}</a>'
        parts.append(f'<div class="ss-next">Next: {link}</div>')
    else:
        parts.append('<div class="ss-next">All exercises passed.</div>')
    if placed:
        parts.append(f'<div class="ss-soft">{escape(placed)}</div>')
    for pack in packs:
        graded = pack.graded()
        passed = passed_of(pack, done)
        parts.append(
            f'<h3><a href="{escape(up + notebook_of(pack))}">{escape(pack.lesson)} {escape(pack.title)}</a>'
            f"{_bar(passed.core, passed.of_core, f'{passed.summary} exercises passed')}</h3><table>"
        )
        parts += [
            _line(packed.exercise, done.get(packed.exercise.id, {}), len(packed.hints))
            for packed in graded
        ]
        parts.append("</table>")
    parts += drilled_html(drills)
    parts.append("</div>")
    return "\n".join(parts)


@dataclass(frozen=True)
class Passed:
    """How many of a lesson's exercises are passed, the core apart from what goes further."""

    core: int
    of_core: int
    further: int
    of_further: int

    @property
    def summary(self) -> str:
        core = f"{self.core} of {self.of_core}"
        return core + (f", and {self.further} of {self.of_further} further" * bool(self.of_further))


def passed_of(pack: Pack, done: dict[str, Any]) -> Passed:
    """How many exercises of a lesson are passed, by what the progress file has of them."""

    def count(further: bool) -> tuple[int, int]:
        counted = [e.exercise.id for e in pack.graded() if e.exercise.further == further]
        return sum(done.get(id, {}).get("status") == "passed" for id in counted), len(counted)

    return Passed(*count(False), *count(True))


def _title(exercise: Exercise) -> str:
    return f"{exercise.title} (further)" if exercise.further else exercise.title


def _line(exercise: Exercise, entry: dict[str, Any], hints: int) -> str:
    mark, summary, points = _state(exercise, entry)
    notes = [summary]
    if entry.get("attempts"):
        notes.append(f"{entry['attempts']} check{'s' if entry['attempts'] != 1 else ''}")
    if entry.get("hints"):
        notes.append(f"{entry['hints']} of {hints} hints")
    return (
        f'<tr><td class="ss-mark">{mark}</td><td>{escape(exercise.id)} {escape(_title(exercise))} '
        f'<span class="ss-soft">{escape(", ".join(notes))}</span></td>'
        f'<td class="ss-points">{points}</td></tr>'
    )


def _state(exercise: Exercise, entry: dict[str, Any]) -> tuple[str, str, str]:
    """An exercise's mark, its status in words, its points."""
    status = entry.get("status")
    mark = "✓" if status == "passed" else "·" if status is None else "✗"
    summary = STATUS_TEXT[status] if status else "not started"
    return (
        mark,
        summary,
        f"{points_text(entry.get('score', 0))} of {points_text(exercise.points)} points",
    )


def _bar(reached: float, possible: float, summary: str) -> str:
    share = 100 * reached / possible if possible else 0
    return (
        f'<span class="ss-bar" role="img" aria-label="{escape(summary)}" title="{escape(summary)}">'
        f'<span style="width:{share:.0f}%"></span></span>'
    )
