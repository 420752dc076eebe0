import random
from dataclasses import replace

from grader.scenario import Event, Scenario
from grader.scenario.event_generator import Traps, page_clicks


def hidden(random: random.Random) -> Scenario:
    """More clicks, every fourth of them broken in one way or another, not always in what is needed."""
    made = page_clicks(random, steps=3, per_step=8, traps=Traps(malformed=0.25))
    events = []
    for event in made.events:
        events.append(event)
        if isinstance(event.value, dict) and random.random() < 0.25:
            gone = random.choice(["event_id", "page", "event_time"])
            value = {name: given for name, given in event.value.items() if name != gone}
            events.append(replace(event, value=value, note=f"malformed: {gone} is missing"))
            value = {**event.value, "page": "cart"}
            events.append(replace(event, value=value, note="malformed: no slash before the page"))
    events.append(Event(3, "clicks", "[]", note="malformed: an empty list"))
    click = {
        "event_id": "h1",
        "user_id": "ada",
        "page": "/cart",
        "ms_on_page": "fast",
        "event_time": "2026-03-01T12:15:00Z",
    }
    events.append(
        Event(3, "clicks", click, key="ada", note="ms_on_page is not a number: it is not needed")
    )
    never = {**click, "event_id": "h2", "ms_on_page": 900, "event_time": "2026-02-30T12:00:00Z"}
    events.append(Event(3, "clicks", never, key="ada", note="malformed: a day that does not exist"))
    sound = {**click, "event_id": "h3", "ms_on_page": 900}
    odd = [
        ("page", "/früchte/äpfel?from=mail", "a page with more than plain letters"),
        ("event_time", "2026-03-01T12:15:00.250Z", "a time with a fraction of a second"),
        ("event_time", "2026-03-01T13:15:00+01:00", "a time with an offset"),
        ("event_time", "2099-03-01T12:15:00Z", "a time in the future: the clock is fast"),
    ]
    events += [Event(3, "clicks", {**sound, k: v}, key="ada", note=note) for k, v, note in odd]
    tombstone = "malformed: no value at all (a Kafka tombstone)"
    events.append(Event(3, "clicks", None, key="ada", note=tombstone))
    protobuf = {"base64": "CgNlMDESA2FkYRoBLyDoICiIu5TKyjM="}
    note = "malformed: a click of the new app, in Protobuf; its bytes are not UTF-8"
    events.append(Event(3, "clicks", protobuf, key="ada", note=note))
    return Scenario(events)
