"""Items with which a cart is given up at another time, or not at all."""

Steps = list[list[dict[str, object]]]


def _thing(customer: str, time: str, price: float = 12.0) -> dict[str, object]:
    return {"customer": customer, "price": price, "time": time}


def no_delay_reckoned_with() -> Steps:
    """Watermark delay left out

    The watermark was 12:09:00 after step 2 and 12:09:01 after step 3. It is one minute behind the newest
    item so far. Which newest item gives a watermark of 12:10:00?
    """
    return [
        [_thing("mia", "12:00:00")],
        [_thing("noa", "12:10:00")],
        [_thing("noa", "12:10:01"), _thing("kim", "12:09:00")],
    ]


def given_up_too_early() -> Steps:
    """Cart given up in step 2

    A cart was given up in step 2, and none in step 3. The watermark of 12:10:00 had passed its timeout. A
    timeout that is only reached has not passed. Which timeout does 12:10:00 only reach?
    """
    return [
        [_thing("mia", "11:59:59")],
        [_thing("noa", "12:11:00")],
        [_thing("noa", "12:11:01"), _thing("kim", "12:09:00")],
    ]


def not_given_up() -> Steps:
    """No cart given up in step 3

    The watermark is right in both steps, and no cart was given up in step 3. Which cart has a timeout that
    12:10:01 has passed and 12:10:00 has only reached? And is there an item that fills it again in time?
    """
    return [
        [_thing("mia", "12:00:01")],
        [_thing("noa", "12:11:00")],
        [_thing("noa", "12:11:01"), _thing("kim", "12:09:00")],
    ]


def nothing_dropped() -> Steps:
    """No item dropped in step 3

    The cart was given up to the second, and nothing was dropped in step 3. Every item of step 3 was newer
    than the watermark of step 2, 12:10:00. Which time would be late in that step?
    """
    return [
        [_thing("mia", "12:00:00")],
        [_thing("noa", "12:11:00")],
        [_thing("noa", "12:11:01"), _thing("kim", "12:10:01")],
    ]


def cart_filled_anew() -> Steps:
    """Cart filled again in step 3

    Both watermarks are right; in step 3 nothing was dropped, and no cart was given up. If an item of that
    step is in the cart, it was not late: Spark passes rows first, and they set a new timeout. If none is:
    which timeout has 12:10:01 passed and 12:10:00 only reached? And which time is late by then?
    """
    return [
        [_thing("mia", "12:00:00")],
        [_thing("noa", "12:11:00")],
        [_thing("mia", "12:10:30"), _thing("noa", "12:11:01")],
    ]


def closed_in_one_leap() -> Steps:
    """Watermark moved too far in step 3

    A cart was given up in step 3. The watermark was 12:20:00 then. It would also have passed the timeout of
    a cart that was filled much later. Which newest item moves it by one second only?
    """
    return [
        [_thing("mia", "12:00:00")],
        [_thing("noa", "12:11:00")],
        [_thing("noa", "12:21:00"), _thing("kim", "12:09:00")],
    ]


def another_total() -> Steps:
    """Total of the cart other than 12

    Both watermarks are right, one cart was given up in step 3, and its total was not 12. Which prices are in the
    cart, and did Spark drop one of its items as late?
    """
    return [
        [_thing("mia", "12:00:00", 10.0)],
        [_thing("noa", "12:11:00")],
        [_thing("noa", "12:11:01"), _thing("kim", "12:09:00")],
    ]


def five_items() -> Steps:
    """More items than needed

    The run is right, and it has more than four items. One item fills the cart, two move the watermark, and one is
    late. Which of yours is none of these?
    """
    return [
        [_thing("mia", "12:00:00")],
        [_thing("noa", "12:10:30"), _thing("noa", "12:11:00")],
        [_thing("noa", "12:11:01"), _thing("kim", "12:09:00")],
    ]
