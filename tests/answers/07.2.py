"""Answers to 07.2: other events, right and wrong."""

from datetime import datetime


def right_four_events():
    """Four deliveries, all of a1: the copy that is recognised moves the time

    A copy is recognised behind the watermark's operator, so its time counts: 12:30 moves the watermark to 12:20.
    """
    return [
        [{"order_id": "a1", "sent_at": "12:00:00"}],
        [{"order_id": "a1", "sent_at": "12:30:00"}],
        [{"order_id": "a1", "sent_at": "12:15:00"}, {"order_id": "a1", "sent_at": "12:25:00"}],
    ]


def right_late_and_known_are_of_others():
    """Late is a delivery of c1, and recognised a copy of b1; only a1 slips. With datetimes, tuples and an empty step

    The task asks for "exactly one delivery", not for one of a1.
    """
    noon = datetime(2026, 3, 1, 12)
    return (
        ({"order_id": "a1", "sent_at": noon},),
        (),
        (
            {"order_id": "b1", "sent_at": "13:00:00"},
            {"order_id": "b1", "sent_at": "13:00:00"},
        ),
        ({"order_id": "c1", "sent_at": "12:50"}, {"order_id": "a1", "sent_at": "12:50:00.001"}),
    )


def right_first_is_long_ago():
    """The first a1 is of the day before, and the late one comes alone in a step

    Five events in five steps.
    """
    return [
        [{"order_id": "a1", "sent_at": "2026-02-28T23:00:00Z"}],
        [{"order_id": "z", "sent_at": "00:30:00"}],
        [{"order_id": "a1", "sent_at": "00:20:00"}],
        [{"order_id": "a1", "sent_at": "00:20:01"}],
        [{"order_id": "a1", "sent_at": "00:30:00"}],
    ]


def wrong_slips_without_a_time():
    """The first deliveries of a1 have no time at all

    An event has a time, says the task; one without is never late and is forgotten as soon as the watermark stands anywhere.
    """
    return [
        [{"order_id": "a1", "sent_at": None}, {"order_id": "a1", "sent_at": None}],
        [{"order_id": "b1", "sent_at": "12:30:00"}],
        [{"order_id": "a1", "sent_at": "12:15:00"}, {"order_id": "a1", "sent_at": "12:25:00"}],
    ]


def wrong_copies_with_the_mover():
    """The copies come in the same step as the event that moves the time

    a1 once, two recognised, one late, five events.
    """
    return [
        [{"order_id": "a1", "sent_at": "12:00:00"}],
        [
            {"order_id": "b1", "sent_at": "12:30:00"},
            {"order_id": "a1", "sent_at": "12:05:00"},
            {"order_id": "a1", "sent_at": "12:25:00"},
        ],
        [{"order_id": "a1", "sent_at": "12:15:00"}],
    ]


def wrong_nothing_after_it_is_forgotten():
    """a1 is forgotten, and the only delivery after that is late

    a1 once, two recognised, one late, five events.
    """
    return [
        [
            {"order_id": "a1", "sent_at": "12:00:00"},
            {"order_id": "a1", "sent_at": "12:01:00"},
            {"order_id": "a1", "sent_at": "12:02:00"},
        ],
        [{"order_id": "b1", "sent_at": "12:30:00"}],
        [{"order_id": "a1", "sent_at": "12:20:00"}],
    ]


def wrong_nothing_moves_far_enough():
    """Each event in a step of its own, and the time never moves by twenty minutes

    a1 once, three recognised, nothing late, five events.
    """
    return [
        [{"order_id": "a1", "sent_at": "12:00:00"}],
        [{"order_id": "a1", "sent_at": "12:05:00"}],
        [{"order_id": "b1", "sent_at": "12:19:00"}],
        [{"order_id": "a1", "sent_at": "12:10:00"}],
        [{"order_id": "a1", "sent_at": "12:18:00"}],
    ]
