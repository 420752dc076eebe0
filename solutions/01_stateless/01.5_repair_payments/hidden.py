import random

from grader.scenario import Event, Scenario


def hidden(random: random.Random) -> Scenario:
    """Orders that come once, twice or three times, in one step or in several, and one hours late."""
    events = []
    for number in range(15):
        first = random.randint(1, 4)
        value = {
            "order_id": f"h{number:02}",
            "amount_cents": random.randrange(40, 2000, 20),
            "order_time": f"2026-03-01T12:{number:02}:00Z",
        }
        steps = sorted(
            [first, *(random.randint(first, 4) for _ in range(random.choice([0, 1, 2])))]
        )
        events += [Event(step, "orders", value, key=value["order_id"]) for step in steps]
    late = {"order_id": "h15", "amount_cents": 440, "order_time": "2026-03-01T09:30:00Z"}
    note = "a till that was offline: hours behind the others, and not paid yet"
    events.append(Event(4, "orders", late, key="h15", note=note))
    return Scenario(sorted(events, key=lambda event: event.step))
