import random

from grader.scenario import Scenario
from grader.scenario.generate import page_clicks

USERS = ("ada", None, "robot-1", "robot-33", "robot", "the-robot-5", "robotic", "Robot-2", None)


def hidden(random: random.Random) -> Scenario:
    """Other robots, and other customers who are called nearly like one."""
    return page_clicks(random, steps=4, per_step=9, users=USERS)
