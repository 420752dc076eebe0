import random
from dataclasses import replace

from grader.scenario import Event, Scenario
from grader.scenario.event_generator import page_clicks

PAGES = ("/checkout", "/checkout/help", "/checkouts", "/cart", "/")


def hidden(random: random.Random) -> Scenario:
    """More pages that look alike, times right at the boundary, very long and unknown."""
    made = page_clicks(random, steps=3, per_step=10, pages=PAGES, weights=(5, 1, 1, 1, 1))
    times = [29, 30, 31, 29_999, 30_000, 30_001, 29_000, 31_000]
    events = []
    for event in made.events:
        value = {**event.value, "ms_on_page": random.choice([*times, event.value["ms_on_page"]])}
        events.append(replace(event, value=value))
    others = [
        ("/fruit/checkout", 45_000, "a page that ends like the checkout"),
        ("/Checkout", 45_000, "a page that differs in a capital"),
        ("/checkout", 7_200_000, "two hours"),
        ("/checkout", None, "an unknown time"),
    ]
    for number, (page, ms, note) in enumerate(others):
        value = {
            "event_id": f"h{number}",
            "user_id": "ada",
            "page": page,
            "ms_on_page": ms,
            "event_time": f"2026-03-01T12:15:0{number}Z",
        }
        events.append(Event(3, "clicks", value, key="ada", note=note))
    return Scenario(events)
