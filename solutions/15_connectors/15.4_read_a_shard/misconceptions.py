"""Ways to lose records of a shard, or to return them twice."""

import time
from collections.abc import Iterator
from typing import Any

Record = dict[str, Any]


def _iterator(kinesis: Any, stream: str, shard: str, kind: str, number: str | None) -> str:
    asked = {"ShardIteratorType": kind, "StartingSequenceNumber": number}
    if number is None:
        asked = {"ShardIteratorType": "TRIM_HORIZON"}
    if kind == "LATEST":
        asked = {"ShardIteratorType": kind}
    found = kinesis.get_shard_iterator(StreamName=stream, ShardId=shard, **asked)
    return str(found["ShardIterator"])


def _read(
    kinesis: Any,
    stream: str,
    shard: str,
    after: str | None,
    until: str | None,
    *,
    first: str = "AFTER_SEQUENCE_NUMBER",
    again: str = "AFTER_SEQUENCE_NUMBER",
    from_the_start: bool = False,
    patient: bool = True,
    wait: float = 0.1,
    renews: bool = True,
    throttled_ends: bool = False,
    empty_ends: bool = False,
    cuts: bool = True,
    inclusive: bool = True,
    by_equality: bool = False,
    looks_before: bool = True,
    sees_the_end: bool = True,
    number_of: Any = int,
) -> Iterator[Record]:
    """A reader with one step of it otherwise."""
    last = after
    if looks_before and None not in (after, until) and number_of(after) >= number_of(until):
        return
    iterator = _iterator(kinesis, stream, shard, first, after)
    while True:
        try:
            answer = kinesis.get_records(ShardIterator=iterator)
        except kinesis.exceptions.ExpiredIteratorException:
            if not renews:
                raise
            iterator = _iterator(kinesis, stream, shard, again, after if from_the_start else last)
            continue
        except kinesis.exceptions.ProvisionedThroughputExceededException:
            if throttled_ends:
                return
            if not patient:
                raise
            time.sleep(wait)
            continue
        for record in answer["Records"]:
            number = number_of(record["SequenceNumber"])
            end = number_of(until) if until is not None and cuts and not by_equality else None
            if end is not None and (number > end or (number == end and not inclusive)):
                return
            last = record["SequenceNumber"]
            yield record
            if not looks_before and last == until:
                return
        if looks_before and None not in (last, until) and number_of(last) >= number_of(until):
            return
        if empty_ends and not answer["Records"]:
            return
        iterator = answer.get("NextShardIterator")
        if iterator is None and sees_the_end:
            return


def stops_at_empty(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """End at an empty answer

    Records after an empty answer are missing. Kinesis searches a part of the shard for each call, and may find
    nothing in it although more follows. Which field is missing in the last answer of a shard?
    """
    return _read(kinesis, stream, shard, after, until, empty_ends=True)


def begins_again(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Restart from the beginning after an expired iterator

    After the iterator expired, records came a second time, from where the reading began. After which record
    should the new iterator begin?
    """
    return _read(kinesis, stream, shard, after, until, from_the_start=True)


def the_last_one_twice(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Iterator at the last record instead of after it

    After the iterator expired, the last record came again. `AT_SEQUENCE_NUMBER` begins with the record of that
    number. Which type begins after it?
    """
    return _read(kinesis, stream, shard, after, until, again="AT_SEQUENCE_NUMBER")


def the_first_one_twice(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """First record of the range repeated

    The record with number `after` was returned first, but it belongs to the previous micro-batch.
    `AT_SEQUENCE_NUMBER` begins with the record of that number. Which type begins after it?
    """
    return _read(kinesis, stream, shard, after, until, first="AT_SEQUENCE_NUMBER")


def whole_answers(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Records beyond `until`

    Records after `until` were returned: those of the same answer. The next micro-batch begins after `until` and
    reads them again. A micro-batch that runs again must be the same, whatever has arrived since. Where do you
    compare each record with `until`?
    """
    return _read(kinesis, stream, shard, after, until, cuts=False)


def until_left_out(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Record at `until` missing

    The record with number `until` is missing. The next micro-batch begins after it, so it is never read. Is the
    end of the range inclusive?
    """
    return _read(kinesis, stream, shard, after, until, inclusive=False)


def no_patience(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """No retry after a refused call

    The reading ended with `ProvisionedThroughputExceededException`, or gave up after a few attempts. Nothing is
    wrong: other consumers made the five calls of this second. How often can a call be refused before an answer
    comes?
    """
    return _read(kinesis, stream, shard, after, until, patient=False)


def asks_at_once(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Retry without a wait

    Call after call was refused, with no time between them or hardly any. The five calls of this second are used
    up. How long do you wait before the next call? A tenth of a second is enough.
    """
    return _read(kinesis, stream, shard, after, until, wait=0)


def refused_is_the_end(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """End at a refused call

    Records after a refused call are missing, without any error. The query would store `until` as its offset and
    never read them. What should happen after a refusal?
    """
    return _read(kinesis, stream, shard, after, until, throttled_ends=True)


def only_what_is_new(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """New iterator at `LATEST`

    After the iterator expired, no more records came, although more are there. `LATEST` begins after the newest
    record of the shard. Where was your reading when the iterator expired?
    """
    return _read(kinesis, stream, shard, after, until, again="LATEST")


def one_iterator_for_ever(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Expired iterator not renewed

    The reading ended with `ExpiredIteratorException`. An iterator is valid for five minutes; a sequence number
    is valid as long as its record is kept. From which number can you get a new iterator?
    """
    return _read(kinesis, stream, shard, after, until, renews=False)


def waits_for_until(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Empty range not detected

    If `until` equals `after`, nothing should be read. This reading goes past `until`, and never ends. A shard
    without new records has such a range. Which comparison comes before the first call?
    """
    return _read(kinesis, stream, shard, after, until, by_equality=True, looks_before=False)


def waits_for_something_newer(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Wait for a newer record in an empty range

    If `until` equals `after` and the shard has nothing newer, this reading calls forever: only a newer record
    would end it. Which comparison comes before the first call?
    """
    return _read(kinesis, stream, shard, after, until, looks_before=False)


def past_the_end(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Call without an iterator after the end

    The reading of a closed shard ended with an error, because it called without an iterator. The last answer of
    a closed shard has no `NextShardIterator`. What does that say about the shard?
    """
    return _read(kinesis, stream, shard, after, until, sees_the_end=False)


def compared_as_text(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Sequence numbers compared as strings

    Records are missing where the numbers of the shard get one digit longer. As strings, "1000" is smaller than
    "999". What type do you need to compare sequence numbers?
    """
    return _read(kinesis, stream, shard, after, until, number_of=str)
