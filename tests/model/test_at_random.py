"""Queries and events at random: the model and real Spark make the same recording of them."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from testkit.compare_model import compare, told
from testkit.random_queries import cases

from grader.model import NotModelled, Refused, play

SEED, EXAMPLES = 20261122, int(os.environ.get("MODEL_CASES", "50"))


@pytest.mark.slow
def test_the_model_does_what_spark_does(bench):
    compared = list(compare(bench, cases(EXAMPLES, SEED)))
    different = [told(one) for one in compared if one.outcome == "different"]
    assert not different, "\n\n".join(different)
    outcomes = Counter(one.outcome for one in compared)
    assert outcomes["equal"] >= EXAMPLES / 2, outcomes


def test_every_event_has_a_fate():
    looked_at = 0
    for case in cases(100, SEED):
        try:
            played = play(case.query, case.scenario)
        except (NotModelled, Refused):
            continue
        looked_at += 1
        assert {fate.event for fate in played.fates} == set(range(len(case.scenario.events)))
    assert looked_at >= 50
