"""Events with a different result; each mistake is known by its numbers alone."""


def only_one_stream_moves():
    """One pair, no impression without a click, and no event dropped

    When the last event arrived, the query had no watermark that made it late. The query uses the
    watermark of the slower stream, and it advances only in a step that contains events of both.
    After which of your steps is there a watermark, and what is it?
    """
    return [
        {"impressions": [{"ad_id": "shoes", "impression_time": "12:00:00"}]},
        {"impressions": [{"ad_id": "tea", "impression_time": "14:00:00"}]},
        {"clicks": [{"clicked_ad_id": "shoes", "click_time": "12:30:00"}]},
    ]


def not_an_hour_yet():
    """One pair, one event dropped, and no impression without a click

    No impression was emitted without a click, although an event was dropped. Perhaps the impression
    is still in the state: then the watermark is not past the hour in which it may be clicked.
    Exactly the end of that hour is not past. Perhaps the impression was itself the dropped event:
    then it never reached the state. What was the watermark after each step?
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
    """Two pairs, no impression without a click, and all four events in the state

    Two pairs were emitted, nothing was dropped, and no row has left the state. The watermark
    advances only in a step that contains an impression *and* a click. Is there such a step before
    the click that must be late? If there is, is the watermark then more than an hour past the first
    impression?
    """
    return [
        {"impressions": [{"ad_id": "shoes", "impression_time": "12:00:00"}]},
        {"impressions": [{"ad_id": "tea", "impression_time": "14:00:00"}]},
        {"clicks": [{"clicked_ad_id": "tea", "click_time": "14:00:00"}]},
        {"clicks": [{"clicked_ad_id": "shoes", "click_time": "12:30:00"}]},
    ]


def in_the_same_step():
    """Two pairs, and no event dropped

    Both rows are pairs, and no click was late. The watermark advances at the end of a step, and the
    order within a step does not matter. So a click is still in time in the step that advances the
    watermark. By which step's watermark is an event late?
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
    """One impression alone and one pair, and no event dropped

    The rows are right, but nothing was dropped. An event is late if it is not newer than the
    watermark of the previous step. Which event can arrive after the watermark has advanced?
    """
    return [
        {"impressions": [{"ad_id": "shoes", "impression_time": "12:00:00"}]},
        {
            "impressions": [{"ad_id": "tea", "impression_time": "14:00:00"}],
            "clicks": [{"clicked_ad_id": "tea", "click_time": "14:00:00"}],
        },
    ]


def one_for_each_purpose():
    """More events than the task allows

    The right rows were emitted and one event was dropped, with six events. Five events are enough,
    and so are four. Which of them could do two things at once?
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
    """One impression alone, one event dropped, and no pair

    A click belongs to an impression of the same ad, from the same moment until an hour later. Could
    the two events that advance the streams be such a pair?
    """
    return [
        {"impressions": [{"ad_id": "shoes", "impression_time": "12:00:00"}]},
        {
            "impressions": [{"ad_id": "tea", "impression_time": "14:00:00"}],
            "clicks": [{"clicked_ad_id": "rug", "click_time": "14:00:00"}],
        },
        {"clicks": [{"clicked_ad_id": "shoes", "click_time": "12:30:00"}]},
    ]


def one_more_waits():
    """More rows in the state than the task allows

    The right rows were emitted and one event was dropped. At the end {facts.little_state} rows are in
    the state. A click waits until the watermark has passed it, and an impression 1 hour longer. Which
    event is not needed, or could be so early that Spark evicts it?
    """
    return [
        {"impressions": [{"ad_id": "shoes", "impression_time": "12:00:00"}]},
        {
            "impressions": [
                {"ad_id": "tea", "impression_time": "14:00:00"},
                {"ad_id": "lamp", "impression_time": "14:00:00"},
            ],
            "clicks": [{"clicked_ad_id": "tea", "click_time": "14:00:00"}],
        },
        {"clicks": [{"clicked_ad_id": "shoes", "click_time": "12:30:00"}]},
    ]
