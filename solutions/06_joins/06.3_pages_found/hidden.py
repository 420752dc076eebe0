"""Other visitors on another day; the streams move on by an hour a step."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Searches with a click in time, at the edges, beyond them, and without any."""
    day = f"2025-12-{random.randrange(10, 20)}"
    start = random.randrange(6, 12) * 3600
    events: list[Event] = []

    def at(seconds: int, fraction: str = "") -> str:
        clock = start + seconds
        return f"{day}T{clock // 3600:02d}:{clock // 60 % 60:02d}:{clock % 60:02d}{fraction}Z"

    def searched(step: int, who: str, term: str, seconds: int) -> None:
        value = {"visitor": who, "term": term, "search_time": at(seconds)}
        events.append(Event(step, "searches", value))

    def clicked(step: int, who: str, page: str, seconds: int, fraction: str = "") -> None:
        value = {"clicked_by": who, "page": page, "click_time": at(seconds, fraction)}
        events.append(Event(step, "clicks", value))

    who = random.sample(["kim", "leo", "mia", "nia", "oto", "pia", "quin", "rea"], 6)
    for step in range(1, 5):
        hour = (step - 1) * 3600
        for name in who:
            second = hour + random.randrange(0, 1200)
            searched(step, name, f"t{second}", second)
            after = random.choice([-60, 0, 1, random.randrange(2, 1800), 1800, 1801])
            clicked(step, name, f"/p{second}", second + after)
        # of all steps the newest search and the newest click: the searches are the slower ones
        searched(step, "slow", "end", hour + 1250)
        clicked(step, "fast", "/end", hour + 3100)
    # now the clicks are the slower ones, and one of them is almost ten minutes late
    searched(5, "una", "lamp", 21_000)
    searched(5, "slow", "end", 23_300)
    clicked(5, "fast", "/end", 23_100)
    clicked(6, "una", "/lamp", 22_501)
    # half a second more than half an hour after her search
    clicked(6, "una", "/lamp/late", 22_800, ".500")
    searched(7, "last", "end", 40_000)
    clicked(7, "last", "/end", 40_100)
    return Scenario(events)
