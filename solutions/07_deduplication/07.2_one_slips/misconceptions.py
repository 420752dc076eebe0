"""Events on which nothing slips, or too much."""


def still_kept():
    """a1 came out once: two deliveries were recognised, one was late

    An id is kept until the watermark is one delay past its first time, and the watermark is itself
    one delay behind the newest event of the steps before. How much newer than the first a1 must an
    event be, so that the id of a1 is forgotten? If yours is, does a delivery of a1 come in a later step
    than that event, and is it newer than the watermark?
    """
    return [
        [{"order_id": "a1", "sent_at": "12:00:00"}],
        [{"order_id": "a1", "sent_at": "12:04:00"}],
        [{"order_id": "b1", "sent_at": "12:15:00"}],
        [{"order_id": "a1", "sent_at": "12:14:00"}, {"order_id": "a1", "sent_at": "12:03:00"}],
    ]


def all_in_one_step():
    """Nothing was late, and every copy was recognised

    The watermark dropped nothing and a1 came out once; three copies were recognised. The watermark
    moves at the end of a step: for events that come in the same step as the one that moves it,
    nothing is forgotten and nothing is late. If your copies come in later steps, how far has the
    watermark moved by then, and which times does it drop?
    """
    return [
        [{"order_id": "a1", "sent_at": "12:00:00"}],
        [
            {"order_id": "a1", "sent_at": "12:05:00"},
            {"order_id": "b1", "sent_at": "12:30:00"},
            {"order_id": "a1", "sent_at": "12:10:00"},
            {"order_id": "a1", "sent_at": "12:25:00"},
        ],
    ]


def all_too_late():
    """Two deliveries were too late, and a1 came out once

    The watermark dropped two deliveries before anybody asked for their id. To slip through, a
    delivery must come after its id is forgotten and still be newer than the watermark.
    """
    return [
        [{"order_id": "a1", "sent_at": "12:00:00"}],
        [{"order_id": "a1", "sent_at": "12:05:00"}],
        [{"order_id": "b1", "sent_at": "12:30:00"}],
        [{"order_id": "a1", "sent_at": "12:15:00"}, {"order_id": "a1", "sent_at": "12:20:00"}],
    ]


def none_late():
    """One slipped through, and none was late

    a1 came out twice and one copy was recognised. What is missing is a delivery that the watermark
    drops: one whose time is the watermark's, or older.
    """
    return [
        [{"order_id": "a1", "sent_at": "12:00:00"}],
        [{"order_id": "a1", "sent_at": "12:05:00"}],
        [{"order_id": "b1", "sent_at": "12:30:00"}],
        [{"order_id": "a1", "sent_at": "12:25:00"}],
    ]


def none_known():
    """One slipped through, and none was recognised

    a1 came out twice and one delivery was late, but no copy was recognised. Send a1 once more while
    its id is kept: before the time moves on, or after it has slipped through.
    """
    return [
        [{"order_id": "a1", "sent_at": "12:00:00"}],
        [{"order_id": "b1", "sent_at": "12:30:00"}],
        [{"order_id": "a1", "sent_at": "12:10:00"}, {"order_id": "a1", "sent_at": "12:25:00"}],
    ]


def slips_twice():
    """a1 came out three times

    Two copies slipped through. One that slips is remembered anew, and forgotten again when the time
    has moved on far enough once more.
    """
    return [
        [{"order_id": "a1", "sent_at": "12:00:00"}],
        [{"order_id": "b1", "sent_at": "12:30:00"}],
        [{"order_id": "a1", "sent_at": "12:25:00"}],
        [{"order_id": "b2", "sent_at": "13:00:00"}],
        [{"order_id": "a1", "sent_at": "12:55:00"}],
    ]


def one_too_many():
    """All is there, with more events than needed

    a1 came out twice, one delivery was late, one was recognised, and it took {facts.few} events. Which
    of them could go without changing any of that?
    """
    return [
        [{"order_id": "a1", "sent_at": "12:00:00"}],
        [{"order_id": "a1", "sent_at": "12:05:00"}],
        [{"order_id": "b1", "sent_at": "12:18:00"}],
        [{"order_id": "b2", "sent_at": "12:30:00"}],
        [{"order_id": "a1", "sent_at": "12:15:00"}, {"order_id": "a1", "sent_at": "12:25:00"}],
    ]
