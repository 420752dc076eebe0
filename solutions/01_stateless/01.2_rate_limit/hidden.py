import random
from dataclasses import replace

from grader.scenario import Scenario
from grader.scenario.generate import page_clicks


def hidden(random: random.Random) -> Scenario:
    """A lopsided spike in the first step, little afterwards, and a spike in one partition at last."""
    made = page_clicks(random, steps=4, per_step=20)
    events = []
    for place, event in enumerate(made.events):
        if event.step in (1, 4) or place % 5 == 0:
            partition = 1 if event.step < 4 and random.random() < 0.2 else 0
            events.append(replace(event, partition=partition))
    return Scenario(events)
