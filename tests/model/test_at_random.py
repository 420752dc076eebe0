"""Queries and events at random; that Spark does the same, `grader.authoring.compare_model` shows."""

from __future__ import annotations

from grader.authoring.random_queries import cases
from grader.model import NotModelled, Refused, play

SEED = 20261122


def test_every_event_has_a_fate():
    for case in cases(100, SEED):
        try:
            played = play(case.query, case.scenario)
        except (NotModelled, Refused):
            continue
        assert {fate.event for fate in played.fates} == set(range(len(case.scenario.events)))
