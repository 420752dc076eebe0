"""Clicks that come close, but show something else than required."""

Steps = list[list[dict[str, str]]]


def _clicks(*steps: list[str]) -> Steps:
    return [[{"event_time": time} for time in times] for times in steps]


def nothing_dropped() -> Steps:
    """No click dropped

    No click of the lunch hour arrived after its 10-minute window had closed. Spark drops a click by
    the watermark that the *earlier* steps have left, and only when that watermark has reached the
    end of the window. It is not enough that the click is older than the watermark. Where is your
    watermark when each step begins?
    """
    return _clicks(["12:15:00", "12:15:30", "12:05:00"], ["13:01:00"])


def no_click_left_to_drop() -> Steps:
    """Three clicks, and none dropped

    The hour is emitted with its average of 2, and nothing was dropped. Two of the three clicks are
    counted, and the third closes the hour. You need one more click, in a step before the last.
    Which 10-minute window has closed when it arrives?
    """
    return _clicks(["12:05:00", "12:06:00"], ["13:01:00"])


def outside_the_hour() -> Steps:
    """No click dropped, and a click outside the hour

    The hour is emitted with its average of 2, made of two of the four clicks. The others are
    outside the lunch hour: the filter removes them, and a row that a filter removes is not dropped
    by the watermark. Which of them could be a click of the hour, in a 10-minute window that the
    watermark of the earlier steps has closed?
    """
    return _clicks(["12:05:00", "12:06:00"], ["11:50:00"], ["13:01:00"])


def five_and_none_dropped() -> Steps:
    """Five clicks, and none dropped

    The hour is emitted with its average of 2, and none of the five clicks was dropped by the
    watermark. The watermark drops a click only if the watermark of the *earlier* steps has reached
    the end of the click's 10-minute window. That watermark is 1 minute behind the newest click of
    those steps. A click outside the lunch hour is removed by the filter, so the watermark cannot
    drop it. Which of your clicks should be the dropped one, and where is the watermark when its
    step begins?
    """
    return _clicks(["12:15:00", "12:15:30", "12:05:00", "12:06:00"], ["13:01:00"])


def dropped_after_the_hour() -> Steps:
    """A click dropped after its hour was emitted

    A row was dropped in the last step, and the hour had been emitted earlier. The row must be
    dropped while its 10-minute window has closed and its hour has not. In which step can that be?
    """
    return _clicks(["12:15:00", "12:15:30"], ["13:01:00"], ["12:05:00"])


def a_step_after_the_hour() -> Steps:
    """A step after the one that emits the hour

    One row was dropped, and the hour was emitted with its average of 2, but not in the last step.
    The hour is emitted in the step that advances the watermark to 13:00:00. Which step is that, and
    does the dropped click arrive before it?
    """
    return _clicks(["12:15:00", "12:15:30"], ["13:01:00"], ["12:05:00"], ["14:01:00"])


def the_hour_stays_open() -> Steps:
    """The hour never emitted

    One row was dropped, and no hour was emitted. The hour is emitted if the watermark reaches
    13:00:00, and if a click of the hour was counted. The watermark is 1 minute behind the newest
    click. Which of the two conditions is not met?
    """
    return _clicks(["12:15:00", "12:15:30"], ["12:05:00"], ["13:00:30"])


def two_dropped() -> Steps:
    """Two rows dropped

    The watermark dropped two rows. Spark counts dropped rows by window and micro-batch: two late
    clicks of the same 10 minutes in one step are one row. Late clicks of two windows, or of two
    steps, are two rows. Which of yours can go?
    """
    return _clicks(["12:25:00", "12:25:30"], ["12:05:00", "12:15:00"], ["13:01:00"])


def another_average() -> Steps:
    """A different average

    One row was dropped and the hour was emitted last, but its average is not 2. A dropped click is
    in no count, and a 10-minute window without a click is not in the average. What does each of
    your windows count?
    """
    return _clicks(["12:15:00"], ["12:05:00"], ["13:01:00"])


def six_clicks() -> Steps:
    """More clicks than the task allows

    One row was dropped, and the hour was emitted last with its average of 2. Your steps contain six
    clicks, and five are enough. An average over a single window is an average, too. Which clicks can
    you leave out?
    """
    return _clicks(["12:15:00", "12:15:30"], ["12:05:00"], ["12:25:00", "12:25:30"], ["13:01:00"])
