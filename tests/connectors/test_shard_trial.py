"""The trial of a reader of a shard: each word of `answers` does what it says."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from grader.connectors import shard_trial
from grader.connectors.shard_trial import CALLS, REFUSED_CALLS, on_a_shard


def once(kinesis: Any, stream: str, shard: str, after: str | None, until: str | None) -> Any:
    """One call: the records of its answer."""
    return kinesis.get_records(ShardIterator=first(kinesis, stream, shard))["Records"]


def first(kinesis: Any, stream: str, shard: str) -> str:
    where = {"StreamName": stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
    return str(kinesis.get_shard_iterator(**where)["ShardIterator"])


def until_the_end(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[dict[str, Any]]:
    iterator: str | None = first(kinesis, stream, shard)
    while iterator:
        answer = kinesis.get_records(ShardIterator=iterator)
        yield from answer["Records"]
        iterator = answer.get("NextShardIterator")


@pytest.mark.parametrize(
    ("answers", "read", "ended"),
    [
        ("", ["r1", "r2"], "well"),
        ("3", ["r1", "r2", "r3"], "well"),
        ("empty", [], "well"),
        ("throttled", [], "ProvisionedThroughputExceededException"),
        ("expired", [], "ExpiredIteratorException"),
    ],
)
def test_an_answer_is_as_it_is_named(answers: str, read: list[str], ended: str) -> None:
    came = on_a_shard(once, records=4, after=0, until=4, answers=answers)
    assert came == {"read": read, "ended": ended}


def test_what_is_no_records_is_said() -> None:
    def read_shard(*asked: Any) -> Any:
        return None

    with pytest.raises(TypeError, match="read_shard returned None: give records"):
        on_a_shard(read_shard, records=4, after=0, until=4)


def test_after_an_empty_answer_the_reading_goes_on() -> None:
    came = on_a_shard(until_the_end, records=4, after=0, until=None, answers="1 empty 9")
    assert came == {"read": ["r1", "r2", "r3", "r4"], "ended": "well"}


def test_a_closed_shard_has_an_end_also_where_there_is_a_number_to_read_to() -> None:
    came = on_a_shard(until_the_end, records=4, after=0, until=4, closed=True)
    assert came == {"read": ["r1", "r2", "r3", "r4"], "ended": "well"}


def test_sequence_numbers_get_longer_and_are_understood_as_they_are_told() -> None:
    told: list[str | None] = []

    def the_next(kinesis: Any, stream: str, shard: str, after: str, until: str) -> Any:
        where = {"StreamName": stream, "ShardId": shard, "StartingSequenceNumber": after}
        kind = "AFTER_SEQUENCE_NUMBER"
        found = kinesis.get_shard_iterator(**where, ShardIteratorType=kind)["ShardIterator"]
        records = kinesis.get_records(ShardIterator=found, Limit=2)["Records"]
        told.extend([after, *(record["SequenceNumber"] for record in records), until])
        return records

    came = on_a_shard(the_next, records=5, after=1, until=3, longer_from=3)
    assert came == {"read": ["r2", "r3"], "ended": "well"}
    r1, r2, r3, until = (int(number or 0) for number in told)
    assert r1 < r2 < 10**55 == r3 == until


def test_an_iterator_that_is_too_old_stays_so() -> None:
    def stubborn(kinesis: Any, stream: str, shard: str, after: str, until: str) -> Any:
        iterator = first(kinesis, stream, shard)
        for _ in range(3):
            with pytest.raises(kinesis.exceptions.ExpiredIteratorException):
                kinesis.get_records(ShardIterator=iterator)
        return once(kinesis, stream, shard, after, until)

    came = on_a_shard(stubborn, records=4, after=0, until=4, answers="expired 1")
    assert came == {"read": ["r1"], "ended": "well"}


def test_who_waits_is_answered_and_who_does_not_is_stopped() -> None:
    def asking_every(seconds: float, wait: Any = time.sleep) -> Any:
        def reader(kinesis: Any, stream: str, shard: str, after: str, until: str) -> Any:
            while True:
                try:
                    return once(kinesis, stream, shard, after, until)
                except kinesis.exceptions.ProvisionedThroughputExceededException:
                    wait(seconds)

        return reader

    case = {"records": 4, "after": 0, "until": 4, "answers": "throttled 1"}
    assert on_a_shard(asking_every(0.2), **case) == {"read": ["r1"], "ended": "well"}
    hasty = on_a_shard(asking_every(0), **case)
    assert hasty["ended"].startswith(f"refused {REFUSED_CALLS} times")
    # who sleeps by another name is believed as well, and who hesitates once is not
    by_event = on_a_shard(asking_every(0.1, Event().wait), **case)
    assert by_event == {"read": ["r1"], "ended": "well"}
    once_long = iter([0.5])
    hesitating = on_a_shard(asking_every(0, lambda _: Event().wait(next(once_long, 0))), **case)
    assert hesitating["ended"].startswith(f"refused {REFUSED_CALLS} times")


def test_on_a_busy_machine_who_does_not_wait_is_stopped_as_well() -> None:
    """What another thread takes away between two calls is no patience of the reader's."""
    done = Event()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: [sum(range(1000)) for _ in iter(done.is_set, True)])

        def reader(kinesis: Any, stream: str, shard: str, after: str, until: str) -> Any:
            while True:
                try:
                    return once(kinesis, stream, shard, after, until)
                except kinesis.exceptions.ProvisionedThroughputExceededException:
                    time.sleep(0)

        try:
            ended = on_a_shard(reader, records=4, after=0, until=4, answers="throttled 1")["ended"]
        finally:
            done.set()
    assert ended.startswith(f"refused {REFUSED_CALLS} times")


def test_who_never_ends_is_stopped() -> None:
    came = on_a_shard(until_the_end, records=4, after=0, until=4)
    assert came == {"read": [], "ended": f"not after {CALLS} calls"}


def test_the_first_trials_of_a_process_may_come_all_at_once() -> None:
    shard_trial._server.cache_clear()
    shard_trial._shard_with.cache_clear()
    with ThreadPoolExecutor(3) as pool:
        trials = [pool.submit(on_a_shard, once, records=3, after=0, until=3) for _ in range(3)]
    assert [trial.result() for trial in trials] == 3 * [{"read": ["r1", "r2"], "ended": "well"}]


def test_an_empty_function_is_no_attempt() -> None:
    def untouched(*given: Any) -> Any:
        raise NotImplementedError

    with pytest.raises(NotImplementedError):
        on_a_shard(untouched, records=4, after=0, until=4)
