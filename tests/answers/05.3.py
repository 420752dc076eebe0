"""Answers to 05.3, dropped while its hour is open."""

from datetime import datetime, timezone

Steps = list[list[dict[str, str]]]


def _clicks(*steps: list[str]) -> Steps:
    return [[{"event_time": time} for time in times] for times in steps]


def right_two_late_clicks_are_one_row() -> Steps:
    """Two late clicks of the same ten minutes in one step, which are one dropped row; five clicks."""
    return _clicks(["12:15:00", "12:15:30"], ["12:05:00", "12:09:59"], ["13:01:00"])


def right_with_empty_steps() -> Steps:
    """Empty steps first and in between."""
    return _clicks([], ["12:51:00", "12:51:00"], [], ["12:49:59"], ["13:01:00"])


def right_closed_on_another_day() -> Steps:
    """The hour is closed by a click of the next day, given as a datetime; a click of the morning comes first."""
    closes = datetime(2026, 3, 2, 9, tzinfo=timezone.utc)
    steps = _clicks(["11:59:00", "12:21:00"], ["12:21:30", "12:10:00"])
    return [*steps, [{"event_time": closes}]]


def wrong_nothing_counted_in_the_hour() -> Steps:
    """No click of the lunch hour is counted: one is dropped, the others are of one o'clock.

    No hour comes out, as it has no click.
    """
    return _clicks(["13:05:00", "13:06:00"], ["12:05:00"], ["13:10:00"])


def wrong_dropped_when_the_hour_was_out() -> Steps:
    """The click is dropped when its hour has come out, and another click follows."""
    return _clicks(["12:05:00", "12:05:00"], ["13:01:00"], ["12:06:00"], ["14:01:00"])


def wrong_two_clicks_behind_the_hour() -> Steps:
    """The click is dropped in time, and a step follows on that of the hour."""
    return _clicks(["12:11:00", "12:11:00"], ["12:05:00"], ["13:01:00"], ["14:00:00"])
