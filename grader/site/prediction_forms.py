"""The questions before a run, as forms of a lesson's page: with the answers, and with what is said of wrong ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from grader.judging.check_pack import Pack, PackedExercise, PackedPrediction
from grader.learner.predictions import read, told

_CALL = re.compile(r'^grader\.predict\("(\d\d\.\d+)"', re.MULTILINE)
_CODE = re.compile(r"`([^`]+)`")
_GIVEN = "{}"  # where a reply repeats an answer that no author foresaw
# what the field takes, and an example: predictions.js reads both as numbers
_FIELDS = {
    "time": (r"\d{1,2}:\d\d:\d\d", "HH:MM:SS", "A time such as 12:30:00"),
    "number": (r"\d+", "", "A number such as 7"),
}
_COVERED = (
    '<p class="covered">What the run showed, and what the lesson says about it, is hidden until you have predicted. '
    '<button type="button">Show it now</button></p>'
)


def predicted_in(code: str) -> str:
    """The id of the exercise whose questions a cell's code asks; empty if it asks none."""
    found = _CALL.search(code)
    return found[1] if found else ""


def prediction_forms(pack: Pack) -> dict[str, str]:
    """By the id of each exercise that asks before it is run, its form as HTML without a blank line.

    Without JavaScript a reader sees the questions and can unfold the answers. With it, predictions.js shows the fields.
    """
    return {
        packed.exercise.id: _form(packed)
        for packed in pack.exercises.values()
        if packed.predictions
    }


def _form(packed: PackedExercise) -> str:
    id = packed.exercise.id
    questions = "\n".join(_question(id, one) for one in packed.predictions)
    # a worked example is run by the cells that follow; any other run is that of the reader's own answer
    covered = _COVERED if id.endswith(".0") else ""
    return f'<div class="predict" data-exercise="{id}" tabindex="-1">\n{questions}\n{covered}</div>'


def _question(exercise: str, asked: PackedPrediction) -> str:
    id = f"predict-{exercise}-{asked.name}"
    form, value = _read(asked.answer)
    pattern, example, title = _FIELDS[form]
    replies = "".join(_replies(exercise, asked))
    return (
        f'<div class="question" data-name="{asked.name}" data-right="{value}">\n'
        f'<p><label for="{id}"><code>{asked.name}</code>: {_words(asked.question)}</label></p>\n'
        f'<form hidden><input id="{id}" required pattern="{pattern}" placeholder="{example}" title="{title}" '
        'inputmode="numeric" autocomplete="off"> <button>Predict</button></form>\n'
        '<div class="reply" role="status"></div>\n'
        f"<template>{replies}</template>\n"
        f"<details><summary>The answer</summary>"
        f"<p><b>{escape(asked.answer)}</b> {_words(asked.why)}</p></details>\n</div>"
    )


def _replies(exercise: str, asked: PackedPrediction) -> Iterator[str]:
    """What the lab says of each answer that an author foresaw, and then of any other one."""
    for answer in (asked.answer, *asked.wrong):
        said = _words(told(exercise, asked, answer))
        yield f'<p data-value="{_read(answer)[1]}">{said}</p>'
    other = _words(told(exercise, asked, _GIVEN))
    yield f"<p>{other.replace(_GIVEN, '<span></span>')}</p>"


def _read(answer: str) -> tuple[str, str]:
    """The form of an answer, and its value as predictions.js writes it: seconds of the day, or an integer."""
    found = read(answer)
    if found is None or found[1] != int(found[1]):
        raise ValueError(f"a page has no field for the prediction {answer!r}")
    return found[0], str(int(found[1]))


def _words(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", escape(text))
