"""Other clicks that do the same."""

Steps = list[list[dict[str, str]]]


def a_step_apart() -> Steps:
    """One ten minutes with two clicks, a step apart; the click to be dropped comes beside a good one."""
    return [
        [{"event_time": "12:35:00"}],
        [{"event_time": "12:00:00"}, {"event_time": "12:38:59"}],
        [{"event_time": "2026-03-01T13:20:00Z"}],
    ]


def on_the_edge() -> Steps:
    """To the second: ten minutes that are just over, and an hour that is."""
    return [
        [{"event_time": "12:11:00"}, {"event_time": "12:11:00"}],
        [{"event_time": "12:09:59"}],
        [{"event_time": "13:01:00"}],
    ]
