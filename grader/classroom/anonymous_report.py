"""A report without names: each student has a number that does not identify them."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from typing import Any


def anonymous(report: Mapping[str, Any], students: list[str], secret: str) -> dict[str, Any]:
    """The report of a class with numbers for names, the same for a student in all lessons.

    `students` are the names of the class. The code of answers is left out, because it may name its author.
    """
    order = sorted(students, key=lambda name: hmac.digest(secret.encode(), _raw(name), _HASH))
    names = {name: f"student {number}" for number, name in enumerate(order, start=1)}
    longest_first = sorted(map(re.escape, names), key=len, reverse=True)
    within = re.compile(rf"(?<!\w)({'|'.join(longest_first) or '$^'})(?!\w)")

    def hidden(value: Any) -> Any:
        if isinstance(value, str):
            return within.sub(lambda found: names[found[0]], value)
        if isinstance(value, Mapping):
            return {key: hidden(one) for key, one in value.items()}
        return [hidden(one) for one in value] if isinstance(value, (list, tuple)) else value

    by_name = ("timeouts", "person", "alike", "rings", "like_course", "stuck", "missing")
    found = {**report, **{key: hidden(report[key]) for key in by_name}}
    found["alike"] = [{**one, "answers": ["", ""]} for one in found["alike"]]
    found["exercises"] = [
        {
            **one,
            "no_name": hidden(one["no_name"]),
            "misconceptions": [
                {**known, "students": hidden(known["students"])} for known in one["misconceptions"]
            ],
        }
        for one in report["exercises"]
    ]
    return found


_HASH = hashlib.sha256


def _raw(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")
