"""Other pages, and a query that is eleven batches old when it is first stopped."""

import random as randoms

from grader.scenario import Event, Scenario

OLD = 11 * 4  # clicks for eleven batches, 0 to 10; in the order of texts the last name is 9


def hidden(random: randoms.Random) -> Scenario:
    """More pages than stores by the end, some of them clicked before and after the change."""
    pages = [f"/offer/{number}" for number in random.sample(range(100), 9)]
    clicked = [*pages[:5], *random.choices(pages[:5], k=OLD - 5)]
    clicked += [*random.sample(pages[:5], 2), *pages[5:], random.choice(pages)]
    steps = [1] * OLD + [2, 2, 3, 3, 3, 4, 4]
    return Scenario(
        [Event(step, "clicks", {"page": page}) for step, page in zip(steps, clicked, strict=True)]
    )
