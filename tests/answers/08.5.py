"""Answers to 08.5: a visit that comes out in two rows."""

from datetime import datetime

Steps = list[list[dict[str, object]]]


def _view(user: str, time: object) -> dict[str, object]:
    return {"user": user, "time": time}


def right_two_steps() -> Steps:
    """Each step brings a page view of mia and the one that closes it

    Right: page views are held against the watermark of the step before.
    """
    return [
        [_view("noa", "12:02:09"), _view("mia", "12:00:00")],
        [_view("kim", "12:03:00"), _view("mia", "12:00:40")],
    ]


def right_with_an_empty_step() -> Steps:
    """As datetimes, with steps that bring nothing, the last watermark just at the end of her second row

    Right: nothing in the text limits the number of steps.
    """
    day = (2026, 3, 1, 12)
    return [
        [_view("mia", datetime(*day, 0, 0))],
        [],
        [_view("noa", datetime(*day, 1, 31))],
        [_view("mia", datetime(*day, 0, 40))],
        [_view("noa", datetime(*day, 2, 10))],
    ]


def right_mia_closes_the_second() -> Steps:
    """Noa closes the first row, mia herself the second

    Right: mia's last page view has a session that stays open.
    """
    return [
        [_view("mia", "12:00:00"), _view("noa", "12:02:00")],
        [_view("mia", "12:00:40")],
        [_view("mia", "12:02:20")],
    ]


def wrong_on_two_days() -> Steps:
    """Mia's page views are on two days, so the rows do not overlap at all

    Wrong: shown are to be two rows that overlap, of 12:00:00 and 12:00:40 of one visit.
    """
    return [
        [_view("mia", "2026-03-01T12:00:00Z")],
        [_view("mia", "2026-03-02T12:00:40Z")],
        [_view("noa", "2026-03-02T12:03:00Z")],
    ]


def wrong_noa_too_early() -> Steps:
    """Noa comes a second too early to close the first session

    Wrong: the watermark gets to 12:00:59; mia's page view of 12:00:40 joins and one row comes out. Four views,
    """
    return [
        [_view("mia", "12:00:00")],
        [_view("noa", "12:01:29")],
        [_view("mia", "12:00:40")],
        [_view("noa", "12:02:30")],
    ]
