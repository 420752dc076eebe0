"""Other events that do the same."""


def pair_at_once():
    """The pair comes first; an impression and a click of the same moment move the streams."""
    return [
        {
            "impressions": [
                {"ad_id": "shoes", "impression_time": "12:00:00"},
                {"ad_id": "tea", "impression_time": "14:10:00"},
            ],
            "clicks": [{"clicked_ad_id": "tea", "click_time": "14:20:00"}],
        },
        {"clicks": [{"clicked_ad_id": "shoes", "click_time": "12:00:00"}]},
    ]


def late_impression():
    """It is an impression that comes too late; five events."""
    return [
        {"impressions": [{"ad_id": "shoes", "impression_time": "09:00:00"}]},
        {
            "impressions": [{"ad_id": "tea", "impression_time": "11:00:00"}],
            "clicks": [{"clicked_ad_id": "tea", "click_time": "11:20:00"}],
        },
        {"impressions": [{"ad_id": "lamp", "impression_time": "10:00:00"}]},
    ]
