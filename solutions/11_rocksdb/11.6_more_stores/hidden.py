"""Other pages: 12 clicks in four steps."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """More pages than stores by the end, some of them clicked before and after the change."""
    pages = [f"/offer/{number}" for number in random.sample(range(100), 9)]
    clicked = [*pages[:5], *random.sample(pages[:5], 2), *pages[5:], random.choice(pages)]
    steps = [1] * 5 + [2, 2, 3, 3, 3, 4, 4]
    return Scenario(
        [Event(step, "clicks", {"page": page}) for step, page in zip(steps, clicked, strict=True)]
    )
