"""Events that do something else; each is known by its figures alone."""


def only_one_stream_moves():
    """One pair, nobody alone, and nothing dropped

    When the last event came, nothing was too late yet. The query's clock goes by the slower stream,
    and it moves only in a step to which both of them bring something. After which step does the
    watermark first stand somewhere, and where?
    """
    return [
        {"impressions": [{"ad_id": "shoes", "impression_time": "12:00:00"}]},
        {"impressions": [{"ad_id": "tea", "impression_time": "14:00:00"}]},
        {"clicks": [{"clicked_ad_id": "shoes", "click_time": "12:30:00"}]},
    ]


def not_an_hour_yet():
    """One pair, one event dropped, and nobody alone

    No impression came out without a click, although an event was too late already. If the lonely
    impression still waits: it is held until the watermark is past the hour in which it may be clicked,
    and at exactly the end of that hour it waits still. Where did the watermark stand? If the lonely
    impression was itself the event that was too late, it never got in, and what is dropped does not
    come out.
    """
    return [
        {"impressions": [{"ad_id": "shoes", "impression_time": "12:00:00"}]},
        {
            "impressions": [{"ad_id": "tea", "impression_time": "13:05:00"}],
            "clicks": [{"clicked_ad_id": "tea", "click_time": "13:15:00"}],
        },
        {"clicks": [{"clicked_ad_id": "shoes", "click_time": "12:30:00"}]},
    ]


def never_in_the_same_step():
    """Two pairs, nobody alone, and all four events wait

    Two pairs came out, nothing was too late, and no row has left the state. The watermark
    moves only in a step that brings an impression *and* a click. Is there such a step before the click
    that is to be late? If there is one: is the watermark then more than an hour past the lonely impression?
    """
    return [
        {"impressions": [{"ad_id": "shoes", "impression_time": "12:00:00"}]},
        {"impressions": [{"ad_id": "tea", "impression_time": "14:00:00"}]},
        {"clicks": [{"clicked_ad_id": "tea", "click_time": "14:00:00"}]},
        {"clicks": [{"clicked_ad_id": "shoes", "click_time": "12:30:00"}]},
    ]


def in_the_same_step():
    """Two pairs, nobody alone, and nothing dropped

    Both rows are pairs, and no click was too late. A click is in time before the step that moves the
    watermark, and in that very step as well: the watermark moves when the step is over, and within it
    the order does not matter. By which step's watermark is an event late?
    """
    return [
        {"impressions": [{"ad_id": "shoes", "impression_time": "12:00:00"}]},
        {
            "impressions": [{"ad_id": "tea", "impression_time": "14:00:00"}],
            "clicks": [
                {"clicked_ad_id": "tea", "click_time": "14:00:00"},
                {"clicked_ad_id": "shoes", "click_time": "12:30:00"},
            ],
        },
    ]


def nobody_is_late():
    """One alone and one pair, and nothing was dropped

    The rows are the right ones, but nothing was dropped. An event is late if it is not newer than
    the watermark of the step before. Which event comes when the watermark has moved?
    """
    return [
        {"impressions": [{"ad_id": "shoes", "impression_time": "12:00:00"}]},
        {
            "impressions": [{"ad_id": "tea", "impression_time": "14:00:00"}],
            "clicks": [{"clicked_ad_id": "tea", "click_time": "14:00:00"}],
        },
    ]


def one_for_each_purpose():
    """All that was asked for, with six events

    The right rows came out and one event was dropped. Five events are enough, and so are four.
    Which of them could do two things at once?
    """
    return [
        {
            "impressions": [
                {"ad_id": "shoes", "impression_time": "12:00:00"},
                {"ad_id": "tea", "impression_time": "12:01:00"},
            ],
            "clicks": [{"clicked_ad_id": "tea", "click_time": "12:10:00"}],
        },
        {
            "impressions": [{"ad_id": "lamp", "impression_time": "14:00:00"}],
            "clicks": [{"clicked_ad_id": "rug", "click_time": "14:00:00"}],
        },
        {"clicks": [{"clicked_ad_id": "shoes", "click_time": "12:30:00"}]},
    ]


def pair_left_alone():
    """One alone, one dropped, and no pair

    A click belongs to an impression of the same ad, from the same moment on until an hour later.
    Could what moves the two streams be such a pair?
    """
    return [
        {"impressions": [{"ad_id": "shoes", "impression_time": "12:00:00"}]},
        {
            "impressions": [{"ad_id": "tea", "impression_time": "14:00:00"}],
            "clicks": [{"clicked_ad_id": "rug", "click_time": "14:00:00"}],
        },
        {"clicks": [{"clicked_ad_id": "shoes", "click_time": "12:30:00"}]},
    ]
