"""How a class did, as text for the terminal and as a page; what came from students is escaped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from grader.feedback.verdict_text import STATUS_TEXT, points_text

_STYLE = """<style>
body{font-family:system-ui,sans-serif;font-size:15px;line-height:1.5;max-width:62em;margin:2em auto;padding:0 1em;
color-scheme:light dark}
table{border-collapse:collapse;margin:.6em 0 1.2em}caption{text-align:left;font-weight:600;padding:.3em 0}
th,td{border:1px solid #8886;padding:.25em .7em;text-align:left;vertical-align:top}td.n{text-align:right}
.two{table-layout:fixed;width:100%}.two pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;font-size:13px}
.warn{border:1px solid #8888;border-left:6px solid #d55e00;border-radius:4px;padding:.5em 1em}
</style>"""


# what nobody may take the list for
_NO_PROOF = (
    "This proves nothing: names, comments and layout do not count. Read both, and talk to both, before "
    "you conclude anything."
)


def report_text(report: Mapping[str, Any]) -> str:
    """A screenful: points by exercise, mistakes, who needs a person."""
    lines = [f"{report['lesson']}  {report['title']}: {_counts(report)}"]
    if report["warning"]:
        lines.append(f"WARNING: {report['warning']}.")
    if report["scores"]:
        lines.append(_scores(report))
    for exercise in report["exercises"]:
        lines.append(
            f"{exercise['id']} {exercise['title']}: {_mean(exercise)} of {points_text(exercise['points'])} points; "
            + ", ".join(_statuses(exercise))
        )
        lines += [f"    {len(m['students'])} × {m['title']}" for m in exercise["misconceptions"]]
        if exercise["no_name"]:
            lines.append(f"    {len(exercise['no_name'])} × wrong in another way")
    lines += [
        f"{one['exercise']} asked {one['name']}: {', '.join(_answers(one))}"
        for one in report["predictions"]
        if one["asked"] > one["unanswered"]
    ]
    for name, told in (
        ("need a person", report["person"]),
        ("ran out of time", report["timeouts"]),
    ):
        if told:
            lines.append(f"{len(told)} {name}:")
            lines += [f"    {_who(one)}: {one['why']}" for one in told]
    if report["alike"]:
        lines.append(f"{len(report['alike'])} × two answers nearly the same. {_NO_PROOF}")
        lines += [f"    {_pair(one)}" for one in report["alike"]]
    for name, students in (
        ("passed nothing", report["stuck"]),
        ("handed in nothing", report["missing"]),
    ):
        if students:
            lines.append(f"{len(students)} {name}: {', '.join(students)}")
    return "\n".join(lines)


def report_html(report: Mapping[str, Any], to_course: str) -> str:
    """A whole page without script; `to_course` leads from it to the folder that holds course/."""
    title = escape(f"{report['lesson']}: {report['title']}")
    parts = [
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{_STYLE}</head><body>',
        f"<h1>{title}</h1><p>{escape(_counts(report))}</p>",
    ]
    if report["warning"]:
        parts.append(
            f'<p class="warn" role="alert"><b>Warning:</b> {escape(report["warning"])}.</p>'
        )
    if report["scores"]:
        parts.append(f"<p>{escape(_scores(report))}</p>")
    parts.append(
        _table(
            "Points by exercise",
            [
                "exercise",
                "points",
                "mean",
                *(STATUS_TEXT[status] for status in STATUS_TEXT),
                "failed on",
            ],
            (
                [
                    f"{exercise['id']} {exercise['title']}",
                    points_text(exercise["points"]),
                    _mean(exercise),
                    *(exercise["statuses"][status] for status in STATUS_TEXT),
                    ", ".join(f"{name} ({n})" for name, n in exercise["failed_criteria"].items()),
                ]
                for exercise in report["exercises"]
            ),
        )
    )
    mistakes = [
        (exercise, m) for exercise in report["exercises"] for m in exercise["misconceptions"]
    ]
    if mistakes:
        parts.append(
            "<table><caption>Which idea to teach again</caption><tr><th scope=col>how often</th>"
        )
        parts.append(
            "<th scope=col>idea</th><th scope=col>taught in</th><th scope=col>who</th></tr>"
        )
        for exercise, m in sorted(mistakes, key=lambda pair: -len(pair[1]["students"])):
            link = escape(f"{to_course}/{m['passage']}", quote=True)
            parts.append(
                f'<tr><td class="n">{len(m["students"])}</td><td>{escape(m["title"])}</td>'
                f'<td><a href="{link}">{escape(_heading(m["passage"]))}</a>, for {escape(exercise["id"])}</td>'
                f"<td>{escape(', '.join(m['students']))}</td></tr>"
            )
        parts.append("</table>")
    if any(one["asked"] for one in report["predictions"]):
        parts.append(
            _table(
                "What they said before running",
                ["exercise", "question", "right answer", "answered", "right", "wrong answers"],
                (
                    [
                        one["exercise"],
                        one["question"],
                        one["answer"],
                        f"{one['asked'] - one['unanswered']} of {one['asked']}",
                        one["right"],
                        "; ".join(
                            f"{wrong['times']} × {wrong['answer']}"
                            + (f" ({wrong['said']})" if wrong["said"] else "")
                            for wrong in one["wrong"]
                        ),
                    ]
                    for one in report["predictions"]
                ),
            )
        )
    for caption, told in (
        ("Needs a person", report["person"]),
        ("Ran out of time", report["timeouts"]),
    ):
        if told:
            rows = ([one["student"], one["exercise"] or "", one["why"]] for one in told)
            parts.append(_table(caption, ["student", "exercise", "why"], rows))
    if report["alike"]:
        parts.append(f"<h2>Answers nearly the same</h2><p>{_NO_PROOF}</p>")
        parts += [_side_by_side(one) for one in report["alike"]]
    for caption, students in (
        ("Passed nothing", report["stuck"]),
        ("Handed in nothing", report["missing"]),
    ):
        if students:
            parts.append(f"<h2>{caption}</h2><p>{escape(', '.join(students))}</p>")
    return "\n".join([*parts, "</body></html>"]) + "\n"


def _table(caption: str, heads: list[str], rows: Iterable[list[Any]]) -> str:
    told = [f"<table><caption>{escape(caption)}</caption><tr>"]
    told += [f"<th scope=col>{escape(head)}</th>" for head in heads]
    for row in rows:
        cells = (
            f'<td class="n">{cell}</td>'
            if isinstance(cell, int)
            else f"<td>{escape(str(cell))}</td>"
            for cell in row
        )
        told.append(f"</tr><tr>{''.join(cells)}")
    return "".join([*told, "</tr></table>"])


def _counts(report: Mapping[str, Any]) -> str:
    return (
        f"{report['students']} students, {report['handed_in']} handed in, {report['graded']} graded"
    )


def _scores(report: Mapping[str, Any]) -> str:
    figures = ", ".join(f"{name} {points_text(value)}" for name, value in report["scores"].items())
    return f"Points of {points_text(report['max_score'])}: {figures}"


def _mean(exercise: Mapping[str, Any]) -> str:
    return "–" if exercise["mean"] is None else points_text(exercise["mean"])


def _statuses(exercise: Mapping[str, Any]) -> list[str]:
    counts = exercise["statuses"]
    return [f"{counts[status]} {STATUS_TEXT[status]}" for status in STATUS_TEXT if counts[status]]


def _answers(one: Mapping[str, Any]) -> list[str]:
    told = [f"{one['right']} of {one['asked'] - one['unanswered']} right ({one['answer']})"]
    return told + [f"{wrong['times']} × {wrong['answer']}" for wrong in one["wrong"]]


def _pair(one: Mapping[str, Any]) -> str:
    first, second = one["students"]
    return f"{one['exercise']}: {first} and {second}, {math.floor(100 * one['share'])} %"


def _side_by_side(one: Mapping[str, Any]) -> str:
    heads = "".join(f"<th scope=col>{escape(student)}</th>" for student in one["students"])
    codes = "".join(f"<td><pre>{escape(code)}</pre></td>" for code in one["answers"])
    return (
        f"<details><summary>{escape(_pair(one))}</summary>"
        f'<table class="two"><tr>{heads}</tr><tr>{codes}</tr></table></details>'
    )


def _heading(passage: str) -> str:
    """What a link to a passage is called: its heading, else its notebook."""
    notebook, _, anchor = passage.rpartition("/")[2].partition("#")
    return anchor.replace("-", " ") or notebook


def _who(one: Mapping[str, Any]) -> str:
    return f"{one['student']} {one['exercise']}" if one["exercise"] else str(one["student"])
