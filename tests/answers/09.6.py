"""Answers to 09.6: things with which a cart is given up to the second."""

from datetime import datetime, timedelta, timezone

Steps = list[list[dict[str, object]]]


def _thing(customer: str, time: object, price: float = 12.0) -> dict[str, object]:
    return {"customer": customer, "price": price, "time": time}


def right_second_step_empty() -> Steps:
    """The watermark is at 12:10:00 after step 1 already, and step 2 brings nothing

    Right: it stands there after step 2, and nothing is given up in it.
    """
    return [
        [_thing("noa", "12:11:00", 1), _thing("mia", "12:00:00", 12)],
        [],
        [_thing("kim", "11:00:00"), _thing("oki", "12:11:01")],
    ]


def right_times_as_datetimes() -> Steps:
    """Datetimes with and without a zone, whole numbers for prices, tuples for lists

    Right: a text such as "12:00:00" is enough, so a datetime will do.
    """
    noon = datetime(2026, 3, 1, 12)
    there = timezone(timedelta(hours=-5))
    return [
        (_thing("mia", noon, 12),),
        (_thing("noa", noon + timedelta(minutes=11), 3),),
        (
            _thing("kim", datetime(2026, 3, 1, 7, 10, tzinfo=there), 5),
            _thing("noa", noon + timedelta(minutes=11, seconds=1), 0),
        ),
    ]


def right_within_the_second() -> Steps:
    """The cart's timeout lies half a second behind 12:10:00

    Right: not given up at 12:10:00, given up at 12:10:01; the text asks for nothing else.
    """
    return [
        [_thing("mia", "12:00:00.5")],
        [_thing("noa", "12:11:00")],
        [_thing("noa", "12:09:59"), _thing("noa", "12:11:01")],
    ]


def right_filled_twice() -> Steps:
    """Mia fills her cart in step 1 and moves time in step 2 herself, with the cart of another to be given up

    Right: noa's cart is the one of 12.
    """
    return [
        [_thing("noa", "12:00:00", 12)],
        [_thing("mia", "12:11:00", 7)],
        [_thing("mia", "12:11:01", 7), _thing("noa", "12:10:00", 1)],
    ]


def wrong_a_day_later() -> Steps:
    """The watermark gets to 12:10:01 of the next day in step 3

    Wrong: "to the second"; the cart would have been given up by any watermark of that day.
    """
    return [
        [_thing("mia", "2026-03-01T12:04:00Z")],
        [_thing("noa", "2026-03-01T12:11:00Z")],
        [_thing("noa", "2026-03-02T12:11:01Z"), _thing("kim", "2026-03-01T12:09:00Z")],
    ]


def wrong_late_in_a_step_of_its_own() -> Steps:
    """The thing that is too late comes in step 4

    Wrong: one thing is dropped *in step 3*.
    """
    return [
        [_thing("mia", "12:00:00")],
        [_thing("noa", "12:11:00")],
        [_thing("noa", "12:11:01")],
        [_thing("kim", "12:09:00")],
    ]


def wrong_both_a_second_off() -> Steps:
    """Mia a second too late, and the last thing newer than the watermark: two mistakes

    Wrong: nothing given up, nothing dropped.
    """
    return [
        [_thing("mia", "12:00:01")],
        [_thing("noa", "12:11:00")],
        [_thing("noa", "12:11:01"), _thing("kim", "12:10:01")],
    ]
