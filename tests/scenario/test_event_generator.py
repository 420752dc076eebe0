"""Streams made from a seed: the same every time, with as many traps as asked for."""

from collections import Counter
from datetime import datetime
from random import Random

import pytest

from grader.scenario import Scenario
from grader.scenario.event_generator import Traps, orders, page_clicks
from grader.scenario.events import ScenarioError, scenario_from_lines

TRAPS = Traps(late=0.05, out_of_order=0.1, duplicates=0.08, malformed=0.04, delay=120, latest=900)


def kinds(scenario: Scenario) -> Counter[str]:
    return Counter(event.note.split(":")[0] for event in scenario.events)


def seconds(event_time: str) -> float:
    return datetime.fromisoformat(event_time.replace("Z", "+00:00")).timestamp()


@pytest.mark.parametrize("make", [page_clicks, orders])
def test_the_same_seed_gives_the_same_events(make):
    first = make(Random("7"), steps=3, per_step=40, traps=TRAPS)
    assert make(Random("7"), steps=3, per_step=40, traps=TRAPS).events == first.events
    assert make(Random("8"), steps=3, per_step=40, traps=TRAPS).events != first.events


@pytest.mark.parametrize("make", [page_clicks, orders])
def test_the_traps_have_the_shares_that_were_asked_for(make):
    scenario = make(Random("1"), steps=5, per_step=100, traps=TRAPS)
    assert kinds(scenario) == {
        "": 500 - 25 - 50,
        "late": 25,
        "out of order": 50,
        "duplicate": 40,
        "malformed": 20,
    }


def test_without_traps_time_only_goes_forward():
    scenario = page_clicks(Random("1"), steps=3, per_step=20)
    times = [seconds(event.value["event_time"]) for event in scenario.events]
    assert times == sorted(times)
    assert kinds(scenario) == {"": 60}


def test_late_is_behind_earlier_steps_by_more_than_the_delay_and_disorder_by_less():
    traps = Traps(late=0.1, out_of_order=0.2, delay=120)
    scenario = page_clicks(Random("2"), steps=4, per_step=50, traps=traps)
    newest, newest_before, step = 0.0, 0.0, 1
    for event in scenario.events:
        if event.step != step:
            newest_before, step = newest, event.step
        time = seconds(event.value["event_time"])
        if event.note.startswith("late"):
            assert event.step > 1
            assert newest_before - time > 120
        elif event.note.startswith("out of order"):
            assert 0 < newest - time < 120
        newest = max(newest, time)


def test_duplicates_repeat_an_earlier_event_to_the_byte():
    scenario = page_clicks(Random("3"), steps=3, per_step=30, traps=Traps(duplicates=0.2))
    seen = set()
    for event in scenario.events:
        if event.note.startswith("duplicate"):
            assert event.payload() in seen
        seen.add(event.payload())


def test_weights_make_a_page_hot():
    scenario = page_clicks(Random("4"), steps=1, per_step=200, pages=("/sale", "/"), weights=(9, 1))
    pages = Counter(event.value["page"] for event in scenario.events)
    assert pages["/sale"] > 3 * pages["/"]


def test_a_closing_step_comes_last_and_a_day_later():
    scenario = orders(Random("5"), steps=2, closing=True)
    assert [event.step for event in scenario.events][-1] == 3 == scenario.steps
    times = [seconds(event.value["order_time"]) for event in scenario.events]
    assert times[-1] - times[-2] >= 86_400


def test_generated_events_survive_the_way_through_json_lines():
    scenario = page_clicks(Random("6"), partitions=3, traps=TRAPS)
    assert scenario_from_lines(scenario.to_lines()) == scenario


def test_shares_that_make_no_sense_are_refused_with_a_reason():
    with pytest.raises(ScenarioError, match="from 0 to 1"):
        Traps(late=1.5)
    with pytest.raises(ScenarioError, match="do not fit"):
        page_clicks(Random("1"), steps=1, per_step=10, traps=Traps(late=0.5))
