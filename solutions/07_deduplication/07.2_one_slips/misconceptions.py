"""Events with which no duplicate slips through, or too much happens."""


def still_kept():
    """Id not evicted: a1 was emitted once

    Two records were recognized as duplicates and one was late. An id is kept until the watermark is one delay past
    its first time. The watermark itself is one delay behind the newest event of the previous steps. How much newer
    than the first a1 must an event be, so that the id of a1 is evicted? If yours is new enough, does a record of
    a1 arrive in a later step, and is it newer than the watermark?
    """
    return [
        [{"order_id": "a1", "sent_at": "12:00:00"}],
        [{"order_id": "a1", "sent_at": "12:04:00"}],
        [{"order_id": "b1", "sent_at": "12:15:00"}],
        [{"order_id": "a1", "sent_at": "12:14:00"}, {"order_id": "a1", "sent_at": "12:03:00"}],
    ]


def all_in_one_step():
    """Watermark not advanced yet: every a1 was recognized

    The watermark dropped nothing, a1 was emitted once, and three records were recognized as duplicates. The
    watermark advances at the end of a step. For events that arrive in the same step, nothing is evicted and
    nothing is late. If your records of a1 arrive in later steps, how far has the watermark advanced by then, and
    which times are late?
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
    """Two late records: a1 was emitted once

    The watermark dropped two records before Spark looked up their ids. A record slips through only if it arrives
    after its id is evicted *and* is newer than the watermark. Which time would that be here?
    """
    return [
        [{"order_id": "a1", "sent_at": "12:00:00"}],
        [{"order_id": "a1", "sent_at": "12:05:00"}],
        [{"order_id": "b1", "sent_at": "12:30:00"}],
        [{"order_id": "a1", "sent_at": "12:15:00"}, {"order_id": "a1", "sent_at": "12:20:00"}],
    ]


def none_late():
    """No late record

    a1 was emitted twice and one duplicate was recognized. What is missing is a record that the watermark drops.
    Which times are late in your last step?
    """
    return [
        [{"order_id": "a1", "sent_at": "12:00:00"}],
        [{"order_id": "a1", "sent_at": "12:05:00"}],
        [{"order_id": "b1", "sent_at": "12:30:00"}],
        [{"order_id": "a1", "sent_at": "12:25:00"}],
    ]


def none_known():
    """No recognized duplicate

    a1 was emitted twice and one record was late, but none was recognized as a duplicate. When is the id of a1 in
    state: before the watermark advances, or after the record that slipped through? Send a1 again at such a moment.
    """
    return [
        [{"order_id": "a1", "sent_at": "12:00:00"}],
        [{"order_id": "b1", "sent_at": "12:30:00"}],
        [{"order_id": "a1", "sent_at": "12:10:00"}, {"order_id": "a1", "sent_at": "12:25:00"}],
    ]


def slips_twice():
    """a1 emitted three times

    Two duplicates slipped through. The id of a record that slips through is stored again, and is evicted again
    when the watermark has advanced far enough. Which of your events causes the second eviction?
    """
    return [
        [{"order_id": "a1", "sent_at": "12:00:00"}],
        [{"order_id": "b1", "sent_at": "12:30:00"}],
        [{"order_id": "a1", "sent_at": "12:25:00"}],
        [{"order_id": "b2", "sent_at": "13:00:00"}],
        [{"order_id": "a1", "sent_at": "12:55:00"}],
    ]


def one_too_many():
    """More events than needed

    a1 was emitted twice, one record was late and one was recognized, but that took {facts.few} events. Which event
    can you leave out without any change in the rest?
    """
    return [
        [{"order_id": "a1", "sent_at": "12:00:00"}],
        [{"order_id": "a1", "sent_at": "12:05:00"}],
        [{"order_id": "b1", "sent_at": "12:18:00"}],
        [{"order_id": "b2", "sent_at": "12:30:00"}],
        [{"order_id": "a1", "sent_at": "12:15:00"}, {"order_id": "a1", "sent_at": "12:25:00"}],
    ]


def slips_without_a_time():
    """First a1 without a time

    a1 was emitted twice, one record was late and one was recognized, but an emitted row of a1 has no time. Such a
    row is never late, and its id is evicted as soon as there is any watermark. Which time would the task allow it?
    """
    return [
        [{"order_id": "a1", "sent_at": None}, {"order_id": "a1", "sent_at": None}],
        [{"order_id": "b1", "sent_at": "12:30:00"}],
        [{"order_id": "a1", "sent_at": "12:15:00"}, {"order_id": "a1", "sent_at": "12:25:00"}],
    ]
