"""Other visitors, other clocks; phones whose clocks are ahead or behind."""

import random as randoms
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Five visitors over three quarters of an hour of Spark's clock."""
    start = datetime(2026, 6, 3, random.randint(7, 20), random.randint(0, 29))
    one, two, three = random.sample(["eva", "fay", "gus", "hal", "ida", "jon"], 3)
    # steps 3 and 4: a millisecond short of ten minutes, and ten minutes
    seconds = [0, random.randint(200, 400), 599.999, 600, 900, 1190, 2000, 2600]
    clocks = {n: f"{(start + timedelta(seconds=s)).isoformat()}Z" for n, s in enumerate(seconds, 1)}
    events: list[Event] = []

    def visit(step: int, visitor: str, by_phone: int = 0) -> None:
        at = start + timedelta(seconds=seconds[step - 1] + by_phone)
        value = {"visitor": visitor, "visit_time": f"{at.isoformat()}Z"}
        events.append(Event(step, "visits", value))

    visit(1, one, -2)
    visit(1, one, -5)
    visit(1, two, -1)
    visit(2, one)
    visit(3, two, 7200)
    visit(4, one)
    visit(5, two, -3600)
    visit(5, three)
    visit(6, one)
    visit(7, three, -3)
    visit(7, three, -7)
    often, brief = random.sample(["kay", "lea", "max", "ned"], 2)
    for step in (1, 2, 3):  # three times within ten minutes
        visit(step, often)
    for step in (3, 4):  # on both sides of the tenth minute, a millisecond apart
        visit(step, brief)
    visit(8, three)  # ten minutes after step 7, to the millisecond
    return Scenario(events, clocks=clocks)
