"""Other events with which two sessions become one."""


def at_the_edges() -> list:
    """Touches both by the least that suffices, and the user herself closes, much later."""
    return [
        [
            {"user": "ana", "time": "2026-03-01T09:00:00Z"},
            {"user": "ana", "time": "2026-03-01T09:01:29Z"},
        ],
        [{"user": "ana", "time": "2026-03-01T09:00:30Z"}],
        [{"user": "ana", "time": "2026-03-01T11:00:00Z"}],
    ]


def joined_and_closed_in_one_step() -> list:
    """The page view that closes comes in the same step: its batch joins first and closes then."""
    return [
        [{"user": "mia", "time": "12:01:20"}, {"user": "mia", "time": "12:00:00"}],
        [{"user": "mia", "time": "12:00:40"}, {"user": "noa", "time": "12:05:00"}],
    ]
