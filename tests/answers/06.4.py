"""Answers to 06.4: other events, right and wrong."""

from datetime import datetime, timezone


def right_one_ad_only():
    """All events are of one ad; four events

    Each click can meet one of the two impressions at most.
    """
    return [
        {"impressions": [{"ad_id": "shoes", "impression_time": "12:00"}]},
        {
            "impressions": [{"ad_id": "shoes", "impression_time": "14:00"}],
            "clicks": [{"clicked_ad_id": "shoes", "click_time": "14:30"}],
        },
        {"clicks": [{"clicked_ad_id": "shoes", "click_time": "12:30"}]},
    ]


def right_with_datetimes_and_an_empty_step():
    """Times as datetimes and with zones, tuples for lists, an empty list, an empty step at the end

    The same four events as the author's, said otherwise.
    """
    noon = datetime(2026, 3, 1, 12)
    return (
        {"impressions": ({"ad_id": "shoes", "impression_time": noon},), "clicks": ()},
        {
            "impressions": [{"ad_id": "tea", "impression_time": noon.replace(hour=14)}],
            "clicks": [
                {
                    "clicked_ad_id": "tea",
                    "click_time": datetime(2026, 3, 1, 14, tzinfo=timezone.utc),
                }
            ],
        },
        {
            "impressions": [],
            "clicks": [{"clicked_ad_id": "shoes", "click_time": "2026-03-01T13:30:00+01:00"}],
        },
        {},
    )


def right_lonely_beside_the_pair():
    """Lonely impression, pair and an old click of nobody in the first step; the late click in the second: five events

    Step 1 moves the watermark to 19:50, past the shoes' hour and past the click on the rug, which waits no more.
    """
    return [
        {
            "impressions": [
                {"ad_id": "shoes", "impression_time": "08:00:00"},
                {"ad_id": "tea", "impression_time": "20:00:00"},
            ],
            "clicks": [
                {"clicked_ad_id": "tea", "click_time": "20:59:00"},
                {"clicked_ad_id": "rug", "click_time": "08:10:00"},
            ],
        },
        {"clicks": [{"clicked_ad_id": "shoes", "click_time": "08:30:00"}]},
    ]


def wrong_lonely_one_is_late_itself():
    """The impression that should come out alone comes when the watermark is past it: it is the one that is dropped

    One pair, one dropped, nobody alone, four events, three rows in the state.
    """
    return [
        {
            "impressions": [{"ad_id": "tea", "impression_time": "14:00:00"}],
            "clicks": [{"clicked_ad_id": "tea", "click_time": "14:00:00"}],
        },
        {"impressions": [{"ad_id": "shoes", "impression_time": "12:00:00"}]},
        {"impressions": [{"ad_id": "lamp", "impression_time": "14:30:00"}]},
    ]


def wrong_clicked_in_time():
    """The click on the first impression comes in its own step, long before anything moves

    Two pairs, nobody alone, nothing dropped, two rows kept.
    """
    return [
        {
            "impressions": [{"ad_id": "shoes", "impression_time": "12:00:00"}],
            "clicks": [{"clicked_ad_id": "shoes", "click_time": "12:30:00"}],
        },
        {
            "impressions": [{"ad_id": "tea", "impression_time": "14:00:00"}],
            "clicks": [{"clicked_ad_id": "tea", "click_time": "14:00:00"}],
        },
    ]
