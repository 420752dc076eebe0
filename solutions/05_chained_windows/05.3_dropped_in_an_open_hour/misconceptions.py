"""Clicks that come close: the run shows something else than it should."""

Steps = list[list[dict[str, str]]]


def _clicks(*steps: list[str]) -> Steps:
    return [[{"event_time": time} for time in times] for times in steps]


def nothing_dropped() -> Steps:
    """Nothing was dropped

    No click of the lunch hour met a watermark that had passed its ten minutes. A click is turned away by the
    watermark that the steps *before* its own have left, and only when the end of its ten minutes
    is reached; being older than the watermark is not enough.
    """
    return _clicks(["12:15:00", "12:15:30", "12:05:00"], ["13:01:00"])


def no_click_left_to_drop() -> Steps:
    """Three clicks, and none to be dropped

    The hour comes out with its average of 2, and nothing was dropped: two of the three clicks are
    counted, the third lets the hour out. It takes one more, in a step before the last. Which ten
    minutes are over when it comes?
    """
    return _clicks(["12:05:00", "12:06:00"], ["13:01:00"])


def outside_the_hour() -> Steps:
    """Nothing was dropped, and a click lies outside the hour

    The hour comes out with its average of 2, made of two of the four clicks. The others are not of
    the lunch hour: the filter takes them out, and what it takes out cannot be dropped. Which of them could
    be one of the hour's, of ten minutes that the watermark of the steps before has left behind?
    """
    return _clicks(["12:05:00", "12:06:00"], ["11:50:00"], ["13:01:00"])


def five_and_none_dropped() -> Steps:
    """Five clicks, and nothing was dropped

    The hour comes out with its average of 2, and none of the five clicks was dropped. A click of the
    lunch hour is turned away by the watermark that the steps *before* its own have left, a minute behind
    the newest of their clicks, and only when that has reached the end of its ten minutes.
    """
    return _clicks(["12:15:00", "12:15:30", "12:05:00", "12:06:00"], ["13:01:00"])


def dropped_after_the_hour() -> Steps:
    """The hour was out before the last step

    A row was dropped in the last step, and the hour had come out before. The drop that is asked
    for comes earlier: its ten minutes are over, its hour is not.
    """
    return _clicks(["12:15:00", "12:15:30"], ["13:01:00"], ["12:05:00"])


def a_step_after_the_hour() -> Steps:
    """A step comes after that of the hour

    One row was dropped, and the hour came out with its average of 2, but not in the last step. The
    hour comes out in the step that brings the watermark to 13:00:00. Which step is that, and does
    the dropped click come before it?
    """
    return _clicks(["12:15:00", "12:15:30"], ["13:01:00"], ["12:05:00"], ["14:01:00"])


def the_hour_stays_open() -> Steps:
    """The hour never came out

    One row was dropped, and no hour came out. For that the watermark, a minute behind the newest
    click, must reach 13:00:00, and a click of the hour must have been counted. Which of the two is
    not so?
    """
    return _clicks(["12:15:00", "12:15:30"], ["12:05:00"], ["13:00:30"])


def two_dropped() -> Steps:
    """Two rows were dropped

    The watermark dropped two rows. Rows are counted by window and by batch: two late
    clicks of the same ten minutes in one step are one row, of two ten minutes or two steps they
    are two.
    """
    return _clicks(["12:25:00", "12:25:30"], ["12:05:00", "12:15:00"], ["13:01:00"])


def another_average() -> Steps:
    """Another average

    One row was dropped, the hour came out last, and its average is not 2. What was dropped is in
    no count, and ten minutes without a click are not in the average.
    """
    return _clicks(["12:15:00"], ["12:05:00"], ["13:01:00"])
