"""Other pages, and again thirty clicks at once after a stop, each on a page of its own."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    minute = random.randrange(60)
    events: list[Event] = []

    def click(step: int, page: str, second: float) -> None:
        time = f"2026-05-09T09:{minute:02d}:{second:06.3f}Z"
        value = {"pageId": page, "eventTime": time}
        events.append(Event(step, "clicks", value, key=page, timestamp=time))

    hot, cold = (f"/page/{number}" for number in random.sample(range(100), 2))
    for _ in range(random.randint(4, 7)):
        click(1, hot, random.randrange(4))
    click(1, cold, 3)
    for second in (5, 6, random.randrange(5, 8)):
        click(2, hot, second)
    click(2, cold, 4)
    pages = [f"/offer/{number}" for number in range(30)]
    random.shuffle(pages)
    for number, page in enumerate(pages):
        click(3, page, 7 + number / 100)
    click(4, hot, 8)
    click(5, cold, 45)
    return Scenario(events)
