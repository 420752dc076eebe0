"""Clicks that miss the edge: by a delay, by a second, by a step."""


def _clicks(*steps: list[str]) -> list[list[dict]]:
    return [[{"event_time": time} for time in step] for step in steps]


def end_without_the_delay():
    """First window's end without the delay

    After step 2 the watermark was {facts.first_watermark}, and Spark had not emitted the window
    from 12:00. A click at the end of the window does not close it. The watermark must reach the
    end, and it is ten seconds behind the newest click. Which click advances it to 12:05:00?
    """
    return _clicks(["12:04:59"], ["12:05:00"], ["12:04:59", "12:05:01"], ["12:10:00"])


def four_without_the_delay():
    """Both windows' ends without the delay

    The watermark was {facts.first_watermark} after step 2 and {facts.second_watermark} after
    step 4, ten seconds before the end of each window. A click at the end of a window does not
    close it: the watermark must reach the end. Which clicks advance the watermark to 12:05:00
    and 12:10:00?
    """
    return _clicks(["12:04:59"], ["12:05:00"], ["12:04:59"], ["12:10:00"])


def a_second_too_far():
    """Watermark a second past the end of each window

    Spark emitted the rows, with the watermark at {facts.first_watermark} after step 2 and at
    {facts.second_watermark} after step 4. The watermark need not pass the end of a window; it
    must only reach it. Which clicks advance it exactly to the ends?
    """
    return _clicks(["12:04:59"], ["12:05:11"], ["12:04:59", "12:05:00"], ["12:10:11"])


def a_second_short():
    """Watermark a second before the first window's end

    After step 2 the watermark was {facts.first_watermark}. The window 12:00–12:05 had not
    closed: Spark did not emit it in step 2, and dropped nothing for it in step 3. To which
    moment must you add ten seconds: to the window's last second, or to its end?
    """
    return _clicks(["12:04:59"], ["12:05:09"], ["12:04:59", "12:05:00"], ["12:10:10"])


def a_second_short_twice():
    """Watermark a second before both ends

    The watermark was {facts.first_watermark} after step 2 and {facts.second_watermark} after
    step 4. Neither window had closed: Spark emitted none in its step, and dropped nothing in
    step 3. To which moment must you add ten seconds: to a window's last second, or to its end?
    """
    return _clicks(["12:04:59"], ["12:05:09"], ["12:04:59", "12:05:00"], ["12:10:09"])


def closed_before_step_2():
    """First window closed before step 2

    After step 2 the watermark was {facts.first_watermark}, and step 3 dropped a row, as
    required. But step 2 did not emit the window with one click. Spark emits a window in the
    step in which the watermark reaches its end, and a window without clicks has no row. What is
    your watermark after step 1, and which clicks of 12:00–12:05 have arrived by then?
    """
    return _clicks(["12:05:10", "12:04:59"], ["12:05:00"], ["12:04:59"], ["12:10:10"])


def late_in_its_own_step():
    """Late click in the step that closes its window

    The watermark was {facts.first_watermark} after step 2, as required, but no row had one
    click, and step 3 dropped nothing. A click that arrives in the step that closes its window
    still counts, because a step drops by the watermark of the previous step. How many clicks of
    12:00–12:05 had arrived by the end of step 2?
    """
    return _clicks(["12:04:59"], ["12:05:10", "12:04:59"], ["12:05:00"], ["12:10:10"])


def the_edge_in_the_old_window():
    """Window end counted as part of the closed window

    The window from 12:00 had closed, and step 3 contained no click of it, so nothing was
    dropped. 12:05:00 is the first moment of the window 12:05–12:10. What is the last second of
    the window that closed?
    """
    return _clicks(["12:04:59"], ["12:05:10"], ["12:05:00"], ["12:10:10"])


def both_behind_the_edge():
    """Second window without two clicks

    Step 3 dropped one row, as required, but step 4 emitted no row with two clicks. The window
    12:05–12:10 begins with 12:05:00, and 12:10:00 is not in it. A click on each side of the
    first edge shows it: Spark drops the last second and counts the next. Which of your clicks
    are in this window?
    """
    return _clicks(["12:04:59"], ["12:05:10"], ["12:04:58", "12:04:59"], ["12:10:10"])


def closing_click_not_counted():
    """Closing click not counted in the second window

    You sent {facts.few_events} clicks, and step 4 emitted no row of the window 12:05–12:10 with two clicks. The click
    that closes the first window is itself in the second one, and counts there. Which of your clicks
    can you leave out?
    """
    return _clicks(["12:04:59"], ["12:05:10"], ["12:04:59", "12:05:00", "12:06:00"], ["12:10:10"])
