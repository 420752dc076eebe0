import random
from dataclasses import replace

from grader.scenario import Scenario
from grader.scenario.event_generator import Traps, page_clicks


def hidden(random: random.Random) -> Scenario:
    """Many quick looks, some at the boundary, in no order, one step without any, and a look of unknown length."""
    made = page_clicks(random, steps=4, per_step=9, traps=Traps(out_of_order=0.2))
    events = []
    for event in made.events:
        quick = random.choice([1, 999, 1000, 1001, 1999, 2000, 2001, random.randrange(5000)])
        ms = 40_000 if event.step == 2 else quick
        events.append(replace(event, value={**event.value, "ms_on_page": ms}))
    events.append(replace(event, value={**event.value, "event_id": "unknown", "ms_on_page": None}))
    return Scenario(events)
