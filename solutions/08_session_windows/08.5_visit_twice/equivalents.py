"""Other events with which a visit comes out in two rows."""


def by_mia_alone() -> list:
    """She moves the watermark herself, as far as it may go without making her own page view late."""
    return [
        [{"user": "mia", "time": "12:00:00"}],
        [{"user": "mia", "time": "12:02:09"}],
        [{"user": "mia", "time": "12:00:40"}],
        [{"user": "mia", "time": "12:03:00"}],
    ]


def first_row_in_one_step() -> list:
    """Her first session is over in the step in which it began; the watermark gets no further than it must."""
    return [
        [{"user": "mia", "time": "12:00:00"}, {"user": "noa", "time": "12:01:30"}],
        [{"user": "mia", "time": "12:00:40"}],
        [{"user": "noa", "time": "12:02:10"}],
    ]
