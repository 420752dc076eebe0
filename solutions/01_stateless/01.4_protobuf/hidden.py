import base64
import random

from grader.scenario import Event, Scenario


def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; the top bit says that more follow."""
    found = b""
    while number > 0x7F:
        found += bytes([number & 0x7F | 0x80])
        number >>= 7
    return found + bytes([number])


def _text(field: int, text: str) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(text.encode())) + text.encode()


def _number(field: int, number: int) -> bytes:
    return _varint(field << 3) + _varint(number)


def hidden(random: random.Random) -> Scenario:
    """Clicks with and without their fields, optional or not, and bytes that are none."""
    events = []
    for number in range(24):
        event_id = f"h{number}"
        message = _text(1, event_id)
        if random.random() < 0.7:
            message += _text(2, random.choice(["ada", "ben", "zoë"]))
        message += _text(3, random.choice(["/", "/cart", "/früchte"]))
        if random.random() < 0.7:
            message += _number(4, random.choice([0, 900, 64_000]))
        message += _number(5, 1_772_366_400_000 + number * 7_321)
        kind = random.randrange(8)
        if kind == 0:
            message = message[: len(message) // 2] + b"\x0f"
        elif kind == 1:
            message = random.choice([b"{}", b"<html>"])
        if number == 13:
            message = b""  # decodes without a complaint, and says nothing
        value = {"base64": base64.b64encode(message).decode()}
        events.append(Event(1 + number // 8, "clicks", value))
    others = [
        _text(1, "h24") + _text(2, "") + _text(3, "/cart") + _number(5, 1_772_366_600_000),
        _text(1, "h25") + _text(2, "ada") + _number(4, 900) + _number(5, 1_772_366_601_000),
        _text(1, "h26") + _text(2, "ben") + _text(3, "/") + _number(4, 900),
        _text(2, "ada") + _text(3, "/cart") + _number(4, 900) + _number(5, 1_772_366_602_000),
        _number(5, 1_772_366_603_000) + _text(3, "/") + _text(2, "eli") + _text(1, "h28"),
    ]
    notes = [
        "user_id is set, and empty",
        "page is not set",
        "event_ms is not set",
        "malformed: event_id is not set, all else is",
        "the fields in reverse order",
    ]
    for message, note in zip(others, notes, strict=True):
        value = {"base64": base64.b64encode(message).decode()}
        events.append(Event(3, "clicks", value, note=note))
    return Scenario(events)
