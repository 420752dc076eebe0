"""Answers to 15.4: other ways to read a shard, and some that lose records, repeat them or never end."""

import contextlib
import itertools
import time
from collections.abc import Iterator
from typing import Any

Record = dict[str, Any]


def _where(number: str | None, kind: str = "AFTER_SEQUENCE_NUMBER") -> dict[str, str]:
    if number is None:
        return {"ShardIteratorType": "TRIM_HORIZON"}
    return {"ShardIteratorType": kind, "StartingSequenceNumber": number}


def _iterator(kinesis: Any, stream: str, shard: str, where: dict[str, str]) -> str:
    found = kinesis.get_shard_iterator(StreamName=stream, ShardId=shard, **where)
    return str(found["ShardIterator"])


def right_an_endless_stream_cut_off(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """One function gives the shard's records as they come, another one ends it at `until`."""

    def all_after(number: str | None) -> Iterator[Record]:
        iterator = None
        while True:
            try:
                iterator = iterator or _iterator(kinesis, stream, shard, _where(number))
                answer = kinesis.get_records(ShardIterator=iterator)
            except kinesis.exceptions.ExpiredIteratorException:
                iterator = None
            except kinesis.exceptions.ProvisionedThroughputExceededException:
                time.sleep(0.05)
            else:
                for record in answer["Records"]:
                    number = record["SequenceNumber"]
                    yield record
                iterator = answer.get("NextShardIterator")
                if not iterator:
                    return

    if until is not None and after is not None and int(after) >= int(until):
        return
    for record in all_after(after):
        number = int(record["SequenceNumber"])
        if until is None or number <= int(until):
            yield record
        if until is not None and number >= int(until):
            return


def right_at_and_not_again(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> list[Record]:
    """Begins at the last number it has, and leaves out what it has given already; a list in the end."""
    newest, end = int(after or 0), None if until is None else int(until)
    found: list[Record] = []
    iterator, wait = None, 0.02
    while end is None or newest < end:
        try:
            if iterator is None:
                number = str(newest) if newest else None
                where = _where(number, "AT_SEQUENCE_NUMBER")
                iterator = _iterator(kinesis, stream, shard, where)
            answer = kinesis.get_records(ShardIterator=iterator, Limit=100)
        except kinesis.exceptions.ExpiredIteratorException:
            iterator = None
            continue
        except kinesis.exceptions.ProvisionedThroughputExceededException:
            time.sleep(wait)
            wait = min(2 * wait, 1.0)
            continue
        wait = 0.02
        for record in answer["Records"]:
            number_of_it = int(record["SequenceNumber"])
            if number_of_it > newest and (end is None or number_of_it <= end):
                found.append(record)
            newest = max(newest, number_of_it)
        if "NextShardIterator" not in answer or answer["NextShardIterator"] is None:
            break
        iterator = answer["NextShardIterator"]
    return found


def right_from_the_beginning_again(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Always begins at the beginning of the shard and skips: slow, and nothing is lost or twice."""
    last = -1 if after is None else int(after)
    end = float("inf") if until is None else int(until)
    iterator = None
    while last < end:
        if iterator is None:
            iterator = _iterator(kinesis, stream, shard, _where(None))
        try:
            answer = kinesis.get_records(ShardIterator=iterator)
        except kinesis.exceptions.ExpiredIteratorException:
            iterator = None
            continue
        except kinesis.exceptions.ProvisionedThroughputExceededException:
            time.sleep(0.25)
            continue
        for record in answer["Records"]:
            if last < int(record["SequenceNumber"]) <= end:
                last = int(record["SequenceNumber"])
                yield record
            elif int(record["SequenceNumber"]) > end:
                return
        iterator = answer.get("NextShardIterator")
        if iterator is None:
            break


def right_compared_by_length_and_text(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Compares numbers by length first and then as text; asks for one record at a time."""

    def size(number: str) -> tuple[int, str]:
        return len(number), number

    def asked(iterator: str) -> dict[str, Any] | None:
        while True:
            try:
                return dict(kinesis.get_records(ShardIterator=iterator, Limit=1))
            except kinesis.exceptions.ClientError as error:
                code = error.response["Error"]["Code"]
                if code == "ExpiredIteratorException":
                    return None
                if code != "ProvisionedThroughputExceededException":
                    raise
                time.sleep(0.1)

    last, iterator = after, None
    while until is None or last is None or size(last) < size(until):
        iterator = iterator or _iterator(kinesis, stream, shard, _where(last))
        answer = asked(iterator)
        if answer is None:
            iterator = None
            continue
        for record in answer["Records"]:
            if until is not None and size(record["SequenceNumber"]) > size(until):
                return
            last = record["SequenceNumber"]
            yield record
        if not (iterator := answer.get("NextShardIterator")):
            return


def right_a_shard_that_is_an_object(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> list[Record]:
    """A small class keeps the place, and hands over page after page."""

    class Place:
        def __init__(self) -> None:
            self.last, self.iterator, self.over = after, "", False

        def page(self) -> list[Record]:
            if not self.iterator:
                self.iterator = _iterator(kinesis, stream, shard, _where(self.last))
            try:
                answer = kinesis.get_records(ShardIterator=self.iterator)
            except kinesis.exceptions.ExpiredIteratorException:
                self.iterator = ""
                return []
            except kinesis.exceptions.ProvisionedThroughputExceededException:
                time.sleep(0.15)
                return []
            self.iterator = answer.get("NextShardIterator") or ""
            self.over = not self.iterator
            if answer["Records"]:
                self.last = answer["Records"][-1]["SequenceNumber"]
            return list(answer["Records"])

        def reached(self) -> bool:
            return until is not None and self.last is not None and int(self.last) >= int(until)

    place, records = Place(), []
    while not place.over and not place.reached():
        records += place.page()
    return [r for r in records if until is None or int(r["SequenceNumber"]) <= int(until)]


def _read(
    kinesis: Any,
    stream: str,
    shard: str,
    after: str | None,
    until: str | None,
    *,
    number_of: Any = int,
    looks_before: bool = True,
    empties: int = 1_000_000,
    refusals: int = 1_000_000,
    wait: float = 0.03,
    refused_from: str = "here",
    demands_next: bool = False,
    renewed: str = "AFTER_SEQUENCE_NUMBER",
) -> Iterator[Record]:
    """A right one, with a step of it otherwise."""
    end = None if until is None else number_of(until)
    last, iterator, empty, refused = after, None, 0, 0
    where = _where(after)
    while (
        not looks_before or end is None or last is None or number_of(last) < end
    ) and empty < empties:
        if iterator is None:
            iterator = _iterator(kinesis, stream, shard, where)
        try:
            answer = kinesis.get_records(ShardIterator=iterator)
        except kinesis.exceptions.ExpiredIteratorException:
            iterator, where = None, _where(last, renewed)
            continue
        except kinesis.exceptions.ProvisionedThroughputExceededException:
            refused += 1
            if refused > refusals:
                raise
            time.sleep(wait)
            if refused_from == "the start":
                iterator, where = None, _where(after)
            continue
        following = answer["NextShardIterator"] if demands_next else None
        refused, empty = 0, 0 if answer["Records"] else empty + 1
        for record in answer["Records"]:
            if end is not None and number_of(record["SequenceNumber"]) > end:
                return
            last = record["SequenceNumber"]
            yield record
            if not looks_before and end is not None and number_of(last) >= end:
                return
        iterator = following or answer.get("NextShardIterator")
        if iterator is None:
            return


def wrong_compared_as_floats(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Numbers of 56 digits as float, which holds 16: neighbours are equal."""
    return _read(kinesis, stream, shard, after, until, number_of=float)


def wrong_compared_as_text(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Compares as text, which is wrong as soon as two numbers have not the same length."""
    return _read(kinesis, stream, shard, after, until, number_of=str)


def wrong_the_second_empty_answer_ends_it(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """One empty answer is forgiven, and the second in a row is taken for the end."""
    return _read(kinesis, stream, shard, after, until, empties=2)


def wrong_patience_for_five_empty_answers(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Takes the fifth empty answer in a row for the end."""
    return _read(kinesis, stream, shard, after, until, empties=5)


def wrong_three_tries(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Tries a refused call three times within a tenth of a second, and gives up."""
    return _read(kinesis, stream, shard, after, until, refusals=3)


def wrong_refused_begins_again(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Gets a new iterator after a refusal, from `after`: what was given comes again."""
    return _read(kinesis, stream, shard, after, until, refused_from="the start")


def wrong_waits_for_something_newer(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Ends at a record that is at `until` or beyond: where until is after, and nothing newer comes, never."""
    return _read(kinesis, stream, shard, after, until, looks_before=False)


def wrong_closed_with_a_number(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Demands NextShardIterator where there is an `until`; a closed shard may come with a number, too."""
    return _read(kinesis, stream, shard, after, until, demands_next=until is not None)


def wrong_counts_the_numbers_between(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> list[Record]:
    """Takes the difference of two sequence numbers for how many records lie between them."""
    wanted = int(until) - int(after or 0) if until is not None else None
    found: list[Record] = []
    last, iterator = after, None
    while wanted is None or len(found) < wanted:
        iterator = iterator or _iterator(kinesis, stream, shard, _where(last))
        try:
            answer = kinesis.get_records(ShardIterator=iterator)
        except kinesis.exceptions.ExpiredIteratorException:
            iterator = None
            continue
        except kinesis.exceptions.ProvisionedThroughputExceededException:
            time.sleep(0.1)
            continue
        found += answer["Records"]
        last = found[-1]["SequenceNumber"] if found else after
        iterator = answer.get("NextShardIterator")
        if iterator is None:
            break
    return found[:wanted]


def wrong_no_until_is_zero(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Makes 0 of an `until` that is None: of a closed shard nothing is read."""
    return _read(kinesis, stream, shard, after, until or "0")


def wrong_one_sleep_for_all(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Both refusals are waited out with the same iterator: one that is too old does not get younger."""
    last, iterator = after, _iterator(kinesis, stream, shard, _where(after))
    while until is None or last is None or int(last) < int(until):
        try:
            answer = kinesis.get_records(ShardIterator=iterator)
        except (
            kinesis.exceptions.ExpiredIteratorException,
            kinesis.exceptions.ProvisionedThroughputExceededException,
        ):
            time.sleep(0.02)
            continue
        for record in answer["Records"]:
            if until is not None and int(record["SequenceNumber"]) > int(until):
                return
            last = record["SequenceNumber"]
            yield record
        iterator = answer.get("NextShardIterator")
        if iterator is None:
            return


def right_an_iterator_object(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """An object with __next__, which keeps a page of records and fills it again when it is empty."""

    class Records:
        def __init__(self) -> None:
            self.page: list[Record] = []
            self.last, self.iterator, self.over = after, None, False

        def __iter__(self) -> "Records":
            return self

        def __next__(self) -> Record:
            while not self.page:
                if self.over or self.reached():
                    raise StopIteration
                self.fill()
            record = self.page.pop(0)
            if until is not None and int(record["SequenceNumber"]) > int(until):
                self.page, self.over = [], True
                raise StopIteration
            self.last = record["SequenceNumber"]
            return record

        def reached(self) -> bool:
            return until is not None and self.last is not None and int(self.last) >= int(until)

        def fill(self) -> None:
            if self.iterator is None:
                self.iterator = _iterator(kinesis, stream, shard, _where(self.last))
            try:
                answer = kinesis.get_records(ShardIterator=self.iterator)
            except kinesis.exceptions.ExpiredIteratorException:
                self.iterator = None
            except kinesis.exceptions.ProvisionedThroughputExceededException:
                time.sleep(0.2)
            else:
                self.page = list(answer["Records"])
                self.iterator = answer.get("NextShardIterator")
                self.over = self.iterator is None

    return Records()


def right_pages_and_a_slice(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> list[Record]:
    """A generator of pages, chained; a page that has `until` in it is the last one, cut by takewhile."""
    end = None if until is None else int(until)

    def number(record: Record) -> int:
        return int(record["SequenceNumber"])

    def pages() -> Iterator[list[Record]]:
        last, iterator = after, _iterator(kinesis, stream, shard, _where(after))
        while iterator:
            try:
                answer = kinesis.get_records(ShardIterator=iterator, Limit=10_000)
            except kinesis.exceptions.ProvisionedThroughputExceededException:
                time.sleep(0.1)
                continue
            except kinesis.exceptions.ExpiredIteratorException:
                iterator = _iterator(kinesis, stream, shard, _where(last))
                continue
            records, iterator = answer["Records"], answer.get("NextShardIterator")
            if records:
                yield records
                last = records[-1]["SequenceNumber"]
                if end is not None and int(last) >= end:
                    return

    if after is not None and end is not None and int(after) >= end:
        return []
    records = itertools.chain.from_iterable(pages())
    return list(itertools.takewhile(lambda record: end is None or number(record) <= end, records))


def wrong_ten_empty_answers_end_it(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Takes the tenth empty answer in a row for the end; with ten of them and records behind, these are lost."""
    return _read(kinesis, stream, shard, after, until, empties=10)


def wrong_ten_tries(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Asks ten times, a tenth of a second apart, and gives up: where others are busy for a second it ends in an error."""
    return _read(kinesis, stream, shard, after, until, refusals=9, wait=0.1)


def wrong_the_last_answer_as_it_is(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Takes a shard whose answer has no next iterator for wholly asked for: a closed one may come with a number."""
    closed = "NextShardIterator" not in kinesis.get_records(
        ShardIterator=_iterator(kinesis, stream, shard, _where(after))
    )
    return _read(kinesis, stream, shard, after, None if closed else until)


def wrong_a_new_iterator_is_not_refused(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Asks once more with the new iterator where the old one has expired, and not within the try

    If that call is refused, as in "1 expired throttled 9", it ends with an error.
    """
    last, iterator = after, _iterator(kinesis, stream, shard, _where(after))
    while until is None or last is None or int(last) < int(until):
        try:
            answer = kinesis.get_records(ShardIterator=iterator)
        except kinesis.exceptions.ProvisionedThroughputExceededException:
            time.sleep(0.03)
            continue
        except kinesis.exceptions.ExpiredIteratorException:
            iterator = _iterator(kinesis, stream, shard, _where(last))
            answer = kinesis.get_records(ShardIterator=iterator)
        for record in answer["Records"]:
            if until is not None and int(record["SequenceNumber"]) > int(until):
                return
            last = record["SequenceNumber"]
            yield record
        iterator = answer.get("NextShardIterator")
        if iterator is None:
            return


def wrong_no_iterator_grows_old_in_a_queue(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[Record]:
    """Once refused, it asks again in a loop of its own, which knows of refusals alone

    If the iterator has expired meanwhile, as in "1 throttled expired 9", it ends with an error.
    """
    refused = kinesis.exceptions.ProvisionedThroughputExceededException
    last, iterator = after, _iterator(kinesis, stream, shard, _where(after))
    while until is None or last is None or int(last) < int(until):
        answer = None
        try:
            answer = kinesis.get_records(ShardIterator=iterator)
        except kinesis.exceptions.ExpiredIteratorException:
            iterator = _iterator(kinesis, stream, shard, _where(last))
            continue
        except refused:
            while answer is None:
                time.sleep(0.03)
                with contextlib.suppress(refused):
                    answer = kinesis.get_records(ShardIterator=iterator)
        for record in answer["Records"]:
            if until is not None and int(record["SequenceNumber"]) > int(until):
                return
            last = record["SequenceNumber"]
            yield record
        iterator = answer.get("NextShardIterator")
        if iterator is None:
            return
