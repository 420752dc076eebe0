import random
from dataclasses import replace

from grader.scenario import Scenario
from grader.scenario.generate import page_clicks

PAGES = ("/checkout", "/checkout/help", "/checkouts", "/cart", "/")


def hidden(random: random.Random) -> Scenario:
    """More pages that look alike, and times right at the boundary."""
    made = page_clicks(random, steps=3, per_step=10, pages=PAGES, weights=(5, 1, 1, 1, 1))
    times = [29, 30, 31, 29_999, 30_000, 30_001, 29_000, 31_000]
    events = []
    for event in made.events:
        value = {**event.value, "ms_on_page": random.choice([*times, event.value["ms_on_page"]])}
        events.append(replace(event, value=value))
    return Scenario(events)
