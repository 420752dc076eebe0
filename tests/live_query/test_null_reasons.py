"""Why every field of from_json is null, read from a raw value and the schema alone."""

import json
from typing import Any

import pytest

from grader.live_query.null_reasons import null_columns
from grader.live_query.observation import Observation, Sample

SCHEMA = {
    "type": "struct",
    "fields": [
        {"name": "user_id", "type": "string"},
        {"name": "amount", "type": "integer"},
        {"name": "sent", "type": "timestamp"},
    ],
}
WHOLE = {"user_id": "ann", "amount": 5, "sent": "2026-03-01T12:00:00Z"}


def text_of(value: Any, *empty: str) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    fields = ("user_id", "amount", "sent")
    sample = Sample(3, 3, values=(raw,), columns=fields, empty=empty or fields, schema=SCHEMA)
    reason = null_columns(Observation(active=True, samples={"sales": sample}))
    return reason.text() if reason is not None else ""


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (b"\x00\x00\x00\x01\x00" + json.dumps(WHOLE).encode(), ["five bytes", "256", "the JSON"]),
        (b"\x00\x00\x00\x00\x02\x06ann\x0a", ["five bytes", "Avro or Protobuf"]),
        (b"\x1f\x8b\x08\x00 and so on", ["gzip"]),
        (b"\xff\xfe\x41", ["binary data"]),
        (b"{'user_id': 'ann'}", ["not JSON", "double quotes"]),
        (json.dumps(WHOLE), ["encoded twice"]),
        ([WHOLE], ["JSON array", "explode"]),
        (7, ["the JSON int", "not an object"]),
        (
            {"before": None, "after": WHOLE, "op": "u"},
            ["`after.user_id`", "after STRUCT<user_id …>"],
        ),
        ({"data": {"row": WHOLE}}, ["`data.row.user_id`"]),
        ({"USER_ID": "ann"}, ["`USER_ID`", "upper and lower case"]),
        ({"userId": "ann"}, ["`userId`", "no such field"]),
        ({"color": "red"}, ["no field `user_id`; it has `color`"]),
    ],
)
def test_the_raw_value_says_why_the_fields_are_null(value: Any, said: list[str]) -> None:
    text = text_of(value)
    for words in (
        *said,
        "A value as it is in the topic: ",
        "In all of 3 records sampled from sales",
    ):
        assert words in text, text


def test_a_value_of_another_type_is_shown_beside_the_type_of_the_schema() -> None:
    text = text_of({**WHOLE, "sent": "1.3.2026 12:00"}, "sent")
    assert '`sent` is "1.3.2026 12:00" in the value, and the schema says TIMESTAMP' in text
    assert "`amount` is" not in text
    assert "cast it afterward" in text_of({**WHOLE, "amount": "5 EUR"}, "amount")


def test_what_is_null_in_the_topic_too_is_no_cause() -> None:
    assert not text_of({**WHOLE, "amount": None}, "amount")
    assert not text_of(WHOLE, "user_id")


def test_what_is_parsed_in_another_way_is_shown_as_it_is_in_the_topic() -> None:
    sample = Sample(2, 2, values=(b"a;1",), columns=("page", "n"), empty=("page", "n"))
    reason = null_columns(Observation(active=True, samples={"sales": sample}))
    assert reason is not None and "a;1" in reason.text() and "`page`, `n` are null" in reason.text()
