"""Other customers and cities: late orders, guests, and a newest order without a city."""

from datetime import datetime, timedelta, timezone
from random import Random

from grader.scenario import Event, Scenario


def hidden(random: Random) -> Scenario:
    day = datetime(2026, random.randint(4, 9), random.randint(1, 28), 8, tzinfo=timezone.utc)
    names = random.sample(["finn", "gus", "hana", "ilja", "jo"], 3)
    towns = random.sample(["Aarhus", "Brno", "Cork", "Delft", "Evora", "Faro", "Gent", "Hull"], 8)
    a, b, c = names

    def orders(step: int, *made: tuple[str | None, str | None, int]) -> list[Event]:
        return [
            Event(
                step,
                "orders",
                {
                    "customer": customer,
                    "city": city,
                    "order_time": f"{day + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%SZ}",
                },
            )
            for customer, city, seconds in made
        ]

    early, late = random.randint(10, 90), random.randint(500, 600)
    return Scenario(
        [
            *orders(1, (a, towns[0], late), (a, towns[1], early), (b, towns[7], 120)),
            *orders(1, (None, towns[3], 200), (None, towns[4], 150)),
            *orders(2, (a, towns[2], late - 1), (b, None, 400), (None, towns[5], 180)),
            *orders(2, (c, towns[6], 90), (c, towns[6], 90)),
            *orders(3, (b, towns[0], 399), (c, towns[1], 30), (c, towns[2], 700)),
            *orders(4, (None, towns[7], 800), (a, towns[3], late + 1), (c, towns[4], 699)),
        ]
    )
