"""Clicks of which another number is dropped, or other rows come out."""

Clicks = list[list[dict[str, str]]]


def _home(*times: str) -> list[dict[str, str]]:
    return [{"page": "/home", "event_time": time} for time in times]


def in_the_same_step() -> Clicks:
    """A row came out, and nothing was dropped

    One row came out, which does not count two clicks, and none was dropped. A click is held against
    the watermark of the step *before* its own: one that comes in the same step as the click that
    moves the watermark is still in time. What is to be too late has to come in a later step, for a
    window that is over by then.
    """
    return [_home("12:01:00", "12:02:00"), _home("12:05:10", "12:03:00")]


def window_still_open() -> Clicks:
    """Nothing was dropped, and nothing came out

    No row was dropped and none came out: no window was over. The watermark is ten seconds behind
    the newest click, so which click is needed to take it to the end of a window?
    """
    return [_home("12:01:00", "12:02:00"), _home("12:05:05"), _home("12:03:00")]


def closed_behind_you() -> Clicks:
    """Two rows came out

    One row was dropped as asked, and two came out, one for each window and page that is over. If a
    second window is over as well: nothing has to come before the two clicks that are counted, nor
    after the one that is too late. If it is one window: it holds clicks of two pages.
    """
    return [
        _home("12:01:00", "12:02:00"),
        _home("12:05:10"),
        _home("12:03:00"),
        _home("14:00:00"),
    ]


def two_pages_too_late() -> Clicks:
    """Two rows were dropped

    Two rows were dropped where one was asked for. Rows are dropped by step, window and page: two
    late clicks are one row only if they share all three. How many late clicks do you need?
    """
    late = [
        {"page": "/home", "event_time": "12:03:00"},
        {"page": "/sale", "event_time": "12:03:00"},
    ]
    return [_home("12:01:00", "12:02:00"), _home("12:05:10"), late]


def alone_in_its_window() -> Clicks:
    """The row that came out does not count two clicks

    One row was dropped and one came out, as asked; the number that it counts is another than two.
    """
    return [_home("12:01:00"), _home("12:05:10"), _home("12:03:00")]
