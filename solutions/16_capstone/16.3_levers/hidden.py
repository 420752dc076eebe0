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

    hot = [f"/page/{number}" for number in random.sample(range(100), 6)]
    # each page once in a step: however the batches are cut, its count is told once
    for page in hot[: random.randint(4, 6)]:
        click(1, page, random.randrange(4))
    click(2, hot[0], 4)
    for page in hot[1 : random.randint(3, 5)]:
        click(2, page, random.randrange(5, 7))
    pages = [f"/offer/{number}" for number in range(30)]
    random.shuffle(pages)
    for number, page in enumerate(pages):
        click(3, page, 7 + number / 100)
    click(4, hot[1], 8)
    click(4, hot[2], 9)
    click(5, hot[3], 45)
    return Scenario(events)
