"""Other fruit on another day: several crates of each, some without a name, some not counted, a very large one."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    *fruits, uncounted = random.sample(["plum", "fig", "kiwi", "lemon", "grape", "melon"], 4)
    events: list[Event] = []

    def crate(step: int, fruit: str | None, pieces: int | None) -> None:
        events.append(Event(step, "crates", {"fruit": fruit, "pieces": pieces}))

    for step in (1, 2, 3, 4):
        batch: list[tuple[str | None, int | None]] = []
        for fruit in fruits[: 2 + step % 2]:
            batch += [(fruit, random.randrange(1, 30)) for _ in range(random.randint(3, 5))]
        batch.append((None, random.randrange(1, 30)))
        if step > 1:
            batch += [(fruits[0], None), (None, None), (fruits[1], 0)]
        if step > 2:  # its first crate is one that nobody counted
            batch.append((uncounted, random.choice([None, 0]) if step == 3 else 7))
        random.shuffle(batch)
        for fruit, pieces in batch:
            crate(step, fruit, pieces)
    # the digits of a FLOAT do not reach so far
    crate(3, "cherry", 16_777_217)
    crate(4, "cherry", 1)
    return Scenario(events)
