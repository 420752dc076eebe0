"""Page views with which the visit is emitted once, or a part of it is lost."""

Steps = list[list[dict[str, str]]]


def _view(user: str, time: str) -> dict[str, str]:
    return {"user": user, "time": time}


def joined_after_all() -> Steps:
    """First session still open: neither row was emitted

    No row of mia ends at 12:01:00, and none begins at 12:00:40. While her first session is in state, a page view
    of 12:00:40 extends it. The first row must be emitted before. When does the watermark reach 12:01:00 in your
    steps?
    """
    return [
        [_view("mia", "12:00:00")],
        [_view("mia", "12:00:40")],
        [_view("noa", "12:02:30")],
    ]


def not_over_when_it_came() -> Steps:
    """First session still open, with four page views

    One row was emitted, but it does not end at 12:01:00 and does not begin at 12:00:40. While her first session is
    in state, a page view of 12:00:40 extends it. The watermark is 30 seconds behind the newest page view of the
    previous steps. What was it when that page view arrived?
    """
    return [
        [_view("mia", "12:00:00")],
        [_view("noa", "12:01:29")],
        [_view("mia", "12:00:40")],
        [_view("noa", "12:02:30")],
    ]


def too_late_for_both() -> Steps:
    """Watermark past the claim of the second page view

    The row that ends at 12:01:00 was emitted, but a page view was dropped as late. What decides is the end of its
    claim: 12:01:40 for the page view of 12:00:40. What was the watermark when it arrived?
    """
    return [
        [_view("mia", "12:00:00")],
        [_view("noa", "12:10:00")],
        [_view("mia", "12:00:40")],
        [_view("noa", "12:10:30")],
    ]


def second_never_closes() -> Steps:
    """No event that closes the second session

    The row that ends at 12:01:00 was emitted and nothing was dropped, but no row begins at 12:00:40. A session of
    12:00:40 alone ends at 12:01:40, and is emitted when the watermark reaches that. Is there such a session, and a
    page view that advances the watermark to its end?
    """
    return [
        [_view("mia", "12:00:00")],
        [_view("noa", "12:01:45")],
        [_view("mia", "12:00:40")],
    ]


def closes_others_too() -> Steps:
    """Watermark past a third session

    Both rows of mia were emitted, and one more. The page views that advance the watermark belong to sessions, too,
    and a session is emitted when the watermark reaches its end. How far ahead must the last page view be, and
    whose is it?
    """
    return [
        [_view("mia", "12:00:00")],
        [_view("noa", "12:01:45")],
        [_view("mia", "12:00:40")],
        [_view("kim", "12:10:00")],
    ]


def one_view_too_many() -> Steps:
    """More page views than needed

    Both rows of mia were emitted and no other, but that took {facts.few_events} page views. Which page view can
    you leave out without any change in the rest?
    """
    return [
        [_view("mia", "12:00:00")],
        [_view("noa", "12:01:45")],
        [_view("mia", "12:00:40")],
        [_view("noa", "12:02:30")],
        [_view("noa", "12:02:31")],
    ]
