"""Keys by which a retry looks like another alarm, or another alarm like a retry."""

import uuid

ALARMS = uuid.uuid5(uuid.NAMESPACE_URL, "https://shop.example/alarms")


def by_chance(page: str, start: int, clicks: int) -> str:
    """Another key at each try

    Asked twice for the same alarm, your function gave two keys. After a kill the batch is written once more, and
    nobody who reads the topic could tell that these are the same alarms.
    """
    return str(uuid.uuid4())


def a_key_for_each_count(page: str, start: int, clicks: int) -> str:
    """An alarm that grows becomes another one

    When the count of a page goes from 5,001 to 6,400 within the same window, its key changes. A reader who keeps the
    newest record of each key would show both, as if there were two runs on the page.
    """
    return str(uuid.uuid5(ALARMS, f"{page} {start} {clicks}"))


def one_key_for_the_page(page: str, start: int, clicks: int) -> str:
    """The next window takes the place of the last

    Two windows of one page have the same key. Who keeps the newest record of each key loses the alarm before.
    """
    return str(uuid.uuid5(ALARMS, page))


def one_key_for_the_window(page: str, start: int, clicks: int) -> str:
    """One page takes the place of another

    Two pages in the same window have the same key. Who keeps the newest record of each key sees only one of them.
    """
    return str(uuid.uuid5(ALARMS, str(start)))


def run_together(page: str, start: int, clicks: int) -> str:
    """Two alarms whose texts run together

    A page that ends in a digit and another that lacks it came to the same key, as nothing stands between page and
    start. The task puts a space there.
    """
    return str(uuid.uuid5(ALARMS, f"{page}{start}"))


def in_another_namespace(page: str, start: int, clicks: int) -> str:
    """The keys of another namespace

    Each alarm has its own key, and the same one at each try. They are not those that the shop's other programs make
    of page and start: the namespace is part of what a UUID is made from.
    """
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{page} {start}"))


def no_uuid_but_text(page: str, start: int, clicks: int) -> str:
    """A key that is no UUID

    Page and start as they are would tell alarms apart as well, and be read more easily. But the task asks for a UUID,
    which has the same length for any page.
    """
    return f"{page} {start}"


def a_uuid_and_no_text(page: str, start: int, clicks: int) -> uuid.UUID:
    """A UUID that is no text

    Each key is the right UUID, as an object of Python's. A key that goes to Kafka is a text: `str(…)` around it makes
    it one.
    """
    return uuid.uuid5(ALARMS, f"{page} {start}")
