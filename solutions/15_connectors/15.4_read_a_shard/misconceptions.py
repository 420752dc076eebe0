"""Ways to lose records of a shard, or to give them twice."""

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
) -> Iterator[Record]:
    """A reader with one step of it otherwise."""
    last = after
    if looks_before and None not in (after, until) and int(after or 0) >= int(until or 0):
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
            number = int(record["SequenceNumber"])
            end = int(until) if until is not None and cuts and not by_equality else None
            if end is not None and number > end - (not inclusive):
                return
            last = record["SequenceNumber"]
            yield record
            if not looks_before and last == until:
                return
        if looks_before and None not in (last, until) and int(last or 0) >= int(until or 0):
            return
        if empty_ends and not answer["Records"]:
            return
        iterator = answer.get("NextShardIterator")
        if iterator is None and sees_the_end:
            return


def stops_at_empty(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """An empty answer is not the end

    What comes after an empty answer is missing. Kinesis answers with no records, and with an iterator to go on from,
    also where more are there: it looks through a part of the shard and may find nothing in it. Only an answer
    without `NextShardIterator` says that a shard is at its end.
    """
    return _read(kinesis, stream, shard, after, until, empty_ends=True)


def begins_again(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """From the beginning again

    After an iterator that was too old records come a second time, from where the reading began. Where to go on is
    after the last one that was given.
    """
    return _read(kinesis, stream, shard, after, until, from_the_start=True)


def the_last_one_twice(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """The last one twice

    After an iterator that was too old the record that came last comes once more. `AT_SEQUENCE_NUMBER` begins with the
    record of that number, `AFTER_SEQUENCE_NUMBER` behind it.
    """
    return _read(kinesis, stream, shard, after, until, again="AT_SEQUENCE_NUMBER")


def the_first_one_twice(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """`after` belongs to the batch before

    The record of number `after` comes as the first. The batch before has ended with it, so it would be there twice.
    `AT_SEQUENCE_NUMBER` begins with the record of that number.
    """
    return _read(kinesis, stream, shard, after, until, first="AT_SEQUENCE_NUMBER")


def whole_answers(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """More than was asked for

    Records after `until` come, too: those in the same answer. The next batch begins after `until` and reads them once
    more. A batch that is played again has to be the same, whatever has arrived since.
    """
    return _read(kinesis, stream, shard, after, until, cuts=False)


def until_left_out(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """`until` belongs to this batch

    The record of number `until` is missing. The next batch begins after it, so nobody reads it.
    """
    return _read(kinesis, stream, shard, after, until, inclusive=False)


def no_patience(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Refused for a moment

    The reading ended with `ProvisionedThroughputExceededException`, and with it the query. Nothing is wrong: five
    calls were made in this second, by others. The same call a little later gets an answer, or the one after it:
    wait and ask until one does.
    """
    return _read(kinesis, stream, shard, after, until, patient=False)


def asks_at_once(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Refused, and asked again too soon

    Call after call was refused, with no time between them or hardly any. The five calls of this second are made, so
    the next one cannot be answered either. To wait a tenth of a second before it costs nothing.
    """
    return _read(kinesis, stream, shard, after, until, wait=0)


def refused_is_the_end(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Refused is not read

    What comes after a refused call is missing, and no error says so. The query would store `until` as its offset and
    never come back for it.
    """
    return _read(kinesis, stream, shard, after, until, throttled_ends=True)


def only_what_is_new(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Everything but what was waiting

    After an iterator that was too old nothing comes any more, although more is there. `LATEST` begins behind the newest
    record, and what was to be read lies before it.
    """
    return _read(kinesis, stream, shard, after, until, again="LATEST")


def one_iterator_for_ever(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """An iterator grows old

    The reading ended with `ExpiredIteratorException`. An iterator is good for five minutes. Sequence numbers do not
    grow old as long as their records are kept: a new iterator can be had for the place where you were.
    """
    return _read(kinesis, stream, shard, after, until, renews=False)


def waits_for_until(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """A number that does not come

    Where `until` is `after` itself, nothing is to be read; this reading goes past it and looks on and on. A shard into
    which nothing was written since the batch before has such a range.
    """
    return _read(kinesis, stream, shard, after, until, by_equality=True, looks_before=False)


def waits_for_something_newer(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Nothing new, and it waits

    Where `until` is `after` itself and the shard holds nothing behind it, this reading asks on and on: only a newer
    record would end it. Look at the two numbers before the first call.
    """
    return _read(kinesis, stream, shard, after, until, looks_before=False)


def past_the_end(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """A closed shard has an end

    The reading of a closed shard ended with an error: it asked with no iterator. A closed shard's last answer has no
    `NextShardIterator`, and then all is read.
    """
    return _read(kinesis, stream, shard, after, until, sees_the_end=False)
