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


def dropped_after_the_hour() -> Steps:
    """The hour was out before the last step

    A row was dropped in the last step, and the hour had come out before. The drop that is asked
    for comes earlier: its ten minutes are over, its hour is not.
    """
    return _clicks(["12:15:00", "12:15:30"], ["13:01:00"], ["12:05:00"])


def the_hour_stays_open() -> Steps:
    """The hour never came out

    One row was dropped, and no hour came out. The watermark is a minute behind the newest click,
    and it must reach 13:00:00. Where it does, ask whether a click of that hour was counted at all:
    an hour without any is not there.
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
