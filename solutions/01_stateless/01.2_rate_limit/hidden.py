import random
from dataclasses import replace

from grader.scenario import Scenario
from grader.scenario.event_generator import page_clicks


def hidden(random: random.Random) -> Scenario:
    """Ten clicks, a lopsided spike, little afterwards, and a spike in one partition at last.

    Of more than ten in the first step it would be chance which ones `limit(10)` takes: the order in
    which Spark reads partitions hangs on the topic's name.
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
    return Scenario(events)
