"""Other clicks that do the same."""

from datetime import datetime, timezone
from typing import Any


def to_the_second() -> Any:
    """On the edge: the watermark is exactly 12:05:00, and the late click misses it by a second."""
    return [
        [
            {"page": "/sale", "event_time": "2026-03-01T12:00:00Z"},
            {"page": "/sale", "event_time": "2026-03-01T12:04:59Z"},
        ],
        [{"page": "/fruit", "event_time": "2026-03-01T12:05:10Z"}],
        [{"page": "/sale", "event_time": "2026-03-01T12:04:59Z"}],
    ]


def another_page_is_late() -> Any:
    """The late click is of a page that had none; times are given as datetimes, steps as tuples."""

    def click(page: str, hour: int, minute: int) -> dict[str, Any]:
        time = datetime(2026, 6, 1, hour, minute, tzinfo=timezone.utc)
        return {"page": page, "event_time": time}

    return (
        (click("/home", 8, 1), click("/home", 8, 4)),
        (click("/home", 9, 0),),
        (click("/sale", 8, 2),),
    )
