"""Answers to 04.2, the row at the edge."""

from datetime import datetime, timedelta, timezone


def _clicks(*steps):
    return [[{"event_time": time} for time in step] for step in steps]


def right_nothing_in_step_one():
    """Step 1 is empty ("as you like"); the click of the first window comes with the one that closes it.

    Step 2: watermark 12:05:00, and 12:00-12:05 comes out with one click. If the check minds a step without any
    click, that is R.
    """
    return _clicks([], ["12:04:59", "12:05:10"], ["12:04:59", "12:05:00"], ["12:10:10"])


def right_moments_as_datetimes():
    """Times as datetime objects, with and without a zone, steps as tuples."""
    at = datetime(2026, 3, 1, 12, 5, tzinfo=timezone.utc)
    here = datetime(2026, 3, 1, 13, 5, tzinfo=timezone(timedelta(hours=1)))
    return (
        ({"event_time": at - timedelta(microseconds=1)},),
        ({"event_time": here + timedelta(seconds=10)},),
        ({"event_time": datetime(2026, 3, 1, 12, 5)}, {"event_time": at - timedelta(seconds=1)}),
        ({"event_time": at + timedelta(seconds=310)},),
    )


def right_all_in_step_one():
    """The first window's click and the second one of 12:05-12:10 come in step 1, in another order."""
    return _clicks(["12:05:00", "12:04:00"], ["12:05:10"], ["12:00:00"], ["12:10:10"])


def wrong_closed_a_day_later():
    """The last click is of the next day.

    The watermark of step 4 stands at 12:10:00 of 2 March, a day past the end of the window.
    """
    return _clicks(["12:04:59"], ["12:05:10"], ["12:04:59", "12:05:00"], ["2026-03-02T12:10:10Z"])


def wrong_the_other_edge():
    """Takes 12:10:00 for a click of 12:05-12:10.

    The window 12:05-12:10 has one click, 12:05:10, as its end is no part of it.
    """
    return _clicks(["12:04:59"], ["12:05:10"], ["12:04:59", "12:10:00"], ["12:10:10"])


def wrong_two_in_the_first_window():
    """Two clicks in the first window, and none that is late.

    Step 2: the window comes out with two clicks, not one; step 3 drops nothing.
    """
    return _clicks(["12:04:00", "12:04:59"], ["12:05:10"], ["12:05:00"], ["12:10:10"])


def wrong_nothing_in_step_three():
    """Nothing is sent in step 3; the second click of the second window comes last.

    Step 3 drops nothing. The facts are those of the_edge_in_the_old_window ("all its clicks were counted in a window
    that was open"):
    """
    return _clicks(["12:04:59"], ["12:05:10"], [], ["12:10:10", "12:06:00"])


def wrong_four_clicks_without_the_delay():
    """The ten seconds are forgotten, and no click counts beside the late one."""
    return _clicks(["12:00:05"], ["12:05:00"], ["12:04:58"], ["12:10:00"])
