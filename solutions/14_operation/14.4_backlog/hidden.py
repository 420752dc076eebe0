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
    calls += [_other_partition_worst(random, grows) for grows in (False, True)]
    calls += [_new_in_the_earlier_report(random, new) for new in (("clicks", "1"), ("orders", "0"))]
    ends, lags = [(1000, 2000), (5000, 6000)], [(3000, 1000), (700, 300)]
    calls.append({**_call_of(random, 10.0, ends, lags), "record_bytes": 70.5556})  # 70555.6 bytes
    calls.append(_call_of(random, 86400.0 * random.randint(1, 3) + 11, ends, lags))
    month, summer = datetime(2026, 3, 31, 23, 59, 50), datetime(2026, 3, 29, 1, 30)
    calls.append(_call_of(random, 30.0, ends, lags, begin=month))  # the month ends between them
    calls.append(_call_of(random, 7200.0, ends, lags, begin=summer))  # one hour by Europe's clocks
    new_year = datetime(2026, 12, 31, 23, 59, 50)
    calls.append(_call_of(random, 30.0, ends, lags, begin=new_year))
    calls.append(_call(random, 0, much, 10))  # nothing was behind, and now something is
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


def _other_partition_worst(random: randoms.Random, grows: bool) -> dict[str, Any]:
    """The worst partition becomes worse while the sum shrinks, or better while it `grows`."""
    before, now, passed, _ = _shrinking(random, passed=30.0)
    if grows:
        before -= before % 5
        now = before + 52  # times 71.4 this is rounded up
        lags = [(before - 10, 10), (now - now // 2, now // 2)]
    else:
        lags = [(before - before // 2, before // 2), (now - 1, 1)]
    ends = [(1000, 2000), (1000 + before // 2, 2000 + before // 2)]
    return _call_of(random, passed, ends, lags)


def _new_in_the_earlier_report(random: randoms.Random, fresh: tuple[str, str]) -> dict[str, Any]:
    """A partition, or a topic, of which the earlier batch had read nothing."""
    before, now, passed, _ = _shrinking(random, passed=30.0)
    share = before // 3
    lags = [(before - share, share), (now - now // 4, now // 4)]
    ends = [(1000, 0), (1000 + before - share, share)]
    called = _call_of(random, passed, ends, lags, fresh)
    source = called["earlier"]["sources"][0]
    for offsets in (source["startOffset"], source["endOffset"]):
        del offsets[fresh[0]][fresh[1]]
        if not offsets[fresh[0]]:
            del offsets[fresh[0]]
    return called


def _call_of(
    random: randoms.Random,
    passed: float,
    ends: list[tuple[int, int]],
    lags: list[tuple[int, int]],
    second: tuple[str, str] = ("clicks", "1"),
    begin: datetime | None = None,
) -> dict[str, Any]:
    """Two reports of two partitions: to where each batch has read, and how much is behind."""
    names = [("clicks", "0"), second]
    begin = begin or datetime(2026, 3, 14, 11, random.randint(0, 59))
    reports, start = [], dict.fromkeys(names, 0)
    for after, read, behind in zip((0, passed), ends, lags, strict=True):
        end = dict(zip(names, read, strict=True))
        latest = {name: end[name] + lag for name, lag in zip(names, behind, strict=True)}
        reports.append(_report(random, begin + timedelta(seconds=after), start, end, latest))
        start = end
    earlier, later = reports
    return {"earlier": earlier, "later": later, "record_bytes": 71.4}


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
