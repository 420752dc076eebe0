"""The scrapes of an overload are those of a real driver, and 14.7 uses them as they were recorded."""

import json
from itertools import pairwise
from pathlib import Path

from grader.query_metrics import overload_recording
from grader.query_metrics.metrics_endpoint import metrics_endpoint
from grader.query_metrics.overload_recording import ARRIVALS, DRIVERS, SCRAPE_SECONDS, lags, scrape

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = ROOT / "solutions" / "14_operation" / "14.7_overload_alert" / "public.jsonl"


def test_a_scrape_has_the_counter_and_the_lag_by_partition() -> None:
    page = (
        "# TYPE shop_query_input_rows_total counter\n"
        'shop_query_input_rows_total{query="q"} 198.0\n'
        "# TYPE shop_query_lag_records gauge\n"
        'shop_query_lag_records{partition="0",query="q"} 4.0\n'
        'shop_query_lag_records{partition="1",query="q"} 0.0\n'
    )
    with metrics_endpoint(lambda: page) as address:
        assert scrape(address) == {"up": 1, "rows_total": 198, "lag": {"0": 4, "1": 0}}
    assert scrape(address) == {"up": 0}


def test_a_repeated_batch_has_no_lag() -> None:
    source = {"latestOffset": {"clicks": {"0": 9, "1": 5}}, "endOffset": {"clicks": {"0": 7}}}
    assert lags({"sources": [source]}) == {"0": 2, "1": 5}
    assert lags({"sources": [{**source, "latestOffset": None}]}) == {}


def test_the_plan_has_scrapes_without_a_driver_and_a_restart_with_a_higher_limit() -> None:
    (first, stop, low), (start, end, high) = DRIVERS
    assert (first, end) == (0.0, ARRIVALS[-1][0])
    assert start - stop > 2 * SCRAPE_SECONDS
    assert low < ARRIVALS[1][1] < high < ARRIVALS[3][1]


def test_the_check_of_14_7_has_the_recording_from_end_to_end() -> None:
    calls = [json.loads(line) for line in PUBLIC.read_text(encoding="utf-8").splitlines()]
    (whole,) = [c["value"]["scrapes"] for c in calls if c["note"].startswith("the whole recording")]
    assert {b["time"] - a["time"] for a, b in pairwise(whole)} == {SCRAPE_SECONDS}
    known = {scrape["time"]: scrape for scrape in whole}
    recorded = [c for c in calls if c["note"].startswith("recorded")]
    assert len(recorded) >= 10
    for call in recorded:
        assert [known[s["time"]] for s in call["value"]["scrapes"]] == call["value"]["scrapes"]
    assert overload_recording.__doc__ and "14.7" in overload_recording.__doc__
