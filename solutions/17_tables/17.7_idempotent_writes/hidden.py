"""Other pages and more clicks; each step has a page that the step before did not have."""

from random import Random

from grader.scenario import Event, Scenario


def hidden(random: Random) -> Scenario:
    pages = random.sample(["gifts", "hats", "search", "shoes", "socks"], 4)
    events = []
    for step in range(1, 5):
        there = [pages[step - 1], random.choice(pages[:step]), *random.choices(pages[:step], k=2)]
        clicks = [*there, None] if step % 2 else there
        events += [Event(step, "clicks", {"page": page}) for page in clicks]
    return Scenario(events)
