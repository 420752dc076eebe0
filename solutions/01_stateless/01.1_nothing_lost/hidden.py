import random
from dataclasses import replace

from grader.scenario import Event, Scenario
from grader.scenario.generate import Traps, page_clicks


def hidden(random: random.Random) -> Scenario:
    """More clicks, every fourth of them broken in one way or another."""
    made = page_clicks(random, steps=3, per_step=8, traps=Traps(malformed=0.25))
    events = []
    for event in made.events:
        events.append(event)
        if isinstance(event.value, dict) and random.random() < 0.25:
            gone = random.choice(["event_id", "page", "event_time"])
            value = {name: given for name, given in event.value.items() if name != gone}
            events.append(replace(event, value=value, note=f"malformed: {gone} is missing"))
            value = {**event.value, "page": "cart"}
            events.append(replace(event, value=value, note="malformed: no slash before the page"))
    events.append(Event(3, "clicks", "[]", note="malformed: an empty list"))
    return Scenario(events)
