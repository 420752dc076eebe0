"""Other queries: each rule just met and just missed, in other figures."""

import random as randoms
from typing import Any

from grader.scenario import Event, Scenario

Lag = int | None | str | tuple[int, float] | list[Any] | dict[str, Any]


def hidden(random: randoms.Random) -> Scenario:
    """Reports in which the lag grows, stays or turns, told by one source or by two."""

    def up(count: int, start: int | None = None) -> list[int]:
        lags = [random.randint(5, 60) if start is None else start]
        while len(lags) < count:
            lags.append(lags[-1] + random.randint(1, 30))
        return lags

    low, high = random.randint(2, 9), random.randint(100, 180)
    most = random.randrange(800, 3000)
    calm = random.randint(20, 60)
    grown = up(4)
    digits = random.randint(85, 95)
    across = [digits, digits + 4, random.randint(100, 120), random.randint(121, 160)]
    worst = up(4, high)
    lags: list[tuple[list[Lag], int]] = [
        ([calm, calm - 1, calm + 1, calm], most),
        (list(grown), most),
        ([high, *up(4)], most),
        ([*up(5)], most),
        ([*grown, grown[-1] - 1], most),
        ([low, most + 1], most),
        ([low, most], most),
        ([most + 200, most - 10, most - 20, most - 40], most),
        ([most + 200, most + 100], most),
        (list(up(3)), most),
        ([high, *up(3)], most),
        ([*grown[:2], grown[1], grown[1] + 7], most),
        ([low, low + 30, low + 20, low + 50], most),
        (list(across), most),
        ([[0, lag] for lag in up(4)], most),
        ([[lag, high + 400] for lag in up(4)], most),
        ([[digits, lag] for lag in up(4, 100)], most),
        ([[None, lag] for lag in up(4)], most),
        ([*grown[:2], None, *grown[2:]], most),
        ([None, *up(3)], most),
        ([None, None, None, None], most),
        ([], most),
        ([low, most + random.randint(1, 50), None], most),
        ([(lag, 90.0 - 5 * n) for n, lag in enumerate(worst)], most),
        ([(400, 60.0 + 5 * n) for n in range(4)], most),
        ([(most + 9, most / 2)], most),
    ]
    random.shuffle(lags)
    calls = [{"reports": _reports(random, given), "most": limit} for given, limit in lags]
    slow = _reports(random, [0, 0, 0, 0])
    for report in slow:
        report["inputRowsPerSecond"] = report["processedRowsPerSecond"] + 50.0
    calls.append({"reports": slow, "most": most})
    rising, three = up(5), up(3)
    more: list[list[Lag]] = [
        [[lag, 0] for lag in up(4)],  # the first of two sources is the larger one
        [[high + 400, lag] for lag in up(4)],
        [*rising[:2], rising[1], *rising[2:4]],  # three steps up, not in a row
        [*rising[:2], 0, *rising[2:4]],  # a lag of 0 is one, too
        [most + 500, 0],
        [most + 500, 0, 0],
        [0, *up(3)],  # the first of four lags is 0
        [*up(3, 9), {}, 200],  # metrics that are empty, in the midst of a growth
        [*up(3, 9), "repeated", 200],  # a batch that is repeated: Kafka has no metrics
        list(three),  # three steps up over two calls, in neither of them
        [three[-1] + random.randint(1, 9)],
    ]
    calls += [{"reports": _reports(random, given), "most": most} for given in more]
    digits_more: list[Lag] = [random.randint(99_990, 99_994), 99_999, 100_000, 100_007]
    calls.append({"reports": _reports(random, digits_more), "most": 200_000})
    calls.append({"reports": _reports(random, [random.randint(1, 9)]), "most": 0})
    three_sources = _reports(random, [[low, most + 500, low + 20]])
    calls.append({"reports": three_sources, "most": most})
    without_data, other_topic, pattern = (_reports(random, list(up(4))) for _ in range(3))
    without_data[2]["numInputRows"] = 0  # it tells a lag all the same
    for report in other_topic:
        report["sources"][0]["description"] = "KafkaV2[Subscribe[orders]]"
    for report in pattern:
        report["sources"][0]["description"] = "KafkaV2[SubscribePattern[shop-.*]]"
    calls += [{"reports": made, "most": most} for made in (without_data, other_topic, pattern)]
    return Scenario([Event(step, "calls", call) for step, call in enumerate(calls, start=1)])


def _reports(random: randoms.Random, lags: list[Lag]) -> list[dict[str, Any]]:
    first = random.randrange(10, 900)
    return [
        {
            "batchId": first + number,
            "numInputRows": 99,
            "inputRowsPerSecond": round(random.uniform(90, 99), 1),
            "processedRowsPerSecond": round(random.uniform(250, 500), 1),
            "sources": [_source(one) for one in (lag if isinstance(lag, list) else [lag])],
        }
        for number, lag in enumerate(lags)
    ]


def _source(lag: Any) -> dict[str, Any]:
    if lag is None:
        return {"description": "RateStreamV2[rowsPerSecond=10]"}
    if lag == "repeated":
        return {"description": "KafkaV2[Subscribe[clicks]]"}
    if lag == {}:
        return {"description": "KafkaV2[Subscribe[clicks]]", "metrics": {}}
    largest, average = lag if isinstance(lag, tuple) else (lag, float(lag))
    return {
        "description": "KafkaV2[Subscribe[clicks]]",
        "metrics": {
            "avgOffsetsBehindLatest": str(average),
            "maxOffsetsBehindLatest": str(largest),
            "minOffsetsBehindLatest": str(min(largest, int(average))),
        },
    }
