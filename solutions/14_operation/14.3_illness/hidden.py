"""Reports of other days: each illness at least once, most of them close to a limit."""

import random as randoms
from datetime import datetime, timedelta
from typing import Any

from grader.scenario import Event, Scenario

HOUR = 3600
SUMMER = datetime(2026, 3, 29, 3, 10)  # 80 minutes before are 20 by Europe's clocks, and 80 in UTC


def hidden(random: randoms.Random) -> Scenario:
    """Reports in any order; where two rules hold, the first of the table is meant."""
    rows = 100 * random.randint(20, 90)
    waiting = rows + random.randint(1, 20 * rows)
    wal = random.randint(500, 900)
    cases: list[dict[str, Any]] = [
        {},
        {"held": HOUR + random.randint(1, 900)},
        {"held": HOUR},
        {"held": 24 * HOUR + random.randint(10, 90)},
        {"held": None},
        {"held": None, "batch": 0},
        {"held": None, "batch": 1},
        {"ago": random.randint(90, 300)},
        {"ago": -1, "held": HOUR * 6},
        {"rows": 0, "seen": False, "lags": [{}]},
        {"dropped": [rows // 100 + 1]},
        {"dropped": [rows // 100]},
        {"dropped": [rows // 150, rows // 150]},
        {"dropped": [random.randint(1, 3)]},
        {"dropped": [0, rows // 20]},
        {"rows": 0, "seen": False, "dropped": [0, 1], "lags": [{}]},
        {"wal": 450, "commit": 0, "took": 900, "without": ["commitOffsets"]},
        {"latest": 450, "get": 0, "took": 900, "without": ["getBatch"]},
        {"rows": 99, "dropped": [1]},
        {"held": 3 * HOUR, "dropped": [rows // 5]},
        {"dropped": [rows // 5], "took": 1700, "lags": [9 * rows]},
        {"held": 5 * HOUR, "took": 1300, "wal": 900},
        {"wal": wal, "took": 2 * wal},
        {"wal": wal, "took": 2 * (wal + 10) - 1},
        {"wal": wal, "took": 2 * (wal + 10)},
        {"wal": wal // 2, "commit": wal // 2, "took": 2 * wal - 40},
        {"latest": wal, "took": 2 * wal - 2},
        {"latest": wal, "get": 30, "took": 2 * wal + 30},
        {"latest": wal, "get": 30, "took": 2 * wal + 60},
        {"wal": 1300, "took": 1900, "lags": [waiting]},
        {"latest": 1300, "took": 1900, "lags": [waiting]},
        {"took": random.randint(1001, 3000), "lags": [rows + 1]},
        {"took": random.randint(1001, 3000), "lags": [rows]},
        {"took": random.randint(1001, 3000)},
        {"took": random.randint(200, 900), "lags": [rows + 1]},
        {"took": 1000, "lags": [waiting]},
        {"took": 1400, "lags": [waiting], "interval": 2000},
        {"took": 400, "lags": [0, waiting]},
        {"took": 400, "lags": [rows - random.randint(1, 90), rows // 2]},
        {"took": 1600, "lags": [rows // 2, rows - random.randint(1, 90)]},
        {"took": 400, "rows": 9000, "lags": [random.randint(200, 900), 12_000]},
        {"took": 1500, "lags": [None, waiting]},
        {"took": 1500, "lags": [None, {}]},
        {"took": 1400, "lags": [waiting], "without": ["walCommit", "latestOffset"]},
        {"took": 1400, "lags": [waiting], "without": ["commitOffsets", "getBatch"]},
    ]
    random.shuffle(cases)
    cases += [
        {"held": -2 * HOUR},  # a batch of old rows: the watermark is ahead of them
        {"held": -2 * HOUR, "dropped": [rows // 2]},
        {"held": None, "batch": 0, "took": 2000, "lags": [waiting]},
        {"took": 1040, "untold": 60, "lags": [waiting]},  # the parts make less than the whole
        {"dropped": [rows // 5], "wal": 900, "took": 1300},
        {"dropped": [rows // 5], "latest": 900, "took": 1300},
        {"held": HOUR + 0.25},  # more than an hour, by less than a second
        {"held": HOUR - 0.25},
        {"held": 80 * 60, "at": SUMMER},
        {"took": 1500, "lags": ["repeated"]},  # Kafka has no metrics
        {"took": 1500, "lags": ["repeated", waiting]},
        {"took": 400, "lags": [waiting, 0]},
        {"took": 1600, "lags": [waiting, None]},
        {
            "took": 1200,
            "latest": 500,
            "lags": [waiting],
        },  # of the batch the work is less than the interval
        {"rows": 0, "seen": False, "lags": [random.randint(1, 90)]},
        {"wal": 400, "lags": [waiting]},
        {"latest": 400, "lags": [waiting]},
        {"dropped": [rows // 5], "lags": [waiting]},
        {"dropped": [0, rows // 5, 0]},
        {"lags": [10, waiting, 30]},
        {"held": 1.5 * HOUR, "at": datetime(2026, 3, 1, 0, 30)},  # the month has changed
        {"held": 10, "at": datetime(2026, 3, 2, 0, 0, 5)},  # the day has, and it is seconds
    ]
    calls = []
    for case in cases:
        interval = case.pop("interval", 1000)
        calls.append({"report": _report(random, **{"rows": rows, **case}), "interval_ms": interval})
    return Scenario([Event(step, "reports", call) for step, call in enumerate(calls, start=1)])


def _text(moment: datetime) -> str:
    return f"{moment.isoformat(timespec='milliseconds')}Z"


def _report(
    random: randoms.Random,
    *,
    rows: int,
    took: int = 600,
    wal: int = 10,
    commit: int = 10,
    latest: int = 12,
    get: int = 0,
    untold: int = 0,
    lags: list[Any] | None = None,
    dropped: list[int] | None = None,
    held: float | None = 10,
    seen: bool = True,
    ago: float = 0,
    batch: int | None = None,
    at: datetime | None = None,
    without: list[str] | None = None,
) -> dict[str, Any]:
    """`held` are the seconds by which the watermark is behind (None: there is none), `ago` days or, below 0, ahead."""
    newest = at or datetime(2026, 3, 14, random.randint(8, 20), random.randint(0, 59))
    newest += timedelta(milliseconds=250 * random.randint(0, 3))
    clock = newest + (timedelta(days=ago) if ago >= 0 else -timedelta(hours=6))
    marked = datetime(1970, 1, 1) if held is None else newest - timedelta(seconds=held)
    parts = {
        "addBatch": max(0, took - wal - commit - latest - get - untold),
        "commitOffsets": commit,
        "getBatch": get,
        "latestOffset": latest,
        "queryPlanning": 0,
        "triggerExecution": took,
        "walCommit": wal,
    }
    for name in without or []:
        del parts[name]
    return {
        "batchId": random.randint(5, 900) if batch is None else batch,
        "timestamp": _text(clock + timedelta(seconds=2)),
        "numInputRows": rows,
        "durationMs": parts,
        "eventTime": {**({"max": _text(newest)} if seen else {}), "watermark": _text(marked)},
        "stateOperators": [
            {"operatorName": "stateStoreSave", "numRowsDroppedByWatermark": count}
            for count in ([0] if dropped is None else dropped)
        ],
        "sources": [_source(lag) for lag in ([0] if lags is None else lags)],
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
            "avgOffsetsBehindLatest": str(lag * 0.75),
            "maxOffsetsBehindLatest": str(lag),
            "minOffsetsBehindLatest": str(lag // 2),
        },
    }
