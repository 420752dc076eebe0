"""How a class did, as text for the terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from grader.classroom.class_grades import people
from grader.feedback.verdict_text import STATUS_TEXT, points_text

# said with every list of such pairs
NO_PROOF = (
    "This proves nothing: names, comments and layout do not count. Read both, and talk to both, before "
    "you conclude anything."
)


def report_text(report: Mapping[str, Any]) -> str:
    """A screenful: points by exercise, mistakes, who needs a person."""
    lines = [f"{report['lesson']}  {report['title']}: {counts_of(report)}"]
    if report["warning"]:
        lines.append(f"WARNING: {report['warning']}.")
    if report["scores"]:
        lines.append(scores_of(report))
    for exercise in report["exercises"]:
        lines.append(
            f"{exercise['id']} {exercise['title']}: {mean_of(exercise)} of {points_text(exercise['points'])} points; "
            + ", ".join(_statuses(exercise))
            + discrimination_of(exercise)
        )
        lines += [f"    {len(m['students'])} × {m['title']}" for m in exercise["misconceptions"]]
        if exercise["no_name"]:
            lines.append(f"    {len(exercise['no_name'])} × wrong in another way")
    lines += [
        f"{one['exercise']} asked {one['name']}: {', '.join(_answers(one))}"
        for one in report["predictions"]
        if one["asked"] > one["unanswered"]
    ]
    for part in ("person", "timeouts"):
        count = len(report[part])
        if count:
            lines.append(f"{people(count) if part == 'person' else f'{count} ran out of time'}:")
            lines += [f"    {_who(one)}: {one['why']}" for one in report[part]]
    if report["alike"]:
        lines.append(f"{len(report['alike'])} × two answers nearly the same. {NO_PROOF}")
        lines += [f"    {pair_of(one)}" for one in report["alike"]]
    lines += groups_of(report)
    for name, part in (("passed nothing", "stuck"), ("handed in nothing", "missing")):
        if report[part]:
            lines.append(f"{len(report[part])} {name}: {', '.join(report[part])}")
    return "\n".join(lines)


def counts_of(report: Mapping[str, Any]) -> str:
    return (
        f"{report['students']} students, {report['handed_in']} handed in, {report['graded']} graded"
    )


def scores_of(report: Mapping[str, Any]) -> str:
    figures = ", ".join(f"{name} {points_text(value)}" for name, value in report["scores"].items())
    return f"Points of {points_text(report['max_score'])}: {figures}"


def mean_of(exercise: Mapping[str, Any]) -> str:
    return "–" if exercise["mean"] is None else points_text(exercise["mean"])


def discrimination_of(exercise: Mapping[str, Any]) -> str:
    value = exercise["discrimination"]
    return "" if value is None else f"; discrimination {value:.2f}"


def groups_of(report: Mapping[str, Any]) -> list[str]:
    """The larger groups of similar answers, one line each."""
    lines = [
        f"{one['exercise']}: nearly the same answer from {', '.join(one['students'])}"
        for one in report["rings"]
    ]
    return lines + [
        f"{one['exercise']}: nearly the course's own answer, as right answers may be, from "
        f"{', '.join(one['students'])}"
        for one in report["like_course"]
    ]


def _statuses(exercise: Mapping[str, Any]) -> list[str]:
    counts = exercise["statuses"]
    return [f"{counts[status]} {STATUS_TEXT[status]}" for status in STATUS_TEXT if counts[status]]


def _answers(one: Mapping[str, Any]) -> list[str]:
    part = [f"{one['right']} of {one['asked'] - one['unanswered']} right ({one['answer']})"]
    return part + [f"{wrong['times']} × {wrong['answer']}" for wrong in one["wrong"]]


def pair_of(one: Mapping[str, Any]) -> str:
    first, second = one["students"]
    return f"{one['exercise']}: {first} and {second}, {math.floor(100 * one['share'])} %"


def _who(one: Mapping[str, Any]) -> str:
    return f"{one['student']} {one['exercise']}" if one["exercise"] else str(one["student"])
