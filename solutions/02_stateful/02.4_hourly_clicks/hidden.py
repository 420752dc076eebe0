"""A day of clicks in another rhythm; some are sent again within minutes, one has no page, none is dropped."""

import random
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario

PAGES = ["/home", "/fruit", "/cart", "/sale"]


def hidden(random: random.Random) -> Scenario:
    start = datetime(2026, 5, 20, 7, 50)
    events: list[Event] = []
    for step in range(1, 6):
        newest = start + timedelta(minutes=45 * step)
        of_step: list[Event] = []
        for _ in range(random.randint(3, 6)):
            # nine minutes behind at most, so that every click counts
            time = newest - timedelta(seconds=random.randint(0, 540))
            value = {
                "event_id": f"h{len(events) + len(of_step):03d}",
                "page": random.choice(PAGES),
                "event_time": f"{time.isoformat()}Z",
            }
            of_step.append(Event(step, "clicks", value))
        of_step.append(Event(step, "clicks", random.choice(of_step).value, note="sent again"))
        if events:
            newest = max(event.value["event_time"] for event in events)
            time = datetime.fromisoformat(newest.rstrip("Z")) - timedelta(minutes=7)
            late = {"event_id": f"l{step}", "page": "/sale", "event_time": f"{time.isoformat()}Z"}
            of_step.append(Event(step, "clicks", late, note="seven minutes behind: it counts"))
        twin = {**of_step[0].value, "event_id": f"t{step}"}
        of_step.append(Event(step, "clicks", twin, note="a different click in the same second"))
        events += of_step
    for step, minutes in ((6, range(1, 5)), (7, [26])):
        for minute in minutes:
            value = {
                "event_id": f"e{step}{minute:02d}",
                "page": random.choice(PAGES),
                "event_time": f"2026-05-20T15:{minute:02d}:00Z",
            }
            note = (
                ""
                if step == 6
                else "no duplicate of step 6 can arrive any more; their hour is open"
            )
            events.append(Event(step, "clicks", value, note=note))
    no_page = {"event_id": "e699", "page": None, "event_time": "2026-05-20T15:02:30Z"}
    for note in ("no page: one more page", "sent again"):
        events.append(Event(6, "clicks", no_page, note=note))
    return Scenario(sorted(events, key=lambda event: event.step))
