"""grader.why and the translations, asked with public questions: each answer gets the verdict that is stored for it.

Each commit asks a sample. QUESTIONS is a pattern of names, and "." asks all; with QUESTIONS_UPDATE=1 what came out is
stored: read what git says has changed.
"""

import inspect
import json
import os
import random
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from live_query.questions import (
    checkpoint_questions,
    event_time_questions,
    function_questions,
    join_questions,
    kafka_questions,
    own_state_questions,
    source_questions,
    value_questions,
)
from pyspark.sql.streaming.query import StreamingQuery
from testkit.planting import Shop
from testkit.spot_check import commit_id

from grader.judging.wording.failure_text import failure_text
from grader.judging.wording.spark_errors import spark_error_of
from grader.live_query.explanation import why
from grader.replay.failures import failure_of
from grader.toml_file import read_toml

FOLDER = Path(__file__).parent / "questions"
QUESTIONS: dict[str, dict[str, Any]] = read_toml(FOLDER / "questions.toml")
VERDICTS = FOLDER / "verdicts.json"
MODULES = (
    event_time_questions,
    join_questions,
    kafka_questions,
    checkpoint_questions,
    function_questions,
    own_state_questions,
    source_questions,
    value_questions,
)
PLAYS: dict[str, Callable[[Shop], StreamingQuery]] = {
    name: play
    for module in MODULES
    for name, play in inspect.getmembers(module, inspect.isfunction)
    if name in QUESTIONS and play.__module__ == module.__name__
}
# these change a setting of the session while they start a query
ALONE = {
    "check_switched_off",
    "timer_an_hour_ahead",
    "state_of_another_type",
    "processor_on_the_default_store",
}
SAMPLE = 20  # others at each commit


def test_each_question_has_a_query_and_a_verdict_and_no_address_comes_twice() -> None:
    assert len(QUESTIONS) >= 60
    assert PLAYS.keys() == QUESTIONS.keys() == json.loads(VERDICTS.read_text()).keys()
    assert len({question["address"] for question in QUESTIONS.values()}) == len(QUESTIONS)
    for question in QUESTIONS.values():
        assert question.keys() >= {"kind", "address", "title", "cause", "fix", "says"}


@pytest.mark.slow
def test_each_answer_gets_its_verdict(shop: Shop) -> None:
    stored = json.loads(VERDICTS.read_text())
    updates = bool(os.environ.get("QUESTIONS_UPDATE"))
    asked = chosen()
    side_by_side = [name for name in asked if name not in ALONE]
    with ThreadPoolExecutor(3) as pool:
        found = dict(zip(side_by_side, pool.map(verdict_of, side_by_side), strict=True))
    found |= {name: verdict_of(name) for name in asked if name in ALONE}
    if updates:
        VERDICTS.write_text(json.dumps(stored | found, indent=1, sort_keys=True) + "\n")
    assert found == {name: stored[name] for name in found}


def chosen() -> list[str]:
    pattern = os.environ.get("QUESTIONS")
    if pattern:
        return [name for name in QUESTIONS if re.search(pattern, name)]
    return random.Random(commit_id(FOLDER)).sample(sorted(QUESTIONS), SAMPLE)


def verdict_of(name: str) -> str:
    """right, partly or wrong; the answer is printed for whoever reads a failed test."""
    shop = Shop()
    try:
        causes, error, text = answered(PLAYS[name], shop)
    finally:
        shop.clear()
    question = QUESTIONS[name]
    expected, said = question.get("reason"), question["says"]
    fits = [bool(re.search(words, text)) for words in said]
    misleading = any(re.search(words, text) for words in question.get("never", ()))
    first = (expected is None or causes[:1] == [expected]) and question.get("error") in (
        None,
        error,
    )
    if all(fits) and first and not misleading:
        verdict = "right"
    elif any(fits) and not misleading and (expected is None or expected in causes):
        verdict = "partly"
    else:
        verdict = "wrong"
    missing = [words for words, fit in zip(said, fits, strict=True) if not fit]
    print(f"\n=== {verdict}: {name} {causes} {error!r} missing {missing}\n{text}\n", flush=True)
    return verdict


def answered(play: Callable[[Shop], StreamingQuery], shop: Shop) -> tuple[list[str], str, str]:
    """The causes, the name of the translated error, and the text that a learner gets."""
    try:
        query = play(shop)
    except Exception as error:
        failure = failure_of(error, phase="plan")
        failure.own_writer = True
        known = spark_error_of(failure)
        causes = ["translated" if known else "not translated"]
        return causes, known.name if known else "", failure_text(failure)
    reason = why(query)
    error = query.exception()
    known = spark_error_of(failure_of(error, phase="query")) if error is not None else None
    causes = [reason.cause, *(one.cause for one in reason.others)]
    return causes, known.name if known else "", reason.text()
