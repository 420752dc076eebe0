import random
from dataclasses import replace

from grader.scenario import Scenario
from grader.scenario.event_generator import page_clicks


def hidden(random: random.Random) -> Scenario:
    """Ten clicks, a skewed spike, a few clicks, one of them without a page, and a spike in one partition.

    With more than ten clicks in the first step, `limit(10)` would take them by chance: the order in
    which Spark reads partitions depends on the topic's name.
    """
    made = page_clicks(random, steps=4, per_step=20)
    events = []
    every = {
        1: 2,
        2: 1,
        3: 5,
        4: 1,
    }  # step → which of its clicks there are: each, every second, ...
    for place, event in enumerate(made.events):
        if place % every[event.step] == 0:
            partition = 1 if event.step < 4 and random.random() < 0.2 else 0
            events.append(replace(event, partition=partition))
    at = next(number for number, event in enumerate(events) if event.step == 3)
    value = {**events[at].value, "page": None}
    events[at] = replace(events[at], value=value, note="the page is missing: the click counts")
    return Scenario(events)
