"""The shop's streams are readable, small, and hold every trap that the data dictionary names."""

from pathlib import Path

import pytest

from grader.scenario import read_scenario

DATASETS = Path(__file__).parents[2] / "datasets"
STREAMS = {
    "page_clicks.jsonl": {"clicks"},
    "orders.jsonl": {"orders"},
    "ad_impressions_and_clicks.jsonl": {"impressions", "clicks"},
}
RECORDINGS = {
    "order_changes.jsonl",
    "registered_orders.jsonl",
    "avro_orders.jsonl",
    "schema_versions.jsonl",
}


def test_the_data_dictionary_names_every_file():
    dictionary = (DATASETS / "README.md").read_text(encoding="utf-8")
    for path in DATASETS.glob("*.jsonl"):
        assert f"## {path.name}" in dictionary
        assert path.name in {*STREAMS, *RECORDINGS}


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_is_small_and_has_late_disordered_duplicate_and_malformed_events(name):
    scenario = read_scenario(DATASETS / name)
    assert scenario.inputs() == STREAMS[name]
    assert 20 <= len(scenario.events) <= 60
    kinds = {event.note.split(":")[0] for event in scenario.events}
    assert {"late", "out of order", "duplicate", "malformed", "on the edge", "closing"} <= kinds
