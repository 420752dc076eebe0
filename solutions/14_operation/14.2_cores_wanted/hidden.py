"""Other queries: each rule just met and just missed, with other intervals, cores and bounds."""

import random as randoms
from typing import Any

from grader.authoring.repeated_calls import own_calls
from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Durations are given in thousandths of the interval; a batch without data has a minus."""

    def long() -> int:
        return random.randint(801, 1500)

    def short() -> int:
        return random.randint(50, 299)

    def between() -> int:
        return random.randint(330, 760)

    even, odd = random.choice([8, 12, 16]), random.choice([7, 9, 11])
    lag = random.randint(1, 900)
    rows: list[tuple[list[int], dict[str, Any]]] = [
        ([between() for _ in range(5)], {}),
        ([between(), long(), long(), long()], {}),
        ([long(), 800, long()], {}),
        ([long(), long()], {}),
        ([between(), long(), long()], {}),
        ([between(), *(short() for _ in range(5))], {}),
        ([long(), long(), long(), between()], {}),
        ([2400, between(), 2000], {}),
        ([long(), long(), long()], {"cores": even, "most": even + 3}),
        ([short() for _ in range(5)], {}),
        ([short(), 300, short(), short(), short()], {}),
        ([short() for _ in range(4)], {}),
        ([between(), *(short() for _ in range(4))], {}),
        ([60, 70, 60, between(), 80], {}),
        ([short() for _ in range(5)], {"cores": odd}),
        ([short() for _ in range(5)], {"cores": random.choice([13, 17, 21])}),
        ([short() for _ in range(5)], {"cores": 5, "fewest": 4}),
        ([short() for _ in range(5)], {"lags": {4: [lag]}}),
        ([short() for _ in range(5)], {"lags": {n: [lag + 9 * n] for n in range(4)}}),
        ([short() for _ in range(5)], {"lags": {4: [0, lag]}}),
        ([short() for _ in range(5)], {"lags": {4: [None, 0]}}),
        ([long(), -60, long(), -50, long(), -40], {}),
        ([between(), -60, short(), -50, -40, -55], {}),
        ([short(), -900, short(), -950, short(), short(), -990, short()], {}),
        ([-900, -950, long(), long()], {}),
        ([*(short() for _ in range(5)), -30], {"lags": {4: [lag]}}),
        ([815, 820, 830], {}),
        ([], {}),
        ([between() for _ in range(3)], {"cores": 80}),
        ([between() for _ in range(3)], {"cores": 1, "fewest": 3}),
    ]
    random.shuffle(rows)

    def call(shares: list[int], given: dict[str, Any]) -> dict[str, Any]:
        interval = random.choice([1000, 2000, 5000, 10_000])
        lags = given.pop("lags", {})
        reports = [_report(n, share, interval, lags.get(n, [0])) for n, share in enumerate(shares)]
        bounds = {"cores": even, "interval_ms": interval, "fewest": 2, "most": 64}
        return {"reports": reports, **bounds, **given}

    calls = [call(shares, given) for shares, given in rows]
    calls += own_calls(__file__, ["durationMs", "interval_ms"], random.choice([2, 4, 8]))
    calls += [
        call([short() for _ in range(5)], {"lags": {4: [lag, 0]}}),  # the first source is behind
        call([short() for _ in range(5)], {"cores": 48, "most": 32}),  # half of 48, not of 32
        call([long() for _ in range(3)], {"cores": 1, "fewest": 3}),  # twice 1, and then 3
        call([-50, short(), -40, short(), -60], {}),  # five reports, and two with data
        call([short() for _ in range(5)], {"cores": 100, "most": 32}),  # half of 100 is too many
        call([between()], {"cores": 100, "most": 32}),  # one batch, and too many cores
        call([short() for _ in range(5)], {"lags": {3: [lag], 4: [{}]}}),  # the newest tells none
        call([short() for _ in range(5)], {"lags": {4: ["repeated"]}}),  # Kafka has no metrics
        call([short() for _ in range(5)], {"cores": random.choice([10, 14, 18])}),
        call([random.randint(801, 809) for _ in range(3)], {}),  # just more than four fifths
        call([long() for _ in range(random.randint(6, 8))], {}),  # twice, once
        call([n for _ in range(5) for n in (short(), -50, -60)], {}),
        call([n for _ in range(3) for n in (long(), -50, -60, -70, -80)], {}),
        call([short() for _ in range(random.randint(10, 12))], {}),  # halved, once
        call([short() for _ in range(5)], {"lags": {4: [1]}}),  # an average of less than 1
        call([short() for _ in range(5)], {"lags": {4: [0, lag, 0]}}),
        call([long() for _ in range(3)], {"lags": {2: [lag]}}),  # long, and behind
    ]
    return Scenario([Event(step, "calls", call) for step, call in enumerate(calls, start=1)])


def _report(number: int, share: int, interval: int, lags: list[Any]) -> dict[str, Any]:
    took = abs(share) * interval // 1000
    return {
        "batchId": 200 + number,
        "numInputRows": 0 if share < 0 else 99,
        "durationMs": {"addBatch": max(0, took - interval // 20), "triggerExecution": took},
        "sources": [_source(lag) for lag in lags],
    }


def _source(lag: Any) -> dict[str, Any]:
    if lag is None:
        return {"description": "RateStreamV2[rowsPerSecond=10]"}
    if lag == "repeated":
        return {"description": "KafkaV2[Subscribe[clicks]]"}
    if lag == {}:
        return {"description": "KafkaV2[Subscribe[clicks]]", "metrics": {}}
    return {
        "description": "KafkaV2[Subscribe[clicks]]",
        "metrics": {
            "avgOffsetsBehindLatest": str(lag / 2),
            "maxOffsetsBehindLatest": str(lag),
            "minOffsetsBehindLatest": "0",
        },
    }
