"""Things with which a cart is given up at another moment, or not at all."""

Steps = list[list[dict[str, object]]]


def _thing(customer: str, time: str, price: float = 12.0) -> dict[str, object]:
    return {"customer": customer, "price": price, "time": time}


def no_delay_reckoned_with() -> Steps:
    """The watermark is a minute short

    It stood at 12:09:00 after step 2 and at 12:09:01 after step 3. The watermark is a minute behind the newest
    thing so far.
    """
    return [
        [_thing("mia", "12:00:00")],
        [_thing("noa", "12:10:00")],
        [_thing("noa", "12:10:01"), _thing("kim", "12:09:00")],
    ]


def given_up_too_early() -> Steps:
    """Given up in step 2

    A cart was given up in step 2, and none in step 3. The watermark of 12:10:00 had passed its timeout. A timeout that
    is only reached has not passed.
    """
    return [
        [_thing("mia", "11:59:59")],
        [_thing("noa", "12:11:00")],
        [_thing("noa", "12:11:01"), _thing("kim", "12:09:00")],
    ]


def not_given_up() -> Steps:
    """No cart given up in step 3

    The watermark stands where it should in both steps, and no cart was given up in step 3. Which cart has a timeout
    that 12:10:01 has passed and 12:10:00 has only reached? And does nothing in time fill it once more?
    """
    return [
        [_thing("mia", "12:00:01")],
        [_thing("noa", "12:11:00")],
        [_thing("noa", "12:11:01"), _thing("kim", "12:09:00")],
    ]


def nothing_dropped() -> Steps:
    """Nothing was dropped in step 3

    The cart was given up to the second, and nothing was dropped in step 3. What came in step 3 was newer than the watermark
    that step 2 had left, 12:10:00. The thing that is too late has to come in that very step.
    """
    return [
        [_thing("mia", "12:00:00")],
        [_thing("noa", "12:11:00")],
        [_thing("noa", "12:11:01"), _thing("kim", "12:10:01")],
    ]


def cart_filled_anew() -> Steps:
    """Nothing dropped and nothing given up in step 3

    Both watermarks are right; nothing was dropped in step 3, and nothing given up. If a thing of that step belongs to the
    cart, it was in time: the function sees it before timeouts are looked at, and sets a new one. If none does: which
    timeout has 12:10:01 passed and 12:10:00 only reached? And which time is too late by then?
    """
    return [
        [_thing("mia", "12:00:00")],
        [_thing("noa", "12:11:00")],
        [_thing("mia", "12:10:30"), _thing("noa", "12:11:01")],
    ]


def closed_in_one_leap() -> Steps:
    """Given up, but not to the second

    A cart was given up in step 3. The watermark stood at 12:20:00 then, and would have passed the timeout of a cart that
    was filled much later, too.
    """
    return [
        [_thing("mia", "12:00:00")],
        [_thing("noa", "12:11:00")],
        [_thing("noa", "12:21:00"), _thing("kim", "12:09:00")],
    ]
