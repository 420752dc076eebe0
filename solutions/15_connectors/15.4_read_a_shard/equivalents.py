"""Other right ways to read a shard."""

import time
from collections.abc import Iterator
from typing import Any

from botocore.exceptions import ClientError


def a_list_in_the_end(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> list[dict[str, Any]]:
    """Collects by sequence number, asks for the kind of error by its code, and cuts at the end."""
    found: dict[int, dict[str, Any]] = {}
    behind = int(after or -1)
    end = int(until) if until else None
    if end is not None and behind >= end:
        return []
    iterator, wait = "", 0.1
    while True:
        if not iterator:
            newest = max(found, default=behind)
            kind = "AFTER_SEQUENCE_NUMBER" if newest >= 0 else "TRIM_HORIZON"
            asked = {"StartingSequenceNumber": str(newest)} if newest >= 0 else {}
            iterator = kinesis.get_shard_iterator(
                StreamName=stream, ShardId=shard, ShardIteratorType=kind, **asked
            )["ShardIterator"]
        try:
            answer = kinesis.get_records(ShardIterator=iterator, Limit=1000)
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code == "ExpiredIteratorException":
                iterator = ""
            elif code == "ProvisionedThroughputExceededException":
                time.sleep(wait)
                wait *= 2
            else:
                raise
            continue
        found |= {int(record["SequenceNumber"]): record for record in answer["Records"]}
        if (end is not None and max(found, default=-1) >= end) or "NextShardIterator" not in answer:
            return [found[n] for n in sorted(found) if end is None or n <= end]
        iterator = answer["NextShardIterator"]


def a_new_iterator_for_every_call(
    kinesis: Any, stream: str, shard: str, after: str | None, until: str | None
) -> Iterator[dict[str, Any]]:
    """Keeps no iterator but that of an empty answer: it says anew each time where to go on."""
    last, following = after, None
    while until is None or int(last or 0) < int(until):
        if following is None:
            where: dict[str, str] = {"ShardIteratorType": "TRIM_HORIZON"}
            if last is not None:
                where = {
                    "ShardIteratorType": "AFTER_SEQUENCE_NUMBER",
                    "StartingSequenceNumber": last,
                }
            following = kinesis.get_shard_iterator(StreamName=stream, ShardId=shard, **where)[
                "ShardIterator"
            ]
        try:
            answer = kinesis.get_records(ShardIterator=following)
        except (
            kinesis.exceptions.ExpiredIteratorException,
            kinesis.exceptions.ProvisionedThroughputExceededException,
        ):
            following = None
            time.sleep(0.1)
            continue
        for record in answer["Records"]:
            if until is None or int(record["SequenceNumber"]) <= int(until):
                last = record["SequenceNumber"]
                yield record
            else:
                return
        if answer.get("NextShardIterator") is None:
            return
        following = None if answer["Records"] else answer["NextShardIterator"]
