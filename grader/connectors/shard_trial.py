"""Tries a reader of a shard, on a real server that does not always answer well."""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from threading import Lock, get_ident
from typing import Any, NamedTuple
from unittest.mock import patch
from uuid import uuid4

from botocore.exceptions import ClientError, ParamValidationError

from grader.connectors.kinesis import (
    Kinesis,
    kinesis_server,
    make_stream,
    refuse,
    wait_until_active,
)

SHARD = "shardId-000000000000"
AT_MOST = 2  # records in an answer that `answers` does not name
CALLS = 30  # answered ones; a reader that has not finished by then never will
REFUSED_SECONDS = 0.2  # that the reader waits between calls: what these take says nothing of it
REFUSED_CALLS = 25  # in this time: a reader that makes more does not wait
SURE = 0.02  # seconds more than the machine takes, before each of SURE_TIMES calls or more
SURE_TIMES = 3
REFUSALS = {
    "throttled": (
        "ProvisionedThroughputExceededException",
        "Rate exceeded for the shard: other consumers read it, too.",
    ),
    "expired": ("ExpiredIteratorException", "The iterator is more than 5 minutes old."),
}

_one_at_a_time = Lock()  # trials in several threads share the server, its streams and time.sleep


class Wait(NamedTuple):
    """Seconds between two calls, in three parts.

    - `asked`: the sum of the arguments of time.sleep
    - `otherwise`: what passed outside of time.sleep
    - `none`: how long a sleep of 0 seconds takes on this machine at that moment
    """

    asked: float
    otherwise: float
    none: float


class TooManyCallsError(Exception):
    """A reader that goes on and on; the message says how far."""


def on_a_shard(
    read_shard: Callable[..., Iterable[dict[str, Any]]],
    records: int,
    after: int,
    until: int | None,
    answers: str = "",
    closed: bool = False,
    longer_from: int = 0,
) -> dict[str, Any]:
    """Let a reader read a shard of a real server that holds the records r1, r2, … in this order.

    The reader must return the records after number `after` (0: from the beginning) up to number `until`.
    With until=None the shard is closed (it was split), and the reader must return all the rest. With
    closed=True the shard is closed, too, and there is a number to read to.

    With longer_from=4 the sequence numbers have one more digit from r4 on; otherwise all have the same length.

    Each word of `answers` says what one call of GetRecords returns, in order:

    - a number: at most so many records
    - `empty`: no records, although there are more
    - `throttled`: refusals until the reader has waited 0.2 seconds, as if other readers had used up the
      five calls of this second
    - `expired`: a refusal, because the iterator is too old

    After the last word each call returns at most 2 records.

    Returns {"read": what came, "ended": "well" or the name of the error}; a reader that fails has read nothing.
    Raises TypeError if what came cannot hold records.
    """
    with _one_at_a_time, _asked_to_sleep() as slept:
        name, numbers = _shard_with(records, closed or until is None)
        client = _server().client(limited=False)
        _follow(client, answers.split(), slept)
        if longer_from:
            numbers = _count_otherwise(client, numbers, longer_from)
        try:
            gave = read_shard(
                client,
                name,
                SHARD,
                numbers[after - 1] if after else None,
                numbers[until - 1] if until is not None else None,
            )
            if not isinstance(gave, Iterable):
                called = getattr(read_shard, "__name__", "the function")
                raise TypeError(
                    f"{called} returned {gave!r}: give records, as a list or with yield"
                )
            received = list(gave)
        except ClientError as error:
            return {"read": [], "ended": error.response["Error"]["Code"]}
        except ParamValidationError as error:
            return {"read": [], "ended": type(error).__name__}
        except TooManyCallsError as error:
            return {"read": [], "ended": str(error)}
        others = [given for given in received if not (isinstance(given, dict) and "Data" in given)]
        if others:
            raise TypeError(f"{others[0]!r} is no record: give those in an answer's `Records`")
        return {"read": [record["Data"].decode() for record in received], "ended": "well"}


def _count_otherwise(client: Any, numbers: list[str], longer_from: int) -> list[str]:
    """Make this client report smaller sequence numbers; returns what `numbers` become.

    The smaller number of record `longer_from` is the first with as many digits as the server's own.
    """
    first = 10 ** (len(numbers[0]) - 1)
    less = int(numbers[longer_from - 1]) - first

    def to_server(params: dict[str, Any], **_: Any) -> None:
        number = str(params.get("StartingSequenceNumber", ""))
        if number.isdigit():
            params["StartingSequenceNumber"] = str(int(number) + less)

    def from_server(parsed: dict[str, Any], **_: Any) -> None:
        for record in parsed.get("Records", []):
            record["SequenceNumber"] = str(int(record["SequenceNumber"]) - less)

    client.meta.events.register("before-parameter-build.kinesis.GetShardIterator", to_server)
    client.meta.events.register("after-call.kinesis.GetRecords", from_server)
    return [str(int(number) - less) for number in numbers]


def _follow(client: Any, answers: list[str], slept: Callable[[], float]) -> None:
    """Have this client's calls of GetRecords come to what `answers` says."""
    left, dead = list(answers), set[str]()
    calls = 0
    refused: list[Wait] | None = None  # since the first refusal, as long as it lasts
    waited = _waits(client, slept)

    def next_answer(iterator: str) -> str:
        nonlocal calls, refused
        wait = waited()
        if refused is not None:
            refused.append(wait)
            if _surely(refused) < REFUSED_SECONDS:
                if len(refused) >= REFUSED_CALLS:
                    raise TooManyCallsError(
                        f"refused {REFUSED_CALLS} times, with hardly a wait between"
                    )
                return "throttled"
            refused = None
        calls += 1
        if calls > CALLS:
            raise TooManyCallsError(f"not after {CALLS} calls")
        if iterator in dead:
            return "expired"
        answer = left.pop(0) if left else str(AT_MOST)
        if answer == "throttled":
            refused = []
        return answer

    def ask_for_few(params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        context["iterator"] = params.get("ShardIterator")
        context["answer"] = word = next_answer(context["iterator"])
        if word.isdigit():
            params["Limit"] = min(params.get("Limit", int(word)), int(word))

    def answer(context: dict[str, Any], **_: Any) -> Any:
        word, iterator = context["answer"], context["iterator"]
        if word == "empty":
            parsed = {"Records": [], "NextShardIterator": iterator, "MillisBehindLatest": 2000}
            return _well(client), parsed
        if word == "expired":
            dead.add(iterator)
        return refuse(client, *REFUSALS[word]) if word in REFUSALS else None

    client.meta.events.register("before-parameter-build.kinesis.GetRecords", ask_for_few)
    client.meta.events.register("before-call.kinesis.GetRecords", answer)


@contextmanager
def _asked_to_sleep() -> Iterator[Callable[[], float]]:
    """How many seconds of sleep this thread has asked of time.sleep so far; it sleeps as it did."""
    sleep, thread, asked = time.sleep, get_ident(), 0.0

    def noted_sleep(seconds: float, /) -> None:
        nonlocal asked
        sleep(seconds)
        asked += seconds * (get_ident() == thread)

    with patch.object(time, "sleep", noted_sleep):
        yield lambda: asked


def _waits(client: Any, slept: Callable[[], float]) -> Callable[[], Wait]:
    """Reports, at a call of GetRecords, how its user waited since the call before, without the time of calls."""
    ended, slept_before, passed = time.monotonic(), slept(), 0.0

    def begin(**_: Any) -> None:
        nonlocal ended, passed
        began = time.monotonic()
        passed, ended = passed + began - ended, began

    def end(**_: Any) -> None:
        nonlocal ended
        ended = time.monotonic()

    def waited() -> Wait:
        nonlocal slept_before, passed
        begin()
        asked = slept() - slept_before
        otherwise = passed - asked
        slept_before, passed = slept_before + asked, 0.0
        time.sleep(0)
        return Wait(asked, otherwise, time.monotonic() - ended)

    client.meta.events.register("before-parameter-build.kinesis", begin)
    client.meta.events.register("after-call.kinesis", end)
    return waited


def _surely(waits: list[Wait]) -> float:
    """How many seconds of these are the user's own doing.

    What it asked time.sleep for is. The part of the rest that passed every time, if that is more than a
    busy machine takes by itself.
    """
    least = min(wait.otherwise for wait in waits)
    sure = len(waits) >= SURE_TIMES and least >= SURE + max(wait.none for wait in waits)
    return sum(wait.asked for wait in waits) + len(waits) * least * sure


def _well(client: Any) -> Any:
    answered, _ = refuse(client, "", "")
    answered.status_code = 200
    return answered


@cache
def _server() -> Kinesis:
    """One for all trials of this process; it ends with it."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(kinesis_server())


@cache
def _shard_with(records: int, closed: bool) -> tuple[str, list[str]]:
    """A stream whose first shard holds so many records: its name, and their sequence numbers."""
    client = _server().client()
    # a unique name: an interrupted call has left an incomplete stream
    name = f"{'closed' if closed else 'open'}-{records}-{uuid4().hex[:8]}"
    make_stream(client, name)
    numbers = [
        client.put_record(StreamName=name, Data=f"r{n}".encode(), PartitionKey="k")[
            "SequenceNumber"
        ]
        for n in range(1, records + 1)
    ]
    if closed:
        client.split_shard(StreamName=name, ShardToSplit=SHARD, NewStartingHashKey=str(2**127))
        wait_until_active(client, name)
    return name, numbers
