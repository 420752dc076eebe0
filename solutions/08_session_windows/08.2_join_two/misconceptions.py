"""Page views with which two sessions do not become one, or with which no row is emitted."""

Steps = list[list[dict[str, str]]]


def _view(user: str, time: str) -> dict[str, str]:
    return {"user": user, "time": time}


def too_far_apart() -> Steps:
    """Page views too far apart: one session after step 1, two rows

    After step 1 one session was in state, and two rows were emitted. If step 1 has two page views, how far apart
    are they? Two of one user that are at most a minute apart are one session. Two that are 90 seconds or more
    apart are never in state together, because the later one closes the first session.
    """
    return [
        [_view("mia", "12:00:00"), _view("mia", "12:01:40")],
        [_view("mia", "12:00:50")],
        [_view("noa", "12:10:00")],
    ]


def together_from_the_start() -> Steps:
    """One session from the start

    One row was emitted. But after step 1 one session was in state and not two, so step 2 had nothing to merge.
    Page views of one user that are at most a minute apart are one session. All page views of a step are merged
    before it ends. Which two can be in state together?
    """
    return [
        [_view("mia", "12:00:00"), _view("mia", "12:00:50")],
        [_view("mia", "12:01:00")],
        [_view("noa", "12:10:00")],
    ]


def touches_only_one() -> Steps:
    """Claim that touches one session only

    Two sessions were in state after step 1, and two after step 2. A page view claims a minute from its own moment
    on. To merge two sessions, that minute must touch both, and both must belong to the user of the page view. What
    does yours touch?
    """
    return [
        [_view("mia", "12:00:00"), _view("mia", "12:01:25")],
        [_view("mia", "12:00:10")],
        [_view("noa", "12:10:00")],
    ]


def nobody_closes() -> Steps:
    """No event that closes the session

    Two sessions became one, but no row was emitted: the session is still in state. A session is emitted when the
    watermark reaches its end. Which page view advances the watermark that far?
    """
    return [
        [_view("mia", "12:00:00"), _view("mia", "12:01:20")],
        [_view("mia", "12:00:40")],
    ]


def closes_too_soon() -> Steps:
    """Watermark short of the session's end

    Two sessions became one, but no row was emitted, with four page views in all. A session ends a minute after its
    last page view. It is emitted when the watermark, 30 seconds behind the newest page view, reaches that end.
    Which of the four should advance it there? A page view of the same user that touches the session extends it.
    """
    return [
        [_view("mia", "12:00:00"), _view("mia", "12:01:20")],
        [_view("mia", "12:00:40")],
        [_view("noa", "12:02:49")],
    ]


def a_step_for_each_view() -> Steps:
    """Two sessions only after step 2

    One session was in state after step 1 and two after step 2. In the end a row with three pages was emitted, so
    two sessions did become one, but a step late. A step may have several page views. Which ones must arrive in
    step 1?
    """
    return [
        [_view("mia", "12:00:00")],
        [_view("mia", "12:01:20")],
        [_view("mia", "12:00:40")],
        [_view("noa", "12:10:00")],
    ]


def joins_after_the_close() -> Steps:
    """Merge after the close: a page view was dropped, and two rows were emitted

    A row was dropped as late. If a page view arrives after its sessions have closed, it merges nothing. Which step
    of yours merges, and which closes?
    """
    return [
        [_view("mia", "12:00:00"), _view("mia", "12:01:20")],
        [_view("noa", "12:10:00")],
        [_view("mia", "12:00:40")],
    ]


def of_another_user() -> Steps:
    """Page view of another user: three sessions after step 2

    Two sessions were in state after step 1, and three after step 2: none was merged. A page view merges the
    sessions that its claim touches, but only sessions of one user. Whose page view is in step 2?
    """
    return [
        [_view("mia", "12:00:00"), _view("mia", "12:01:20")],
        [_view("noa", "12:00:40")],
        [_view("kim", "12:10:00")],
    ]


def views_without_a_user() -> Steps:
    """Page views without a user

    Two sessions became one and a row with three pages was emitted, but its user is null. Spark groups null like a
    user of its own. Whose sessions should these be?
    """
    return [
        [{"time": "12:00:00"}, {"time": "12:01:20"}],
        [{"time": "12:00:40"}],
        [{"time": "12:10:00"}],
    ]


def one_view_too_many() -> Steps:
    """More page views than needed

    Two sessions became one and a row with three pages was emitted, but that took {facts.few_events} page views.
    Which page view can you leave out without any change in the rest?
    """
    return [
        [_view("mia", "12:00:00"), _view("mia", "12:01:20")],
        [_view("mia", "12:00:40")],
        [_view("noa", "12:10:00")],
        [_view("noa", "12:10:01")],
    ]
