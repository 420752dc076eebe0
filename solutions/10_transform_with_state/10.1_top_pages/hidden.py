"""Other shops and pages; pages that come from behind, one of them from far behind, and equal counts."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Two busy shops, one with a single page, and one with many."""
    names = ["north", "south", "east", "west", "mill", "dock"]
    north, south, tiny, large = random.sample(names, 4)
    pages = random.sample(["/nuts", "/rice", "/salt", "/soap", "/wine", "/zest"], 4)
    first, second, third, behind = sorted(pages)
    shelves = [f"/shelf-{number}" for number in range(10, 34)]
    clicked = [
        (1, large, [*shelves, *shelves[:-1]]),  # one page has fewer clicks than all others
        (2, large, [shelves[-1]] * 2),
        (1, north, [first, first, third, second]),  # second and third are equal
        (1, south, [behind]),
        (2, north, [third, behind]),
        (2, south, [first, first, *[second] * random.randint(1, 2)]),
        (3, north, [behind] * random.randint(2, 3)),
        (3, large, ["/till"]),  # changes nothing among the first two
        (3, tiny, [random.choice(pages)]),
        (2, "quay", ["/rye", "/barley"]),  # equal, and the longer name comes first
        (4, south, [behind] * random.randint(2, 4)),
        (4, north, random.choices(pages, k=4)),
    ]
    one, ten = random.sample(pages, 2)
    clicked += [(1, "pier", [one] * 9 + [ten] * 2), (2, "pier", [ten] * 9)]  # 9, and 11
    events = []
    for step, shop, found in clicked:
        random.shuffle(found)
        events += [Event(step, "clicks", {"shop": shop, "page": page}) for page in found]
    return Scenario(events)
