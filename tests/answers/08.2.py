"""Answers to 08.2: page views with which two sessions become one."""

from datetime import datetime, timedelta, timezone

Steps = list[list[dict[str, object]]]


def _view(user: str, time: object) -> dict[str, object]:
    return {"user": user, "time": time}


def right_times_as_datetimes() -> Steps:
    """Gives datetimes, one with a zone, and tuples for lists

    Right: "a time such as "12:00:00" is enough", so a datetime is fine as well.
    """
    start = datetime(2026, 3, 1, 12, 0, 0)
    two = (_view("mia", start), _view("mia", start + timedelta(seconds=75)))
    zone = timezone(timedelta(hours=2))
    join = _view("mia", datetime(2026, 3, 1, 14, 0, 30, tzinfo=zone))
    return [two, (join,), (_view("kim", start + timedelta(hours=1)),)]


def right_steps_without_views() -> Steps:
    """Leaves steps empty before the one that closes

    Right: sessions after step 1 and 2 and the row are as asked for; nothing forbids more steps.
    """
    return [
        [_view("ana", "08:00:00.500"), _view("ana", "08:01:10")],
        [_view("ana", "08:00:59")],
        [],
        [],
        [_view("ana", "23:59:59")],
    ]


def right_joined_and_closed_by_herself() -> Steps:
    """The page view that joins and the one that closes come together in step 2, both of mia

    Right: a row of three pages, and one session (her new one) is kept after step 2.
    """
    return [
        [_view("mia", "12:01:29"), _view("mia", "12:00:00")],
        [_view("mia", "12:05:00"), _view("mia", "12:00:45")],
    ]


def right_closed_on_the_dot() -> Steps:
    """The closing page view puts the watermark exactly to the joined session's end

    Right: reached is closed for session windows (12:02:50 - 30 s = 12:02:20, the end).
    """
    return [
        [_view("mia", "12:00:00"), _view("mia", "12:01:20")],
        [_view("mia", "12:01:00")],
        [_view("noa", "12:02:50")],
    ]


def wrong_nobody_looked() -> Steps:
    """The page views have no user

    Wrong: "a page view is a dict with a user and a time".
    """
    return [
        [{"time": "12:00:00"}, {"time": "12:01:20"}],
        [{"time": "12:00:40"}],
        [{"time": "12:10:00"}],
    ]


def wrong_neighbours_are_two_users() -> Steps:
    """The two sessions are of two users, and the third page view touches both in time

    Wrong: sessions of two users never become one; two are kept after step 2 and two rows come out.
    """
    return [
        [_view("mia", "12:00:00"), _view("noa", "12:01:20")],
        [_view("mia", "12:00:40")],
        [_view("kim", "12:10:00")],
    ]


def wrong_a_step_for_each_view() -> Steps:
    """Every page view has a step of its own

    Wrong: after step 1 there is one session, after step 2 there are two.
    """
    return [
        [_view("mia", "12:00:00")],
        [_view("mia", "12:01:20")],
        [_view("mia", "12:00:40")],
        [_view("noa", "12:10:00")],
    ]


def wrong_a_chain_of_steps() -> Steps:
    """Page views 40 seconds apart, each in a step of its own

    Wrong: there is never more than one session.
    """
    return [
        [_view("mia", "12:00:00")],
        [_view("mia", "12:00:40")],
        [_view("mia", "12:01:20")],
        [_view("noa", "12:10:00")],
    ]


def wrong_two_pages_then_another_user() -> Steps:
    """One page view in step 1, a second in step 2 that lengthens its session, then two other users

    Wrong: nothing is ever joined.
    """
    return [
        [_view("mia", "12:00:00")],
        [_view("mia", "12:00:40")],
        [_view("noa", "12:05:00")],
        [_view("kim", "12:10:00")],
    ]


def wrong_a_minute_to_the_second() -> Steps:
    """Two page views a minute apart to the second

    Wrong: claims that touch are one session already after step 1; one session is kept, though one row of 3 comes out.
    """
    return [
        [_view("mia", "12:00:00"), _view("mia", "12:01:00")],
        [_view("mia", "12:00:30")],
        [_view("noa", "12:10:00")],
    ]


def wrong_closed_too_soon() -> Steps:
    """The closing page view comes a second too early

    Wrong: the session ends at 12:02:20, the watermark gets to 12:02:19; no row comes out. Four views, so
    """
    return [
        [_view("mia", "12:00:00"), _view("mia", "12:01:20")],
        [_view("mia", "12:00:40")],
        [_view("noa", "12:02:49")],
    ]
