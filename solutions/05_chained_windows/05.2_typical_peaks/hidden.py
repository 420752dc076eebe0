"""Another afternoon: other pages, quiet ten minutes, stragglers in time and too late."""

import random

from grader.scenario import Event, Scenario

PAGES = ["/home", "/sale", "/fruit", "/help"]


def hidden(random: random.Random) -> Scenario:
    hour = random.randrange(6, 18)
    pages = random.sample(PAGES, 3)
    events: list[Event] = []

    def click(step: int, seconds: int, page: str | None, note: str = "") -> None:
        at = hour * 3600 + seconds
        time = f"2026-05-20T{at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}Z"
        events.append(Event(step, "clicks", {"page": page, "event_time": time}, note=note))

    for step, tens in enumerate([(0, 1), (2, 3), (4, 5)], start=1):
        for ten in tens:
            for page in random.sample(pages, 2):
                for minute in random.sample(range(9), 2):
                    begin = ten * 600 + minute * 60
                    for _ in range(random.randint(1, 4)):
                        click(step, begin + random.randrange(60), page)
        newest = tens[-1] * 600 + 570
        click(step, newest, pages[0])
        click(step + 1, newest - random.randrange(1, 29), pages[1], "in an open minute")
        if step > 1:
            click(step + 1, (tens[0] + 1) * 600 - random.randrange(1, 500), pages[2], "too late")
    click(4, 3600 + 29, pages[0], "the hour is not over yet")
    click(4, 3600 + 15, None, "no page: a page of its own")
    click(5, 3600 + 30, pages[2], "now it is")
    click(5, 3600 + 700, pages[1])
    click(6, 3 * 3600, pages[0], "closes all that came before")
    return Scenario(events)
