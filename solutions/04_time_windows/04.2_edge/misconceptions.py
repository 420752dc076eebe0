"""Clicks that miss the edge: by a delay, by a second, by a step."""


def _clicks(*steps: list[str]) -> list[list[dict]]:
    return [[{"event_time": time} for time in step] for step in steps]


def end_without_the_delay():
    """The window from 12:00 did not come out in step 2

    After step 2 the watermark stood at {facts.first_watermark}, and the window from 12:00 had not come
    out. A click at the end of the window does not close it; the watermark has to get there, and
    that stays ten seconds behind.
    """
    return _clicks(["12:04:59"], ["12:05:00"], ["12:04:59", "12:05:01"], ["12:10:00"])


def four_without_the_delay():
    """No window came out in its step

    The watermark stood at {facts.first_watermark} after step 2 and at {facts.second_watermark} after
    step 4, ten seconds short of the end of each window. A click at the end does not close a window;
    the watermark has to get there, and that stays ten seconds behind.
    """
    return _clicks(["12:04:59"], ["12:05:00"], ["12:04:59"], ["12:10:00"])


def a_second_too_far():
    """Each window closes a second later than need be

    The rows come out, with the watermark at {facts.first_watermark} after step 2 and at
    {facts.second_watermark} after step 4. It does not have to be past the end of a window: reaching it
    is enough.
    """
    return _clicks(["12:04:59"], ["12:05:11"], ["12:04:59", "12:05:00"], ["12:10:11"])


def a_second_short():
    """The watermark stops a second short of the first window's end

    After step 2 the watermark stood at {facts.first_watermark}. By then the window 12:00–12:05 is
    not over: it did not come out in step 2, and in step 3 nothing could be too late for it. What do
    ten seconds have to be added to: the window's last second, or its end?
    """
    return _clicks(["12:04:59"], ["12:05:09"], ["12:04:59", "12:05:00"], ["12:10:10"])


def a_second_short_twice():
    """The watermark stops a second short of both ends

    It stood at {facts.first_watermark} after step 2 and at {facts.second_watermark} after step 4. By
    then neither window is over: none came out in its step, and in step 3 nothing could be too late
    for the first. What do ten seconds have to be added to: a window's last second, or its end?
    """
    return _clicks(["12:04:59"], ["12:05:09"], ["12:04:59", "12:05:00"], ["12:10:09"])


def closed_before_step_2():
    """The window from 12:00 did not come out in step 2 with one click

    After step 2 the watermark stood at {facts.first_watermark}, and step 3 dropped a row, as they
    should. But a window comes out in the step in which the watermark reaches its end, and one
    without clicks gives no row at all. Where does your watermark stand after step 1, and which
    clicks of 12:00–12:05 have come by then?
    """
    return _clicks(["12:05:10", "12:04:59"], ["12:05:00"], ["12:04:59"], ["12:10:10"])


def late_in_its_own_step():
    """Nothing was dropped in step 3, and the first window did not come out with one click

    The watermark stood at {facts.first_watermark} after step 2, as it should, but there was no row
    with one click, and step 3 dropped nothing. How many clicks of 12:00–12:05 had come by then? One
    that comes in the very step that closes its window is still counted, as is each before it: order
    inside a step does not matter, and a step drops by the watermark of the one before.
    """
    return _clicks(["12:04:59"], ["12:05:10", "12:04:59"], ["12:05:00"], ["12:10:10"])


def the_edge_in_the_old_window():
    """Nothing was dropped in step 3

    The window from 12:00 was over, and step 3 brought no click that lies in it. 12:05:00 is the
    first moment of the window 12:05–12:10, and no part of the one before. What is the last second of
    the window that closed?
    """
    return _clicks(["12:04:59"], ["12:05:10"], ["12:05:00"], ["12:10:10"])


def both_behind_the_edge():
    """The window from 12:05 does not come out with two clicks

    One row was dropped in step 3, as it should be, but in step 4 no row with two clicks came out.
    Which of your clicks lie in the window? It begins with 12:05:00, and 12:10:00 is no part of it.
    To show its first edge takes a click on either side: the last second that is lost and the first
    one that counts.
    """
    return _clicks(["12:04:59"], ["12:05:10"], ["12:04:58", "12:04:59"], ["12:10:10"])
