import random

from grader.scenario import Event, Scenario
from grader.scenario.event_generator import page_clicks

USERS = ("ada", None, "robot-1", "robot-33", "robot", "the-robot-5", "robotic", "Robot-2", None)


def hidden(random: random.Random) -> Scenario:
    """Other robots, and other customers who are called nearly like one."""
    made = page_clicks(random, steps=4, per_step=9, users=USERS)
    events = list(made.events)
    robots = ("robot-eu", "robot-100", "robot-uptime-7", "robot-", "robot--1", "robot-zürich")
    for number, user in enumerate(robots):
        value = {
            "event_id": f"h{number}",
            "user_id": user,
            "page": "/",
            "ms_on_page": 1500,
            "event_time": f"2026-03-01T12:20:0{number}Z",
        }
        note = "a robot that is not called by a number of one or two digits"
        events.append(Event(4, "clicks", value, key=user, note=note))
    return Scenario(events)
