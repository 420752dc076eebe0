"""Other pages and numbers, with the same traps: guests, late arrivals, a new hour, a new day, nulls."""

import random
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario

PAGES = ["/home", "/fruit", "/cart", "/help", "/jobs"]
VISITORS = ["ana", "ben", "cleo", None]


def hidden(random: random.Random) -> Scenario:
    start = datetime(2026, 4, 11, 23, 20)
    events = []
    for step in range(1, 5):
        for number in range(random.randint(4, 7)):
            # later steps are younger on the whole, but a click may be minutes older than the last;
            # step 1 is over before midnight, step 4 begins after it
            time = start + timedelta(
                minutes=15 * step + random.randint(-12, 12), milliseconds=random.randint(0, 59_999)
            )
            value = {
                "event_id": f"h{len(events):03d}",
                "page": random.choice(PAGES) if number else PAGES[0],  # it has clicks of both days
                "visitor": random.choice(VISITORS),
                "event_time": f"{time.isoformat(timespec='milliseconds')}Z",
            }
            events.append(Event(step, "clicks", value))
    nulls = {"event_id": None, "page": PAGES[0], "visitor": None, "event_time": None}
    events.append(Event(4, "clicks", nulls, note="an old app sends neither id nor time"))
    no_page = {**nulls, "event_id": "h900", "page": None, "event_time": "2026-04-12T00:31:00Z"}
    events.append(Event(4, "clicks", no_page, note="no page: these clicks have their own counter"))
    return Scenario(events)
