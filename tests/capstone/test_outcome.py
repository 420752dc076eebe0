"""What the reader of the alarms sees, held to what was sent: on runs that were made up."""

import json
from dataclasses import replace

import pytest

from grader.capstone.outcome import Alarm, Outcome
from grader.capstone.pipeline_process import Batch

SALE, TEA, LATER = ("/sale", 0), ("/tea", 0), ("/sale", 5000)
RUN = Outcome(
    alarms=[
        Alarm("a", "/sale", 0, 5100, 6000),
        Alarm("b", "/tea", 0, 5200, 6000),
        Alarm("a", "/sale", 0, 7000, 11_000),
        Alarm("c", "/sale", 5000, 6000, 11_000),
    ],
    counts={SALE: 7000, TEA: 5200, LATER: 6000, ("/offer/01", 0): 100},
    crossed={SALE: 4000, TEA: 4500, LATER: 9000},
    batches=[Batch(0, 20_000, 1.5, 44, 0)],
    sent=18_300,
    outages=[],
)


def test_the_newest_record_of_each_key_is_what_is_told() -> None:
    assert RUN.reported() == {SALE: 7000, TEA: 5200, LATER: 6000}
    assert RUN.differences() == []
    assert RUN.repeated() == 0


def test_an_alarm_that_is_missing_is_named() -> None:
    without = replace(RUN, alarms=[alarm for alarm in RUN.alarms if alarm.page != "/tea"])
    assert without.differences() == ["/tea, 00:00:00: 5200 sent, nothing told"]
    assert "differs: /tea" in without.text()


def test_a_count_that_is_too_low_is_named() -> None:
    low = replace(RUN, alarms=RUN.alarms[:2] + RUN.alarms[3:])
    assert low.differences() == ["/sale, 00:00:00: 7000 sent, 5100 told"]


def test_an_alarm_for_a_page_below_the_limit_is_named() -> None:
    invented = Alarm("d", "/offer/01", 0, 5001, 12_000)
    found = replace(RUN, alarms=[*RUN.alarms, invented]).differences()
    assert found == ["/offer/01, 00:00:00: not over the limit sent, 5001 told"]


def test_what_a_retry_wrote_again_is_counted_and_does_no_harm() -> None:
    again = replace(RUN, alarms=[*RUN.alarms[:2], *RUN.alarms[:2], *RUN.alarms[2:]])
    assert again.repeated() == 2
    assert again.differences() == []


def test_two_pages_under_one_key_hide_one_of_them() -> None:
    one_key = replace(RUN, alarms=[replace(alarm, key="k") for alarm in RUN.alarms])
    assert len(one_key.differences()) == 2


def test_latency_is_from_the_click_over_the_limit_to_the_first_alarm() -> None:
    assert RUN.latencies().at(100) == 2000
    assert RUN.latencies().at(1) == 1500
    assert RUN.latencies().count == 3


def test_alarms_across_a_kill_are_in_no_percentile_unless_asked_for() -> None:
    killed = replace(RUN, outages=[(8000, 10_500)])
    assert killed.latencies().count == 2
    assert killed.latencies(undisturbed=False).count == 3
    assert "(2 alarms, none across a kill)" in killed.text()


def test_a_run_without_an_undisturbed_alarm_says_that_it_has_no_latency() -> None:
    killed = replace(RUN, outages=[(0, 20_000)])
    assert killed.latencies().count == 0
    assert "no figure, as no alarm came outside of a kill" in killed.text()


def test_the_text_tells_records_from_alarms_and_the_longest_batch_from_the_others() -> None:
    batches = [Batch(n, 1000 * n, seconds, 44, n) for n, seconds in enumerate((0.5, 9.0, 1.5))]
    text = replace(RUN, batches=batches).text()
    assert "4 records in the topic of alarms, for 3 pages and windows; 0 of them" in text
    assert "3 batches, half of them within 1.5 s; the longest 9.0 s with 1,000 records" in text
    assert "44 counts in state, 3 rows too late" in text


@pytest.mark.parametrize("start", ["2026-03-01T12:00:05.000Z", "2026-03-01T12:00:05Z"])
def test_an_alarm_is_read_from_its_record(start: str) -> None:
    value = json.dumps({"page": "/sale", "start": start, "clicks": 5001}).encode()
    assert Alarm.of(b"k", value, 7) == Alarm("k", "/sale", 1772366405000, 5001, 7)
