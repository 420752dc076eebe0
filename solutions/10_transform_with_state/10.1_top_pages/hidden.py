"""Other shops and pages; a page that comes from behind, and equal counts."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Two busy shops and one with a single page."""
    north, south, tiny = random.sample(["north", "south", "east", "west", "mill", "dock"], 3)
    pages = random.sample(["/nuts", "/rice", "/salt", "/soap", "/wine", "/zest"], 4)
    first, second, third, behind = sorted(pages)
    clicked = [
        (1, north, [first, first, third, second]),  # second and third are equal
        (1, south, [behind]),
        (2, north, [third, behind]),
        (2, south, [first, first, *[second] * random.randint(1, 2)]),
        (3, north, [behind] * random.randint(2, 3)),
        (3, tiny, [random.choice(pages)]),
        (4, south, [behind] * random.randint(2, 4)),
        (4, north, random.choices(pages, k=4)),
    ]
    events = []
    for step, shop, found in clicked:
        random.shuffle(found)
        events += [Event(step, "clicks", {"shop": shop, "page": page}) for page in found]
    return Scenario(events)
