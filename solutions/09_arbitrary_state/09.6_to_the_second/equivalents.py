"""Other things with which a cart is given up to the second."""


def late_by_nothing() -> list:
    """What is too late is exactly as old as the watermark, and of the customer who moves time."""
    return [
        [{"customer": "mia", "price": 12.0, "time": "12:00:00"}],
        [{"customer": "noa", "price": 1.0, "time": "12:11:00"}],
        [
            {"customer": "noa", "price": 1.0, "time": "12:11:01"},
            {"customer": "noa", "price": 1.0, "time": "12:10:00"},
        ],
    ]


def the_late_one_is_hers() -> list:
    """Mia herself is too late: the function never sees that, so her cart keeps its timeout."""
    return [
        [{"customer": "mia", "price": 12.0, "time": "2026-03-01T12:00:00Z"}],
        [{"customer": "noa", "price": 1.0, "time": "2026-03-01T12:11:00Z"}],
        [
            {"customer": "mia", "price": 5.0, "time": "2026-03-01T12:05:00Z"},
            {"customer": "kim", "price": 1.0, "time": "2026-03-01T12:11:01Z"},
        ],
    ]
