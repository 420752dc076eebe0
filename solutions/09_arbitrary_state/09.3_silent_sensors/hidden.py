"""Other sensors on another day: one dies, one comes back and is silent again, one is late."""

import random as randoms
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    start = random.randrange(6, 20) * 3600 + random.randrange(30) * 60
    dies, returns, lives, keeps_time = random.sample(
        ["attic", "bar", "dock", "fridge", "garage", "hall"], 4
    )
    events: list[Event] = []

    def reading(
        step: int, sensor: str, seconds: float, note: str = "", celsius: float | None = 4.25
    ) -> None:
        at = datetime(2026, 5, 4) + timedelta(seconds=start + seconds)
        time = f"{at.isoformat(timespec='milliseconds')}Z"
        if celsius is not None:
            celsius = random.choice([None, 3.5, 4.0, 4.5, 5.0])
        value = {"sensor": sensor, "celsius": celsius, "measured_at": time}
        events.append(Event(step, "readings", value, note=note))

    for sensor in (returns, lives):
        for seconds in random.sample(range(100), 4):
            reading(1, sensor, seconds)
    reading(1, dies, 20 + random.randrange(10))
    reading(1, returns, 105)
    reading(1, returns, 110 - random.randrange(7, 20), "older than the one before")
    reading(1, "vault", 105.75)
    reading(2, returns, 60, "late, in time, older than the newest")
    reading(2, returns, 44, "too late")
    reading(2, lives, 200)
    reading(3, keeps_time, 405 + 60, "reaches the timeout of the one that returns")
    reading(4, keeps_time, 405.001 + 60, "and passes it by a millisecond")
    for seconds in random.sample(range(430, 500), 3):
        reading(5, returns, seconds)
    events.append(events[-1])
    reading(5, "vault", 450, "its five minutes end in the middle of a second: it goes on")
    reading(5, lives, 510, "before its timeout has passed", celsius=None)
    reading(6, keeps_time, 1200 + random.randrange(100))
    reading(7, dies, 7200)
    reading(7, "quay", 1300.25, "an hour and a half between two of one batch")
    reading(7, "quay", 7190.75)
    reading(8, lives, 9000, "passes all timeouts")
    return Scenario(events)
