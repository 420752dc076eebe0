"""Events with which the visit comes out once, or a part of it is lost."""

Steps = list[list[dict[str, str]]]


def _view(user: str, time: str) -> dict[str, str]:
    return {"user": user, "time": time}


def joined_after_all() -> Steps:
    """Neither of the two rows came out

    No row of mia ends at 12:01:00, and none begins at 12:00:40. As long as her first session is
    kept, a page view of 12:00:40 joins it. The first row has to be out before: the watermark must
    reach 12:01:00 in an earlier step.
    """
    return [
        [_view("mia", "12:00:00")],
        [_view("mia", "12:00:40")],
        [_view("noa", "12:02:30")],
    ]


def not_over_when_it_came() -> Steps:
    """Four page views, and neither of the two rows

    One row came out, and it neither is of mia and ends at 12:01:00, nor begins at 12:00:40. As long as
    her first session is kept, a page view of 12:00:40 joins it. Where did the watermark stand when that
    page view came? It is 30 seconds behind the newest of the steps before, and 12:01:00 is the end.
    """
    return [
        [_view("mia", "12:00:00")],
        [_view("noa", "12:01:29")],
        [_view("mia", "12:00:40")],
        [_view("noa", "12:02:30")],
    ]


def too_late_for_both() -> Steps:
    """A page view was dropped

    The row that ends at 12:01:00 came out, and a page view was dropped as late. What counts is the
    end of the minute that it claims: 12:01:40 for the page view of 12:00:40. Where did the
    watermark stand when it came?
    """
    return [
        [_view("mia", "12:00:00")],
        [_view("noa", "12:10:00")],
        [_view("mia", "12:00:40")],
        [_view("noa", "12:10:30")],
    ]


def second_never_closes() -> Steps:
    """The second row did not come out

    The row that ends at 12:01:00 came out, nothing was dropped, and no row begins at 12:00:40. A
    session of 12:00:40 alone ends at 12:01:40, and comes out when the watermark gets there. Is
    there such a session, and a page view that moves the watermark to its end?
    """
    return [
        [_view("mia", "12:00:00")],
        [_view("noa", "12:01:45")],
        [_view("mia", "12:00:40")],
    ]


def closes_others_too() -> Steps:
    """A third row came out

    Both rows of mia came out, and one more. The page views that move the watermark belong to
    sessions, too, and a session comes out when the watermark reaches its end. How far ahead does
    the last page view have to be, and whose is it?
    """
    return [
        [_view("mia", "12:00:00")],
        [_view("noa", "12:01:45")],
        [_view("mia", "12:00:40")],
        [_view("kim", "12:10:00")],
    ]
