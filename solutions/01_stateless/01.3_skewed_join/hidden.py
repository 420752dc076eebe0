import random

from grader.scenario import Scenario
from grader.scenario.event_generator import page_clicks

PAGES = ("/cart", "/sale", "/fruit/orange", "/impressum", "/checkout")


def hidden(random: random.Random) -> Scenario:
    """A different hot page, and other pages without an owner."""
    return page_clicks(
        random, steps=3, per_step=40, pages=PAGES, weights=(16, 1, 1, 1, 1), partitions=4
    )
