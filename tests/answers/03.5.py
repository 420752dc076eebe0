"""Answers to 03.5, just too late."""

from datetime import datetime
from typing import Any

Clicks = list[list[dict[str, str]]]


def _page(page: str, *times: str) -> list[dict[str, str]]:
    return [{"page": page, "event_time": time} for time in times]


def _home(*times: str) -> list[dict[str, str]]:
    return _page("/home", *times)


def right_all_three_before() -> Clicks:
    """Two steps: the two clicks and the one that closes their window together, then the late one."""
    return [_home("12:01:00", "12:02:00", "12:05:10"), _home("12:03:00")]


def right_with_an_empty_step() -> Clicks:
    """A step without clicks in between, and one at the end; each click in a step of its own."""
    return [_home("12:01"), _home("12:04:59.999"), _home("12:05:10"), [], _home("12:04"), []]


def right_late_for_an_older_window() -> Any:
    """The late click belongs to a window that nobody else is in; times as datetimes without a zone."""

    def click(hour: int, minute: int, second: int = 0) -> dict[str, Any]:
        return {"page": "/sale", "event_time": datetime(2030, 12, 31, hour, minute, second)}

    newest = {"page": "/home", "event_time": "2031-01-01 00:00:10"}
    return [[click(23, 57), click(23, 56)], [newest], [click(11, 0)]]


def right_zones_mixed() -> Clicks:
    """Times of a day with a zone other than UTC."""
    return [
        _home("2026-03-01T13:01:00+01:00", "2026-03-01T12:02:00Z"),
        _page("/sale", "2026-03-01T14:05:10+02:00"),
        _home("2026-03-01T12:03:00"),
    ]


def wrong_another_page_in_the_window() -> Clicks:
    """A click of another page lies in the same window, so that two rows come out of it

    Exactly one row is asked for.
    """
    first = [*_home("12:01:00", "12:02:00"), *_page("/sale", "12:02:00")]
    return [first, _home("12:05:10"), _home("12:03:00")]


def wrong_three_then_closed() -> Clicks:
    """Three clicks in time, and one that closes their window; none is late"""
    return [_home("12:01:00", "12:02:00", "12:03:00"), _home("12:05:10")]


def wrong_one_then_the_next_windows() -> Clicks:
    """One click, one that closes its window, and two more that are in time

    The row counts one, nothing is dropped.
    """
    return [_home("12:01:00"), _home("12:05:10"), _home("12:05:05"), _home("12:06:00")]


def wrong_two_late_in_two_steps() -> Clicks:
    """Two late clicks of one page in two steps

    Two rows are dropped, one a step.
    """
    return [_home("12:01:00", "12:02:00"), _home("12:05:10"), _home("12:03:00"), _home("12:04:00")]


def wrong_two_late_of_two_windows() -> Clicks:
    """Two late clicks of one page in one step, of two windows"""
    return [_home("12:01:00", "12:02:00"), _home("12:05:10"), _home("12:03:00", "11:58:00")]


def wrong_two_late_of_one_page() -> Clicks:
    """Five clicks: two late ones of one page in one step, which are one row dropped

    At most four clicks.
    """
    return [_home("12:01:00", "12:02:00"), _home("12:05:10"), _home("12:03:00", "12:04:00")]


def wrong_two_that_move() -> Clicks:
    """Five clicks: the watermark is moved in two goes

    At most four clicks.
    """
    return [_home("12:01:00", "12:02:00"), _home("12:05:04"), _home("12:05:10"), _home("12:03:00")]


def wrong_older_than_the_watermark_only() -> Clicks:
    """The last click is older than the newest, but its window is open

    Nothing is dropped; the window of 12:05:00 ends at 12:10.
    """
    return [_home("12:01:00", "12:02:00"), _home("12:05:30"), _home("12:05:00")]


def wrong_second_short() -> Clicks:
    """The third click is a second short of closing the window

    12:05:09 less ten seconds is 12:04:59.
    """
    return [_home("12:01:00", "12:02:00"), _home("12:05:09"), _home("12:03:00")]


def wrong_no_delay_thought_of() -> Clicks:
    """Closes the window at 12:05:00, with five clicks to be on the safe side

    The delay is forgotten: nothing comes out.
    """
    return [_home("12:01:00", "12:02:00"), _home("12:05:00"), _home("12:03:00"), _home("12:04:00")]


def wrong_three_counted() -> Clicks:
    """Three clicks counted, one dropped, five in all

    Two are to be counted, and four sent.
    """
    return [_home("12:01:00", "12:02:00", "12:02:30"), _home("12:05:10"), _home("12:03:00")]


def wrong_two_pages_counted() -> Clicks:
    """The two clicks that should be counted together are of two pages

    Two rows of one each.
    """
    return [[*_home("12:01:00"), *_page("/sale", "12:02:00")], _home("12:05:10"), _home("12:03:00")]
