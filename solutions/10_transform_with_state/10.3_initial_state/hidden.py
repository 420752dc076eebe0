"""Other sales; a new fruit in step 1, the three of yesterday in one step or another."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """One of yesterday's fruits and a new one in step 1, all of them by step 3."""
    known = random.sample(["apple", "orange", "mango"], 3)
    new = random.choice(["kiwi", "plum", "quince", "lime"])
    sold = [(1, known[0]), (1, new), (2, "mango"), (2, known[1]), (2, "mango")]
    sold += [(3, fruit) for fruit in known] + [(4, new), (4, known[2])]
    events = [
        Event(step, "sales", {"fruit": fruit, "pieces": random.randint(2, 9)})
        for step, fruit in sold
    ]
    # sold twice in one batch, the same number of pieces
    return Scenario([*events, *[Event(4, "sales", {"fruit": known[1], "pieces": 3})] * 2])
