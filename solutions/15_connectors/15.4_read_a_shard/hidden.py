"""Other shards: each thing that can happen, at other places, and several in one reading."""

import random as randoms
from typing import Any

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Two shards of another length; every case of the notebook in some form."""
    length = random.randint(7, 9)
    after, until = random.randint(1, 2), length - random.randint(1, 2)
    some = random.randint(1, 2)
    longer = random.randint(after + 1, until)  # the first whose number has a digit more

    def case(after: int, until: int | None, answers: str = "", **more: Any) -> dict[str, Any]:
        asked = {"records": length, "after": after, "until": until, "answers": answers}
        return asked | more

    cases = [
        case(0, length),
        case(after, until, str(length)),
        case(until, until),
        case(length, length),  # nothing new, and nothing beyond it
        case(after, length, f"{some}{' empty' * random.randint(11, 14)} {some}"),
        case(0, until, "empty 3"),
        case(0, until, f"{some} throttled"),
        case(after, until, "throttled " * 5),  # five tries are too few
        case(after, length, f"{some} expired 9"),
        case(0, length, f"{some} expired {some} expired"),
        case(after, until, "expired"),
        case(0, until, "expired 9"),
        case(after, None, f"{some} empty"),
        case(0, None, f"throttled {some} expired empty 3"),
        case(length, None),
        case(after, length, closed=True),
        case(0, length, f"{some} expired", closed=True),
        case(after, until, longer_from=longer),
        case(0, length, f"{some} expired 9", longer_from=longer),
        case(after, until, closed=True),  # closed, and not all of it is asked for
        case(0, length, f"{some} expired throttled 9"),
        case(0, length, f"{some} throttled expired 9"),
    ]
    random.shuffle(cases)
    return Scenario([Event(step, "shards", value) for step, value in enumerate(cases, start=1)])
