"""Other clicks that show the same edge."""


def other_times():
    """Other clicks in the same windows, another order, and times written in full."""
    return [
        [{"event_time": "2026-03-01T12:00:00Z"}],
        [{"event_time": "2026-03-01T12:05:10Z"}],
        [{"event_time": "2026-03-01T12:09:59Z"}, {"event_time": "2026-03-01T12:00:00Z"}],
        [{"event_time": "2026-03-01T12:10:10Z"}],
    ]


def counted_in_the_step_that_closes():
    """The second click of the second window comes in the step that closes it."""
    return [
        [{"event_time": "12:04:59"}],
        [{"event_time": "12:05:10"}],
        [{"event_time": "12:04:59"}],
        [{"event_time": "12:10:10"}, {"event_time": "12:09:59"}],
    ]
