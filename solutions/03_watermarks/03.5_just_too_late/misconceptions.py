"""Clicks with another number of dropped rows, or other output."""

Clicks = list[list[dict[str, str]]]


def _home(*times: str) -> list[dict[str, str]]:
    return [{"page": "/home", "event_time": time} for time in times]


def in_the_same_step() -> Clicks:
    """Late click in the same step as the click that closes its window

    Spark emitted one row, which does not count two clicks, and dropped none. A click is
    compared with the watermark of the *previous* step. A click in the same step as the click
    that advances the watermark is still counted. In which step must the late click arrive?
    """
    return [_home("12:01:00", "12:02:00"), _home("12:05:10", "12:03:00")]


def window_still_open() -> Clicks:
    """No window closed

    Spark dropped no row and emitted none, because no window has closed. The watermark is ten
    seconds behind the newest click. Which click advances it to the end of a window?
    """
    return [_home("12:01:00", "12:02:00"), _home("12:05:05"), _home("12:03:00")]


def closed_behind_you() -> Clicks:
    """A second row emitted

    Spark dropped one row, as required, and emitted two rows instead of one. Spark emits 1 row
    per window and page. If a second window has closed: which click is not needed before the two
    counted clicks, or after the late one? If there is one window: how many pages do its clicks
    have?
    """
    return [
        _home("12:01:00", "12:02:00"),
        _home("12:05:10"),
        _home("12:03:00"),
        _home("14:00:00"),
    ]


def two_pages_too_late() -> Clicks:
    """Two dropped rows

    Spark dropped two rows; expected one. It drops rows by step, window and page, so two late
    clicks are one row only if they share all three. How many late clicks do you need?
    """
    late = [
        {"page": "/home", "event_time": "12:03:00"},
        {"page": "/sale", "event_time": "12:03:00"},
    ]
    return [_home("12:01:00", "12:02:00"), _home("12:05:10"), late]


def alone_in_its_window() -> Clicks:
    """A row that does not count two clicks

    Spark dropped one row and emitted one, as required, but the row does not count two clicks.
    How many clicks arrive for its window before the window closes?
    """
    return [_home("12:01:00"), _home("12:05:10"), _home("12:03:00")]
