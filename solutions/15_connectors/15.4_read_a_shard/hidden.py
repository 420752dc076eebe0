"""Other shards: each thing that can happen, at other places, and several in one reading."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Two shards of another length; every case of the notebook in some form."""
    length = random.randint(7, 9)
    after, until = random.randint(1, 2), length - random.randint(1, 2)
    some = random.randint(1, 2)
    cases: list[tuple[int, int | None, str]] = [
        (0, length, ""),
        (after, until, str(length)),
        (until, until, ""),
        (length, length, ""),  # nothing new, and nothing beyond it
        (after, length, f"{some} empty empty {some}"),
        (0, until, "empty 3"),
        (0, until, f"{some} throttled"),
        (after, until, "throttled throttled throttled"),
        (after, length, f"{some} expired 9"),
        (0, length, f"{some} expired {some} expired"),
        (after, until, "expired"),
        (0, until, "expired 9"),
        (after, None, f"{some} empty"),
        (0, None, f"throttled {some} expired empty 3"),
        (length, None, ""),
    ]
    random.shuffle(cases)
    return Scenario(
        [
            Event(
                step,
                "shards",
                {"records": length, "after": after, "until": until, "answers": answers},
            )
            for step, (after, until, answers) in enumerate(cases, start=1)
        ]
    )
