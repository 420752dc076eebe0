"""Other events with the same three fates."""


def known_after_it_slipped():
    """The recognized duplicate comes last: the id that slipped through is stored again."""
    return [
        [{"order_id": "a1", "sent_at": "08:00:00"}],
        [{"order_id": "zz", "sent_at": "08:20:00"}],
        [{"order_id": "a1", "sent_at": "08:10:00"}, {"order_id": "a1", "sent_at": "08:10:01"}],
        [{"order_id": "a1", "sent_at": "08:30:00"}],
    ]


def in_three_steps():
    """Two records at once, then a long pause, then two more at once."""
    return [
        [
            {"order_id": "a1", "sent_at": "2026-03-01T09:00:00Z"},
            {"order_id": "a1", "sent_at": "2026-03-01T09:00:00Z"},
        ],
        [{"order_id": "b7", "sent_at": "2026-03-01T23:59:00Z"}],
        [
            {"order_id": "a1", "sent_at": "2026-03-01T12:00:00Z"},
            {"order_id": "a1", "sent_at": "2026-03-01T23:58:00Z"},
        ],
    ]
