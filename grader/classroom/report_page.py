"""How a class did, as a page without script; what came from students is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from grader.classroom.report_text import (
    NO_PROOF,
    counts_of,
    groups_of,
    mean_of,
    pair_of,
    scores_of,
)
from grader.feedback.verdict_text import STATUS_TEXT, points_text

_STYLE = """<style>
body{font-family:system-ui,sans-serif;font-size:15px;line-height:1.5;max-width:62em;margin:2em auto;padding:0 1em;
color-scheme:light dark}
table{border-collapse:collapse;margin:.6em 0 1.2em}caption{text-align:left;font-weight:600;padding:.3em 0}
th,td{border:1px solid #8886;padding:.25em .7em;text-align:left;vertical-align:top}td.n{text-align:right}
.two{table-layout:fixed;width:100%}.two pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;font-size:13px}
.warn{border:1px solid #8888;border-left:6px solid #d55e00;border-radius:4px;padding:.5em 1em}
</style>"""


EXERCISE = (
    *("exercise", "points", "mean", "discrimination"),
    *(*STATUS_TEXT.values(), "failed on (how often)"),
)
MISTAKE = ("how often", "idea", "taught in", "who")
PREDICTION = ("exercise", "question", "right answer", "answered", "right", "wrong answers")


class _Html(str):
    """What is HTML already."""


def report_html(report: Mapping[str, Any], to_course: str) -> str:
    """A whole page without script; `to_course` leads from it to the folder that holds course/."""
    title = escape(f"{report['lesson']}: {report['title']}")
    parts = [
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{_STYLE}</head><body>',
        f"<h1>{title}</h1><p>{escape(counts_of(report))}</p>",
    ]
    if report["warning"]:
        parts.append(
            f'<p class="warn" role="alert"><b>Warning:</b> {escape(report["warning"])}.</p>'
        )
    if report["scores"]:
        parts.append(f"<p>{escape(scores_of(report))}</p>")
    parts.append(_table("Points by exercise", EXERCISE, map(_points, report["exercises"])))
    parts.append(_table("Which idea to teach again", MISTAKE, _mistakes(report, to_course)))
    if any(one["asked"] for one in report["predictions"]):
        said = map(_prediction, report["predictions"])
        parts.append(_table("What they said before running", PREDICTION, said))
    for caption, part in (("Needs a person", "person"), ("Ran out of time", "timeouts")):
        rows = ([one["student"], one["exercise"] or "", one["why"]] for one in report[part])
        parts.append(_table(caption, ("student", "exercise", "why"), rows))
    if report["alike"]:
        parts.append(f"<h2>Answers nearly the same</h2><p>{NO_PROOF}</p>")
        parts += [_side_by_side(one) for one in report["alike"]]
    if groups := groups_of(report):
        lines = "".join(f"<li>{escape(line)}</li>" for line in groups)
        parts.append(f"<h2>Groups of like answers</h2><p>{NO_PROOF}</p><ul>{lines}</ul>")
    for caption, part in (("Passed nothing", "stuck"), ("Handed in nothing", "missing")):
        if report[part]:
            parts.append(f"<h2>{caption}</h2><p>{escape(', '.join(report[part]))}</p>")
    return "\n".join([*filter(None, parts), "</body></html>"]) + "\n"


def _points(exercise: Mapping[str, Any]) -> list[Any]:
    failed = ", ".join(
        f"{name.rstrip('.')} ({n})" for name, n in exercise["failed_criteria"].items()
    )
    name, points = f"{exercise['id']} {exercise['title']}", points_text(exercise["points"])
    counts = [exercise["statuses"][status] for status in STATUS_TEXT]
    value = exercise["discrimination"]
    tells = "–" if value is None else f"{value:.2f}"
    return [name, points, mean_of(exercise), tells, *counts, failed]


def _mistakes(report: Mapping[str, Any], to_course: str) -> list[list[Any]]:
    rows = []
    for exercise in report["exercises"]:
        for one in exercise["misconceptions"]:
            link = escape(f"{to_course}/{one['passage']}", quote=True)
            passage = escape(_heading(one["passage"]))
            taught = _Html(f'<a href="{link}">{passage}</a>, for {escape(exercise["id"])}')
            rows.append([len(one["students"]), one["title"], taught, ", ".join(one["students"])])
    return sorted(rows, key=lambda row: -row[0])


def _prediction(one: Mapping[str, Any]) -> list[Any]:
    wrong = "; ".join(
        f"{wrong['times']} × {wrong['answer']}" + (f" ({wrong['said']})" if wrong["said"] else "")
        for wrong in one["wrong"]
    )
    answered = f"{one['asked'] - one['unanswered']} of {one['asked']}"
    return [one["exercise"], one["question"], one["answer"], answered, one["right"], wrong]


def _table(caption: str, heads: Iterable[str], rows: Iterable[list[Any]]) -> str:
    """A table; "" without rows."""
    lines = [f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows]
    head = "".join(f"<th scope=col>{escape(head)}</th>" for head in heads)
    table = f"<table><caption>{escape(caption)}</caption><tr>{head}</tr>{''.join(lines)}</table>"
    return table if lines else ""


def _cell(cell: Any) -> str:
    if isinstance(cell, int):
        return f'<td class="n">{cell}</td>'
    return f"<td>{cell if isinstance(cell, _Html) else escape(str(cell))}</td>"


def _side_by_side(one: Mapping[str, Any]) -> str:
    heads = "".join(f"<th scope=col>{escape(student)}</th>" for student in one["students"])
    codes = "".join(f"<td><pre>{escape(code)}</pre></td>" for code in one["answers"])
    return (
        f"<details><summary>{escape(pair_of(one))}</summary>"
        f'<table class="two"><tr>{heads}</tr><tr>{codes}</tr></table></details>'
    )


def _heading(passage: str) -> str:
    """What a link to a passage is called: its heading, else its notebook."""
    notebook, _, anchor = passage.rpartition("/")[2].partition("#")
    return anchor.replace("-", " ") or notebook
