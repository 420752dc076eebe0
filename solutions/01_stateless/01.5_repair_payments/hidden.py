import random

from grader.scenario import Event, Scenario


def hidden(random: random.Random) -> Scenario:
    """Orders that come once, twice or three times, in one step or in several, and one hours late.

    One comes again when more than a hundred others have been paid since.
    """
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
    note = "the cash register was offline: hours behind the others, and not paid yet"
    events.append(Event(4, "orders", late, key="h15", note=note))
    early = {"order_id": "h16", "amount_cents": 300, "order_time": "2026-03-01T12:16:00Z"}
    note = "first sent in step 1, and again after the sale"
    events += [Event(step, "orders", early, key="h16", note=note) for step in (1, 4)]
    unknown = {"order_id": "h17", "amount_cents": None, "order_time": "2026-03-01T12:17:00Z"}
    note = "without an amount, in two steps"
    events += [Event(step, "orders", unknown, key="h17", note=note) for step in (2, 3)]
    for number in range(110):
        time = f"2026-03-01T12:{30 + number // 60}:{number % 60:02}Z"
        value = {"order_id": f"s{number:03}", "amount_cents": 120, "order_time": time}
        events.append(Event(3, "orders", value, key=value["order_id"], note="a sale"))
    return Scenario(sorted(events, key=lambda event: event.step))
