"""Other queries: lags that shrink, grow and stay, in one partition or many, with new partitions and topics."""

import random as randoms
from datetime import datetime, timedelta
from typing import Any

from grader.scenario import Event, Scenario

Offsets = dict[str, dict[str, int]]


def hidden(random: randoms.Random) -> Scenario:
    """Seconds are never near a half, so that the order of a division does not matter."""
    calls = [_call(random, *_shrinking(random)) for _ in range(6)]
    calls.append(_call(random, *_shrinking(random, passed=0.5, up=True)))
    calls.append(_call(random, *_shrinking(random, up=False)))
    calls += [_call(random, *_shrinking(random, topics=2)) for _ in range(2)]
    calls += [_call(random, *_shrinking(random), new=new) for new in ("partition", "topic")]
    much = random.randrange(2000, 9000)
    calls.append(_call(random, much, much + random.randint(50, 400), 10))
    calls.append(_call(random, much, much, 10))
    calls.append(_call(random, much, 0, 10))
    calls.append(_call(random, 0, 0, 10))
    random.shuffle(calls)
    return Scenario([Event(step, "calls", call) for step, call in enumerate(calls, start=1)])


def _shrinking(
    random: randoms.Random, topics: int = 1, passed: float | None = None, up: bool | None = None
) -> tuple[int, int, float, int]:
    """Behind before and now, and the seconds between, such that the rest is clearly above (`up`) or below a half."""
    while True:
        now, shrunk = random.randrange(900, 9000), random.randrange(100, 800)
        between = passed or random.choice([0.5, 7.25, 10.0, 30.0, 61.0])
        rest = now * between / shrunk % 1
        if 0.1 < abs(rest - 0.5) < 0.4 and up in (None, rest > 0.5):
            return now + shrunk, now, between, topics


def _call(
    random: randoms.Random, before: int, now: int, passed: float, topics: int = 1, new: str = ""
) -> dict[str, Any]:
    names = ["clicks", "ads"][:topics]
    parts = [(name, str(number)) for name in names for number in range(random.choice([2, 3]))]
    fresh = {"partition": ("clicks", str(len(parts))), "topic": ("orders", "0")}.get(new)
    start = {part: random.randrange(1000, 9000) for part in parts}
    middle = {part: offset + random.randrange(50, 200) for part, offset in start.items()}
    end = {part: offset + random.randrange(50, 200) for part, offset in middle.items()}
    begin = datetime(2026, 3, 14, 23, random.randint(0, 59), random.randint(0, 59))
    latest = _latest(random, end, now if fresh is None else now - now // 3)
    if fresh:
        latest[fresh] = now // 3
    return {
        "earlier": _report(random, begin, start, middle, _latest(random, middle, before)),
        "later": _report(random, begin + timedelta(seconds=passed), middle, end, latest),
        "record_bytes": random.choice([200, 71.4, 1040.6]),
    }


Parts = dict[tuple[str, str], int]


def _latest(random: randoms.Random, end: Parts, behind: int) -> Parts:
    """Unequal shares: the first partition has more than half of what is behind."""
    first, *others = end
    share = behind // (4 * len(others)) if others else 0
    latest = {part: end[part] + share for part in others}
    return {first: end[first] + behind - share * len(others), **latest}


def _nested(parts: Parts) -> Offsets:
    found: Offsets = {}
    for (topic, partition), offset in parts.items():
        found.setdefault(topic, {})[partition] = offset
    return found


def _report(
    random: randoms.Random, at: datetime, start: Parts, end: Parts, latest: Parts
) -> dict[str, Any]:
    lags = [offset - end.get(part, 0) for part, offset in latest.items()]
    return {
        "batchId": random.randrange(5, 900),
        "timestamp": f"{at.isoformat(timespec='milliseconds')}Z",
        "numInputRows": sum(end[part] - start[part] for part in end),
        "processedRowsPerSecond": round(random.uniform(250, 500), 1),
        "sources": [
            {
                "description": "KafkaV2[Subscribe[clicks]]",
                "startOffset": _nested(start),
                "endOffset": _nested(end),
                "latestOffset": _nested(latest),
                "metrics": {
                    "avgOffsetsBehindLatest": str(sum(lags) / len(lags)),
                    "maxOffsetsBehindLatest": str(max(lags)),
                    "minOffsetsBehindLatest": str(min(lags)),
                },
            }
        ],
    }
