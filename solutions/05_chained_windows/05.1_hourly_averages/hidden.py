"""Another day, other users, quiet windows and a latecomer."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Two hours of three users; every user has ten minutes without an event."""
    hour = random.randrange(6, 18)
    events: list[Event] = []

    def add(step: int, user: int, seconds: int, note: str = "") -> None:
        at = hour * 3600 + seconds
        time = f"2024-01-15T{at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}Z"
        events.append(Event(step, "events", {"user_id": user, "event_time": time}, note=note))

    users = random.sample(range(10, 99), 3)
    quiet = {user: random.randrange(0, 6) for user in users}
    for step, windows in enumerate([(0, 1, 2), (3, 4, 5)], start=1):
        drawn = [
            (window * 600 + random.randrange(10, 580), user)
            for window in windows
            for user in users
            if window != quiet[user]
            for _ in range(random.randrange(1, 6))
        ]
        for seconds, user in sorted(drawn):
            add(step, user, seconds)
    add(2, users[0], 3594, "keeps the end of the hour open")
    add(3, users[1], 100, "its ten minutes are closed")
    add(3, users[1], 3600 + 30, "the hour is not over yet")
    add(4, users[2], 3600 + 100, "now it is")
    add(4, users[2], 3600 + 900)
    add(4, users[2], 3600 + 910)
    add(5, users[0], 3 * 3600)
    return Scenario(events)
