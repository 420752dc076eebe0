"""Other tills, another clock: one dies, one returns and falls silent again, one is just in time.

Two days later there is one more batch, and then a till comes back that had been silent all the time.
"""

import random as randoms
from datetime import datetime, timedelta

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    start = random.randrange(6, 20) * 3600 + random.randrange(3000)
    dies, returns, just, lives, new = random.sample(
        ["K1", "K2", "K3", "L1", "L2", "bar", "yard"], 5
    )
    shift = random.randrange(5, 12)
    seconds = [0, shift, 30, 31, 31 + shift, 50, 66, 80, 80.001, 300, 173_000, 173_010]
    tills = [
        [dies, returns, just, lives],
        [lives, just],
        [new],
        [just, new, new, new],
        [lives, new],
        [returns] * random.randint(3, 5),
        [lives, new],
        [new],
        [lives],
        [returns, dies, dies],
        [lives],
        [just],
    ]
    clocks: dict[int, str] = {}
    events: list[Event] = []
    for step, (second, heard) in enumerate(zip(seconds, tills, strict=True), start=1):
        at = start + second
        clocks[step] = f"{(datetime(2026, 7, 8) + timedelta(seconds=at)).isoformat()}Z"
        for till in heard:
            comes_back = step == 6
            battery = None if comes_back else random.choice([None, 20, 50, 80])
            events.append(Event(step, "signs", {"till": till, "battery": battery}))
    return Scenario(events, len(seconds), clocks=clocks)
