"""Another day with other pages: the same limits, at other times."""

from datetime import datetime, timedelta, timezone
from random import Random

from grader.scenario import Event, Scenario


def hidden(random: Random) -> Scenario:
    day = datetime(2026, random.randint(4, 9), random.randint(1, 28), tzinfo=timezone.utc)
    start = day + timedelta(hours=random.randint(6, 20), minutes=5 * random.randint(0, 11))
    first, second, third = random.sample(["cart", "hats", "shoes", "search", "gifts"], 3)
    pages = [first, second, None]

    def clicks(step: int, *when: tuple[str | None, float]) -> list[Event]:
        return [
            Event(
                step,
                "clicks",
                {
                    "page": page,
                    "event_time": f"{start + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%SZ}",
                },
            )
            for page, seconds in when
        ]

    def some(begin: int, end: int) -> list[tuple[str | None, float]]:
        return [
            (random.choice(pages), random.randint(begin, end)) for _ in range(random.randint(2, 4))
        ]

    return Scenario(
        [
            *clicks(1, (first, 20), (first, 20), (None, 100), (second, 130), *some(0, 190)),
            *clicks(2, (second, 299), (third, 360)),
            *clicks(3, (first, 300), (None, 310), *some(301, 350)),
            *clicks(4, (first, 200), (third, 540), (first, 659), *some(300, 599)),
            *clicks(5, (None, 1200)),
            *clicks(6, (second, 2400)),
            *clicks(7, (first, 4000)),
        ]
    )
