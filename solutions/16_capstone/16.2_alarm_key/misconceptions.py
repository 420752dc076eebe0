"""Keys that make a retry look like a new alarm, or a new alarm like a retry."""

import uuid

ALARMS = uuid.uuid5(uuid.NAMESPACE_URL, "https://shop.example/alarms")


def by_chance(page: str, start: int, clicks: int) -> str:
    """Random key

    Your function returned two keys for the same alarm. After a kill the micro-batch is written again, and
    readers could not see that these are the same alarms. From which values can the key be calculated?
    """
    return str(uuid.uuid4())


def a_key_for_each_count(page: str, start: int, clicks: int) -> str:
    """Count in the key

    When the count of a page grows from 5,001 to 6,400 in the same window, its key changes. A reader that keeps
    the newest record of each key would show two alarms. Which arguments say *which* alarm it is?
    """
    return str(uuid.uuid5(ALARMS, f"{page} {start} {clicks}"))


def one_key_for_the_page(page: str, start: int, clicks: int) -> str:
    """Window missing in the key

    Two windows of one page have the same key. A reader that keeps the newest record of each key loses the
    earlier alarm. Which arguments say *which* alarm it is?
    """
    return str(uuid.uuid5(ALARMS, page))


def one_key_for_the_window(page: str, start: int, clicks: int) -> str:
    """Page missing in the key

    Two pages in the same window have the same key. A reader that keeps the newest record of each key sees only
    one of them. Which arguments say *which* alarm it is?
    """
    return str(uuid.uuid5(ALARMS, str(start)))


def run_together(page: str, start: int, clicks: int) -> str:
    """No separator between page and start

    A page that ends in a digit and a page without that digit have the same key, because nothing separates page
    and start. Which character does the task put between them?
    """
    return str(uuid.uuid5(ALARMS, f"{page}{start}"))


def in_another_namespace(page: str, start: int, clicks: int) -> str:
    """Different namespace

    Each alarm has its own key, and the same one in each call. But these are not the keys that other programs of
    the shop calculate, because the namespace is a part of the UUID. Which namespace does the task name?
    """
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{page} {start}"))


def no_uuid_but_text(page: str, start: int, clicks: int) -> str:
    """Key that is not a UUID

    Page and start identify an alarm too, and are easier to read. But the task requires a UUID, which has the
    same length for every page. Which function makes a UUID of a namespace and a name?
    """
    return f"{page} {start}"


def a_uuid_and_no_text(page: str, start: int, clicks: int) -> uuid.UUID:
    """UUID object instead of a string

    Each key is the right UUID, but a Python object. A key for Kafka is a string. Which function converts it?
    """
    return uuid.uuid5(ALARMS, f"{page} {start}")


def page_in_lower_case(page: str, start: int, clicks: int) -> str:
    """Page changed to lower case

    `/SALE` and `/sale` have the same key. They are different pages, and one alarm would replace the other. Does
    your function change the page before it makes the name?
    """
    return str(uuid.uuid5(ALARMS, f"{page.lower()} {start}"))


def page_stripped(page: str, start: int, clicks: int) -> str:
    """Spaces removed from the page

    `/tea` and `/tea` with a space at the end have the same key. The task uses the page unchanged. Does your
    function change the page before it makes the name?
    """
    return str(uuid.uuid5(ALARMS, f"{page.strip()} {start}"))
