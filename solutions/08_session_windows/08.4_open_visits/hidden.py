"""Another day: users who come back, late page views that join visits, some just gone and some just here."""

import random
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario


def hidden(random: random.Random) -> Scenario:
    start = datetime(2026, 9, 5, random.randint(7, 19), random.randint(0, 30))
    events: list[Event] = []

    def view(step: int, user: str | None, second: int, note: str = "") -> None:
        time = start + timedelta(seconds=second)
        value = {"user": user, "time": f"{time.isoformat()}Z"}
        events.append(Event(step, "pages", value, note=note))

    users = random.sample(["ida", "jo", "kim", "lou", "max", "nora"], 5)
    for step in (1, 2, 3):
        newest = 300 * step + random.randint(0, 200)
        view(step, users[step], newest)
        for user in random.sample([*users, None], 3):
            view(step, user, newest - random.randint(1, 400))
        view(step, users[0], newest - 301, "just gone, unless more was seen of this user")
        view(step, users[4], newest - 299, "just here")
    view(3, None, newest - 100, "a guest")
    view(4, users[0], 4000)
    view(4, users[1], 3700, "five minutes before the newest, to the second")
    view(
        5,
        users[0],
        4290,
        "the newest page view, and no visit begins with it: the other one has left",
    )
    view(6, users[0], 4280, "moves no watermark, so no batch without data follows")
    return Scenario(events)
