"""The recorded messages have what lesson 17 and datasets/README.md say of them."""

import json
import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from grader.authoring.lesson_source import read_lessons
from grader.connectors.change_data.schema_versions import PAIRS
from grader.connectors.order_schemas import SCHEMAS
from grader.scenario import Event, read_scenario

ROOT = Path(__file__).parents[2]
DATASETS = ROOT / "datasets"
EXERCISE = ROOT / "solutions" / "17_tables" / "17.1_order_table"


def changes() -> list[Event]:
    return read_scenario(DATASETS / "order_changes.jsonl").events


def order_of(event: Event) -> int:
    return json.loads(event.key or "")["order_id"]


def test_a_stream_of_changes_has_a_snapshot_all_operations_and_tombstones() -> None:
    found = [event.value and event.value["op"] for event in changes()]
    assert {op: found.count(op) for op in (*"rcud", None)} == {
        "r": 4,
        "c": 6,
        "u": 10,
        "d": 6,
        None: 6,
    }
    assert found[:4] == ["r"] * 4


def test_the_key_of_a_change_is_its_order_and_a_tombstone_follows_its_delete() -> None:
    deleted = set()
    for event in changes():
        if event.value is None:
            assert order_of(event) in deleted
        else:
            assert order_of(event) == (event.value["after"] or event.value["before"])["order_id"]
            if event.value["op"] == "d":
                deleted.add(order_of(event))


def test_a_change_sent_twice_has_one_log_position_and_two_connector_times() -> None:
    sent = defaultdict(list)
    for event in changes():
        if event.value:
            sent[order_of(event), event.value["source"]["lsn"]].append(event)
    twice = [pair for pair in sent.values() if len(pair) == 2]
    assert len(twice) == 8 and max(map(len, sent.values())) == 2
    for first, second in twice:
        assert first.value["after"] == second.value["after"]
        assert first.value["ts_ms"] != second.value["ts_ms"]


def test_neither_arrival_nor_a_time_orders_the_changes_of_a_row() -> None:
    """Only the log position does: of two changes of a row, each other order is wrong for some pair."""
    rows = defaultdict(list)
    for event in changes():
        if event.value:
            source = event.value["source"]
            rows[order_of(event)].append((source["lsn"], source["ts_ms"], event.value["ts_ms"]))
    pairs = [
        (a, b) for row in rows.values() for n, a in enumerate(row) for b in row[n:] if a[0] != b[0]
    ]
    assert any(a[0] > b[0] for a, b in pairs)
    assert any(a[1] == b[1] for a, b in pairs)
    assert any((a[0] < b[0]) != (a[2] < b[2]) for a, b in pairs)


def test_exercise_17_1_has_the_recorded_messages_with_fewer_fields() -> None:
    def fields(event: Event) -> Event:
        if event.value is None:
            return event
        source = {name: event.value["source"][name] for name in ("lsn", "ts_ms")}
        names = ("op", "before", "after", "ts_ms")
        return replace(event, value={**{n: event.value[n] for n in names}, "source": source})

    assert read_scenario(EXERCISE / "public.jsonl").events == [fields(e) for e in changes()]


def test_registered_orders_have_both_schemas_and_every_fault() -> None:
    values = [e.payload() for e in read_scenario(DATASETS / "registered_orders.jsonl").events]
    framed = [v for v in values if v is not None and len(v) >= 5 and v[0] == 0]
    ids = [int.from_bytes(v[1:5], "big") for v in framed]
    assert {number: ids.count(number) for number in ids} == {7: 5, 263: 7, 264: 2, 8: 1}
    assert values.count(None) == 1 and len(values) - len(framed) == 4


def test_avro_orders_have_every_version_and_every_fault() -> None:
    values = [
        bytes.fromhex(e.value["record"])
        for e in read_scenario(DATASETS / "avro_orders.jsonl").events
    ]
    framed = [v for v in values if len(v) >= 5 and v[0] == 0]
    ids = [int.from_bytes(v[1:5], "big") for v in framed]
    assert {number: ids.count(number) for number in SCHEMAS} == {11: 4, 300: 5, 301: 2}
    assert sorted(set(ids) - set(SCHEMAS)) == [302, (1 << 24) + 300]
    assert len(values) - len(framed) == 5


def test_the_recorded_pairs_are_those_that_the_recorder_registers() -> None:
    pairs = read_scenario(DATASETS / "schema_versions.jsonl").events
    assert [(e.value["old"], e.value["new"]) for e in pairs] == [pair[1:] for pair in PAIRS]


def test_the_solution_of_17_4_says_what_the_registry_answered() -> None:
    """The registry names each difference by its place, such as /fields/1/type/fields/0; we name the first field."""
    (source,) = [
        s for x in read_lessons(ROOT / "solutions") for s in x.exercises if s.exercise.id == "17.4"
    ]
    backward = source.solution.function
    for event in read_scenario(DATASETS / "schema_versions.jsonl").events:
        places = re.findall(r"at (/[\w/]+)", event.note)
        assert bool(places) == ("409" in event.note)
        fields = sorted(named(event.value["new"], place) for place in places)
        expected = {"compatible": not fields, "field": fields[0][1] if fields else None}
        assert backward(event.value["old"], event.value["new"]) == expected, event.note


def named(schema: dict, place: str) -> tuple[list[int], str]:
    """The positions and the path of the field at a place in a schema."""
    positions, names = [int(n) for n in re.findall(r"fields/(\d+)", place)], []
    for position in positions:
        field = schema["fields"][position]
        names.append(field["name"])
        schema = field["type"]
    return positions, ".".join(names)
