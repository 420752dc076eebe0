"""The certificate as a page that prints on one sheet, and its data read back from the page."""

from __future__ import annotations

import json
import re
from datetime import date
from html import escape

from grader.feedback.verdict_text import points_text
from grader.progress_pages.certificate import (
    Certificate,
    CertificateError,
    Certified,
    CertifiedLesson,
    certificate_of,
    points_of,
)

_DATA = re.compile(r'<script type="application/json" id="certificate">(.*?)</script>', re.S)
_PROVES = (
    "The points are from the learner's own progress file. Its owner can edit such a file, and this page. The code is a "
    "digest of what this page says, and of each answer in the learner's notebooks. With the notebooks a teacher can "
    "check that the answers are these: <code>grader progress --verify THIS-FILE --notebooks FOLDER</code>. Only a run "
    "of the notebooks shows that the answers earn the points: <code>grader check</code> or <code>grader grade</code>. "
    "Neither proves who wrote the answers."
)
_NO_ANSWER = "* The notebook had no answer of this exercise, so no digest of it is in the code."
_STYLE = """
@page{size:A4;margin:11mm}
*{box-sizing:border-box}
body{margin:0;background:#fff;color:#1a1a1a;font:13px/1.4 system-ui,"Liberation Sans",sans-serif;
-webkit-print-color-adjust:exact;print-color-adjust:exact}
main{max-width:186mm;margin:0 auto;padding:7mm 11mm;border:1.2mm double #0072b2}
@media screen{main{margin:6mm auto}}
header{text-align:center}
header p{margin:.3em 0}
.course{letter-spacing:.12em;text-transform:uppercase;font-size:12px;color:#00568a}
h1{font:normal 30px/1.2 Georgia,"Liberation Serif",serif;margin:.25em 0}
.name{font:bold 25px/1.25 Georgia,"Liberation Serif",serif;overflow-wrap:anywhere;
border-bottom:1px solid #888;display:inline-block;min-width:60%;padding:0 .5em .1em}
table{border-collapse:collapse;width:100%;margin:4mm 0 3mm}
th,td{text-align:left;padding:.2em .5em .2em 0;border-bottom:1px solid #ccc;vertical-align:top}
th{font-weight:600;border-bottom-color:#555}
td:first-child{white-space:nowrap}
th:last-child,td:last-child{text-align:right;white-space:nowrap;padding-right:0}
td:nth-child(2){font-variant-numeric:tabular-nums}
tfoot td{font-weight:600;border-bottom:0}
.soft{color:#555;font-size:11.5px}
dl{display:grid;grid-template-columns:auto 1fr;gap:.15em 1em;margin:0 0 3mm}
dt{color:#555}dd{margin:0;overflow-wrap:anywhere}
dd code{font-size:12.5px;font-weight:bold}
h2{font-size:12px;margin:0}
.proves{font-size:11px;line-height:1.4;margin:.2em 0 0}
"""


def certificate_html(certificate: Certificate) -> str:
    """A whole HTML file; it needs no other file, and its data can be read back with `read_page`."""
    title = "Certificate of completion" if certificate.complete else "Certificate of progress"
    name, rows = escape(certificate.name), "\n".join(map(_row, certificate.lessons))
    core = [one for one in certificate.exercises if not one.further]
    further = [one for one in certificate.exercises if one.further]
    foot = _foot("Core", core) + (_foot("Further", further) if further else "")
    bare = any(one.passed and not one.answer for one in certificate.exercises)
    note = f'<p class="soft">{_NO_ANSWER}</p>\n' if bare else ""
    data = json.dumps(certificate.to_dict(), ensure_ascii=True).replace("<", "\\u003c")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}: {name}</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<header>
<p class="course">Stateful Streams</p>
<h1>{title}</h1>
<p class="name">{name}</p>
<p>{_what(certificate, core)}</p>
</header>
<table>
<thead><tr><th scope="col">Lesson</th><th scope="col">Exercises passed</th><th scope="col">Points</th></tr></thead>
<tbody>
{rows}
</tbody>
<tfoot>
{foot}</tfoot>
</table>
{note}<dl>
<dt>Date</dt><dd>{_day(certificate)}</dd>
<dt>Course version</dt><dd>{escape(certificate.course)}</dd>
<dt>Verification code</dt><dd><code>{certificate.code}</code></dd>
</dl>
<h2>What this page proves</h2>
<p class="proves">{_PROVES}</p>
</main>
<script type="application/json" id="certificate">{data}</script>
</body>
</html>
"""


def read_page(page: str) -> Certificate:
    """The certificate in a page; raises CertificateError if it is none, or if its data was changed."""
    found = _DATA.findall(page)
    if len(found) != 1:
        raise CertificateError("it is not a page that `grader progress --certificate` wrote")
    try:
        return certificate_of(json.loads(found[0]))
    except ValueError as error:
        if isinstance(error, CertificateError):
            raise
        raise CertificateError(f"its data is damaged ({error})") from error


def _what(certificate: Certificate, core: list[Certified]) -> str:
    course = "a graded course in stateful stream processing with Apache Spark and Kafka"
    if certificate.complete:
        return f"has passed all {len(core)} core exercises of {course}."
    return (
        f"has passed {sum(one.passed for one in core)} of {len(core)} core exercises of {course}."
    )


def _day(certificate: Certificate) -> str:
    day = date.fromisoformat(certificate.day)
    return f"{day.day} {day:%B %Y}"


def _row(lesson: CertifiedLesson) -> str:
    passed = " ".join(f"{escape(one.id)}{'' if one.answer else '*'}" for one in lesson.passed)
    return (
        f"<tr><td>{escape(lesson.id)} {escape(lesson.title)}</td>"
        f'<td>{len(lesson.passed)} of {len(lesson.exercises)} <span class="soft">{passed}</span></td>'
        f"<td>{_points(lesson.exercises)}</td></tr>"
    )


def _foot(name: str, exercises: list[Certified]) -> str:
    passed = sum(one.passed for one in exercises)
    return (
        f"<tr><td>{name}</td><td>{passed} of {len(exercises)}</td>"
        f"<td>{_points(exercises)}</td></tr>\n"
    )


def _points(exercises: list[Certified] | tuple[Certified, ...]) -> str:
    reached, possible = points_of(exercises)
    return f"{points_text(reached)} of {points_text(possible)}"
