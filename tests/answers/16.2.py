"""Answers to 16.2: other spellings of the same key, and keys that are others."""

import hashlib
import string
import unicodedata
import urllib.parse
import uuid

ALARMS = uuid.uuid5(uuid.NAMESPACE_URL, "https://shop.example/alarms")


def right_by_format(page: str, start: int, clicks: int) -> str:
    """The name by the percent sign, the text by slicing the URN."""
    return uuid.uuid5(ALARMS, "%s %d" % (page, start)).urn.removeprefix("urn:uuid:")


def right_put_together(page: str, start: int, clicks: int) -> str:
    """The name by plus, the text from the hexadecimal digits."""
    digits = uuid.uuid5(namespace=ALARMS, name=page + " " + str(start)).hex
    return "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])


_KEYS: dict[tuple[str, int], str] = {}


def right_remembered(page: str, start: int, clicks: int) -> str:
    """Remembers keys by page and start; a process that remembers nothing makes the same."""
    if (page, start) not in _KEYS:
        _KEYS[page, start] = str(uuid.uuid5(ALARMS, f"{page} {start}"))
    return _KEYS[page, start]


def right_fields_set_by_hand(page: str, start: int, clicks: int) -> str:
    """SHA-1 of namespace and name, with version and variant put in as bits."""
    hashed = hashlib.sha1(ALARMS.bytes)
    hashed.update(page.encode("utf-8") + b" " + str(int(start)).encode("ascii"))
    number = int.from_bytes(hashed.digest()[:16], "big")
    number &= ~(0xF000 << 64) & ~(0xC000 << 48)
    number |= (5 << 76) | (0x8000 << 48)
    return str(uuid.UUID(int=number))


def right_namespace_written_out(page: str, start: int, clicks: int) -> str:
    """Makes the namespace anew, in the function, by a lambda."""
    name = lambda *parts: " ".join(map(str, parts))  # noqa: E731
    return f"{uuid.uuid5(uuid.UUID(str(ALARMS)), name(page, start))!s}"


def wrong_version_3(page: str, start: int, clicks: int) -> str:
    """uuid3, which is version 3, of MD5."""
    return str(uuid.uuid3(ALARMS, f"{page} {start}"))


def wrong_hash_of_python(page: str, start: int, clicks: int) -> str:
    """Python's own hash: the same within a process, and another in the next one."""
    return str(uuid.UUID(int=hash((page, start)) % 2**128, version=5))


def wrong_another_sign_between(page: str, start: int, clicks: int) -> str:
    """A stroke between page and start, where a space is asked for."""
    return str(uuid.uuid5(ALARMS, f"{page}|{start}"))


def wrong_without_hyphens(page: str, start: int, clicks: int) -> str:
    """The hexadecimal digits alone; `str` puts hyphens between them."""
    return uuid.uuid5(ALARMS, f"{page} {start}").hex


def wrong_page_made_tidy(page: str, start: int, clicks: int) -> str:
    """Takes spaces off the page; it is to be as it is."""
    return str(uuid.uuid5(ALARMS, f"{page.strip()} {start}"))


def wrong_start_first(page: str, start: int, clicks: int) -> str:
    """Start and page, where page and start are asked for."""
    return str(uuid.uuid5(ALARMS, f"{start} {page}"))


def wrong_milliseconds(page: str, start: int, clicks: int) -> str:
    """The start in milliseconds; it is in seconds."""
    return str(uuid.uuid5(ALARMS, f"{page} {start * 1000}"))


def wrong_home_for_an_empty_page(page: str, start: int, clicks: int) -> str:
    """A page that is empty becomes the front page."""
    return str(uuid.uuid5(ALARMS, f"{page or '/'} {start}"))


def wrong_ascii_only(page: str, start: int, clicks: int) -> str:
    """Leaves letters beyond ASCII out."""
    name = f"{page} {start}".encode("ascii", "ignore").decode()
    return str(uuid.uuid5(ALARMS, name))


def wrong_start_as_a_fraction(page: str, start: int, clicks: int) -> str:
    """The start as a float, with a point and a zero."""
    return str(uuid.uuid5(ALARMS, f"{page} {float(start)}"))


_KNOWN: dict[str, str] = {}


def wrong_remembered_by_page(page: str, start: int, clicks: int) -> str:
    """Remembers a page's key in a variable: the next window gets the one of the first."""
    if page not in _KNOWN:
        _KNOWN[page] = str(uuid.uuid5(ALARMS, f"{page} {start}"))
    return _KNOWN[page]


def wrong_percent_in_the_page(page: str, start: int, clicks: int) -> str:
    """The page is part of the format: /sale-50% with a space behind it, or /tea%20time, is no format for a number."""
    return str(uuid.uuid5(ALARMS, (page + " %d") % start))


def wrong_page_unquoted(page: str, start: int, clicks: int) -> str:
    """Makes /tea time of /tea%20time: two pages, one key, and not that of the page as it is."""
    return str(uuid.uuid5(ALARMS, f"{urllib.parse.unquote(page)} {start}"))


def wrong_letters_made_alike(page: str, start: int, clicks: int) -> str:
    """Normalizes letters: a page with u and a diaeresis as two signs (u, U+0308) has the key of the one with ü."""
    return str(uuid.uuid5(ALARMS, f"{unicodedata.normalize('NFC', page)} {start}"))


def wrong_query_cut_off(page: str, start: int, clicks: int) -> str:
    """Takes what is behind a question mark off the page: /search?q=tea and /search?q=jam have one key."""
    return str(uuid.uuid5(ALARMS, f"{page.partition('?')[0]} {start}"))


def wrong_braces_in_the_page(page: str, start: int, clicks: int) -> str:
    """The page is part of a format: /tea{1} or /a{b} is no format for one number, and {{ becomes {."""
    return str(uuid.uuid5(ALARMS, (page + " {}").format(start)))


def wrong_a_dollar_in_the_page(page: str, start: int, clicks: int) -> str:
    """The page is part of a template: /under-$start has the start in it twice, and /$5-sale ends with an error."""
    return str(uuid.uuid5(ALARMS, string.Template(page + " $start").substitute(start=start)))


def wrong_fragment_cut_off(page: str, start: int, clicks: int) -> str:
    """Takes what is behind a # off the page: /tea#green and /tea#black have one key."""
    return str(uuid.uuid5(ALARMS, f"{page.split('#')[0]} {start}"))
