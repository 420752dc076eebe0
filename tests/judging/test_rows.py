"""Rows are compared as a fair teacher would."""

from typing import Any

import pytest

from grader.judging.rows import compare, normal_rows, same
from grader.judging.schema import schema_faults
from grader.judging.wording.fault_text import schema_text
from grader.judging.wording.value_text import value_text

WINDOW = {
    "type": "struct",
    "fields": [{"name": "start", "type": "timestamp"}, {"name": "end", "type": "timestamp"}],
}
SCHEMA = [
    {"name": "page", "type": "string"},
    {"name": "window", "type": WINDOW},
    {"name": "clicks", "type": "long"},
    {"name": "share", "type": "double"},
]


def row(**changes: Any) -> dict[str, Any]:
    start, end = "2026-03-01T12:00:00Z", "2026-03-01T12:05:00Z"
    return {
        "page": "home",
        "window": {"start": start, "end": end},
        "clicks": 2,
        "share": 0.5,
        **changes,
    }


def differ(wanted: list[dict[str, Any]], got: list[dict[str, Any]]) -> Any:
    return compare(normal_rows(wanted, SCHEMA), normal_rows(got, SCHEMA))


@pytest.mark.parametrize(
    ("name", "got"),
    [
        (
            "column names in another case",
            {"PAGE": "home", **{k: v for k, v in row().items() if k != "page"}},
        ),
        ("a float that differs in its last digit", row(share=0.1 + 0.4 + 1e-16)),
        ("a whole number written as a float", row(clicks=2.0)),
        (
            "the same instant in another time zone",
            row(
                window={
                    "start": "2026-03-01T13:00:00+01:00",
                    "end": "2026-03-01T13:05:00.000000+01:00",
                }
            ),
        ),
    ],
)
def test_what_a_fair_teacher_lets_pass(name: str, got: dict[str, Any]) -> None:
    assert not differ([row()], [got]), name


@pytest.mark.parametrize(
    "got",
    [
        row(page="Home"),
        row(clicks=3),
        row(clicks=None),
        row(share=0.5000001),
        row(window={"start": "2026-03-01T12:00:00+01:00", "end": "2026-03-01T12:05:00+01:00"}),
    ],
)
def test_what_is_a_difference(got: dict[str, Any]) -> None:
    assert differ([row()], [got])


def test_row_order_does_not_matter_and_repeats_do() -> None:
    one, two = row(), row(page="shoes")
    assert not differ([one, two], [two, one])
    assert differ([one], [one, one]).unexpected == normal_rows([one], SCHEMA)
    assert differ([one, one], [one]).missing == normal_rows([one], SCHEMA)


def test_a_row_with_one_wrong_value_is_told_as_such() -> None:
    difference = differ([row(clicks=2)], [row(clicks=3)])
    assert [(a["clicks"], b["clicks"]) for a, b in difference.wrong] == [(2, 3)]
    assert not difference.missing
    assert not difference.unexpected


def test_null_equals_null_and_nan_equals_nan_but_not_each_other() -> None:
    assert same(None, None)
    assert same("NaN", "NaN")
    assert not same(None, "NaN")
    assert not same(True, 1)
    assert not same(17_999_800_000, 17_999_800_001)
    assert same(17_999_800_000, 17_999_800_000.5)


@pytest.mark.parametrize(
    ("kind", "fits"),
    [
        ("integer", True),
        ("decimal(10,2)", True),
        ("double", True),
        ("string", False),
        ("boolean", False),
    ],
)
def test_a_number_of_any_width_is_a_number(kind: str, fits: bool) -> None:
    wanted = [{"name": "clicks", "type": "long"}]
    assert (not schema_faults(wanted, [{"name": "Clicks", "type": kind}])) is fits


def test_lists_that_are_all_empty_fit_every_list() -> None:
    def kind(element: str) -> list[dict[str, Any]]:
        return [{"name": "times", "type": {"type": "array", "elementType": element}}]

    number = [{"name": "times", "type": "double"}]
    assert not schema_faults(kind("double"), kind("void"))
    assert not schema_faults(kind("void"), kind("string"))
    assert schema_faults(kind("double"), kind("string"))
    assert schema_faults(number, kind("void"))


def test_a_missing_column_is_named_with_those_that_there_are() -> None:
    url = {"name": "url", "type": "string"}
    fields = {"faults": schema_faults(SCHEMA[:1], [url]), "got": ["url"]}
    assert schema_text(fields).startswith("column `page` is missing (there are: url)")


def test_a_column_that_nobody_asked_for_is_named() -> None:
    faults = schema_faults(SCHEMA[:1], [*SCHEMA[:1], {"name": "url", "type": "string"}])
    assert faults == [{"fault": "spare", "column": "url"}]
    assert "no column `url`" in schema_text({"faults": faults})


def test_a_window_in_place_of_its_start_is_told_with_its_fields() -> None:
    faults = schema_faults(
        [{"name": "hour", "type": "timestamp"}], [{"name": "hour", "type": WINDOW}]
    )
    assert "`hour.start` and `hour.end`" in schema_text({"faults": faults})


def test_a_wrong_row_is_paired_with_the_nearest_one() -> None:
    wanted = [row(clicks=4, share=0.5), row(clicks=9, share=0.9)]
    difference = differ(wanted, [row(clicks=9, share=0.8), row(clicks=4, share=0.4)])
    assert [(a["clicks"], b["clicks"]) for a, b in difference.wrong] == [(4, 4), (9, 9)]


def test_records_that_share_only_their_topic_are_not_paired() -> None:
    wanted = [{"topic": "dead", "key": None, "value": ""}]
    got = [{"topic": "dead", "key": None, "value": {"event_id": "e10"}}]
    assert not compare(wanted, got).wrong


def test_a_record_in_the_wrong_topic_is_paired_with_itself() -> None:
    value = {"event_id": "e1", "page": "/"}
    wanted = [{"topic": "dead", "key": None, "value": value}]
    got = [{"topic": "valid", "key": None, "value": value}]
    assert len(compare(wanted, got).wrong) == 1


def test_records_of_one_window_are_paired_and_those_of_two_are_not() -> None:
    hour = {"start": "2026-03-01T09:00:00Z", "end": "2026-03-01T10:00:00Z"}
    next_hour = {"start": "2026-03-01T10:00:00Z", "end": "2026-03-01T11:00:00Z"}
    wanted = [{"topic": "hours", "key": None, "value": {"window": hour, "minutes": 5, "best": 2.5}}]
    for window, pairs in ((hour, 1), (next_hour, 0)):
        value = {"window": window, "minutes": 4, "best": 2.5}
        difference = compare(wanted, [{"topic": "hours", "key": None, "value": value}])
        assert len(difference.wrong) == pairs


def test_of_a_row_that_came_too_often_the_later_is_too_many() -> None:
    first, second = row(), row()
    assert compare([row()], [first, second]).unexpected[0] is second


@pytest.mark.parametrize(
    ("value", "shown"),
    [("", "''"), (None, "null"), (" a", "' a'"), (True, "true"), (2.0, "2.0"), ("/", "/")],
)
def test_every_value_can_be_read(value: Any, shown: str) -> None:
    assert value_text(value) == shown


def test_a_text_where_a_time_is_due_is_compared_as_it_is() -> None:
    schema = [{"name": "left", "type": "timestamp"}]
    assert normal_rows([{"left": "INTERVAL '0 00:05:00'"}], schema) == [
        {"left": "INTERVAL '0 00:05:00'"}
    ]


@pytest.mark.parametrize(
    "ends", [("12:00", "12:05"), (None, None), ("2026-03-01T12:00:00Z", None), (1, 2)]
)
def test_a_struct_of_start_and_end_that_are_no_times_is_no_window(ends: tuple[Any, Any]) -> None:
    written = row(window=dict(zip(("start", "end"), ends, strict=True)))
    assert value_text(written["window"]).startswith('{"start"')
    assert differ([row()], [written])
