"""Other ads on another day, with the same kinds of trouble."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Impressions with several clicks, one, none, and clicks that belong to no impression."""
    ads = random.sample(["boots", "coffee", "chair", "kite", "scarf", "radio"], 4)
    start = random.randrange(5, 9) * 60
    events: list[Event] = []

    def at(minutes: int, seconds: str = "00") -> str:
        return f"2025-11-28T{(start + minutes) // 60:02d}:{(start + minutes) % 60:02d}:{seconds}Z"

    def shown(step: int, ad: str, minutes: int, note: str = "") -> None:
        value = {"ad_id": ad, "impression_time": at(minutes)}
        events.append(Event(step, "impressions", value, note=note))

    def clicked(step: int, ad: str, minutes: int, note: str = "", seconds: str = "00") -> None:
        value = {"clicked_ad_id": ad, "click_time": at(minutes, seconds)}
        events.append(Event(step, "clicks", value, note=note))

    for ad in ads[:3]:
        for _ in range(random.randrange(1, 4)):
            minute = random.randrange(0, 55)
            shown(1, ad, minute)
            for _ in range(random.randrange(0, 3)):
                clicked(1, ad, minute + random.randrange(1, 58))
    shown(1, ads[3], 50, "never clicked")
    clicked(1, ads[3], 20, "before it was shown")
    clicked(2, ads[3], 115, "too long after it was shown")
    clicked(2, ads[3], 110, "an hour and half a second after it was shown", "00.500")
    shown(2, ads[0], 185)
    clicked(2, ads[0], 190)
    # the watermark stands at minute 10: what is newer may still come
    clicked(3, ads[1], 30, "nearly three hours late")
    clicked(3, ads[0], 330)
    shown(3, ads[2], 320)
    # and now at minute 150
    shown(4, ads[1], 146, "too late")
    clicked(4, ads[1], 148, "too late")
    shown(4, ads[2], 420)
    clicked(4, ads[2], 425)
    shown(5, ads[0], 780)
    clicked(5, ads[0], 780)
    return Scenario(events)
