"""Events with which two sessions do not become one, or with which nobody gets to see it."""

Steps = list[list[dict[str, str]]]


def _view(user: str, time: str) -> dict[str, str]:
    return {"user": user, "time": time}


def too_far_apart() -> Steps:
    """One session after step 1, two rows in the end

    After step 1 one session was kept, and two rows came out. If step 1 brought two page views, how
    far apart are they? Two of a user that are no more than a minute apart are one session from the
    start. Two that are a minute and a half or more apart are never kept side by side: the later one moves
    the watermark to the end of the first one's session, and that goes.
    """
    return [
        [_view("mia", "12:00:00"), _view("mia", "12:01:40")],
        [_view("mia", "12:00:50")],
        [_view("noa", "12:10:00")],
    ]


def together_from_the_start() -> Steps:
    """One session was kept after step 1

    A single row came out. But after step 1 one session was kept and not two, so step 2 had nothing
    to join. Page views of a user that are no more than a minute apart are one session, and what
    comes in one step is put together before the step is over. Which two can be kept side by side?
    """
    return [
        [_view("mia", "12:00:00"), _view("mia", "12:00:50")],
        [_view("mia", "12:01:00")],
        [_view("noa", "12:10:00")],
    ]


def touches_only_one() -> Steps:
    """Still two sessions after step 2

    Two sessions were kept after step 1, and two after step 2. A page view claims a minute from its
    own moment on. To join two sessions, that minute has to touch both, and both have to be of the
    user whose page view it is.
    """
    return [
        [_view("mia", "12:00:00"), _view("mia", "12:01:25")],
        [_view("mia", "12:00:10")],
        [_view("noa", "12:10:00")],
    ]


def nobody_closes() -> Steps:
    """One session, and no row

    Two sessions became one, and no row came out: it is still kept. A session comes out when the
    watermark reaches its end, and only a newer page view moves the watermark.
    """
    return [
        [_view("mia", "12:00:00"), _view("mia", "12:01:20")],
        [_view("mia", "12:00:40")],
    ]


def closes_too_soon() -> Steps:
    """One session, four page views, and no row

    Two sessions became one, and no row came out, with four page views in all. A session ends a minute
    after its last page view, and comes out when the watermark, 30 seconds behind the newest page view,
    reaches that end. Which of the four is to move it there? One of the same user that touches the
    session lengthens it.
    """
    return [
        [_view("mia", "12:00:00"), _view("mia", "12:01:20")],
        [_view("mia", "12:00:40")],
        [_view("noa", "12:02:49")],
    ]


def a_step_for_each_view() -> Steps:
    """Two sessions only after step 2

    One session was kept after step 1 and two after step 2. In the end a row with three pages came out,
    so two did become one, but later than asked. A step is what comes before one run of the query, and may
    hold several page views. Which have to be there when step 1 is over?
    """
    return [
        [_view("mia", "12:00:00")],
        [_view("mia", "12:01:20")],
        [_view("mia", "12:00:40")],
        [_view("noa", "12:10:00")],
    ]


def joins_after_the_close() -> Steps:
    """A page view was dropped, and two rows came out

    A row was dropped as late. When a page view comes after the sessions that it would join are out,
    it joins nothing any more. What joins has to come before what closes.
    """
    return [
        [_view("mia", "12:00:00"), _view("mia", "12:01:20")],
        [_view("noa", "12:10:00")],
        [_view("mia", "12:00:40")],
    ]


def of_another_user() -> Steps:
    """Three sessions after step 2

    Two sessions were kept after step 1, and three after step 2: none was joined. A page view joins
    what the minute that it claims touches, and only sessions of the same user.
    """
    return [
        [_view("mia", "12:00:00"), _view("mia", "12:01:20")],
        [_view("noa", "12:00:40")],
        [_view("kim", "12:10:00")],
    ]
