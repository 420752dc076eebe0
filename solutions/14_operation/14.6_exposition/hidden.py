"""Other queries: names that need escapes, restarts, sources with and without offsets, rates that are missing."""

import random as randoms
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from grader.scenario import Event, Scenario

Report = dict[str, Any]
NO_WATERMARK = "1970-01-01T00:00:00.000Z"
QUEUE = {
    "description": "RateStreamV2[rowsPerSecond=5]",
    "startOffset": 3,
    "endOffset": 4,
    "latestOffset": 4,
}
FILES = {
    "description": "FileStreamSource[file:/in]",
    "startOffset": {"logOffset": 0},
    "latestOffset": None,
}


def hidden(random: randoms.Random) -> Scenario:
    """Reports in the form that Spark writes, with other values; each rule just met and just missed."""

    def uuid() -> str:
        return str(UUID(int=random.getrandbits(128), version=4))

    def query(
        name: str | None, *sources: Any, id: str = "", reports: int = 2, **more: Any
    ) -> list[Report]:
        both = {"id": id or uuid(), "runId": uuid(), "name": name}
        at = datetime(2026, 3, random.randint(1, 28), 11, random.randint(0, 59), 7)
        found = []
        for number in range(reports):
            took = random.randrange(41, 4987)
            mark = at - timedelta(milliseconds=random.randrange(5_001, 9_999))
            found.append(
                {
                    **both,
                    "timestamp": _text(at + timedelta(seconds=number)),
                    "batchId": 7 + number,
                    "numInputRows": random.randrange(101, 999),
                    "inputRowsPerSecond": round(random.uniform(50, 99), 1),
                    "processedRowsPerSecond": round(random.uniform(100, 300), 1),
                    "durationMs": {"addBatch": took - 40, "triggerExecution": took},
                    "eventTime": {"watermark": _text(mark + timedelta(seconds=number))},
                    "stateOperators": [],
                    "sources": [dict(source) for source in sources],
                    **more,
                }
            )
        return found

    def kafka(*topics: str, behind: int | None = None, new: str = "") -> dict[str, Any]:
        end = {t: {str(n): random.randrange(500, 900) for n in range(2)} for t in topics}
        lag = random.randrange(100, 400) if behind is None else behind
        latest = {t: {n: offset + lag + int(n) for n, offset in end[t].items()} for t in topics}
        start = {t: {n: offset - 60 for n, offset in end[t].items()} for t in topics}
        if new == "partition":
            latest[topics[0]]["2"] = random.randrange(10, 99)
        elif new:
            latest[new] = {"0": random.randrange(10, 99)}
        return {
            "description": f"KafkaV2[Subscribe[{', '.join(topics)}]]",
            "startOffset": start,
            "endOffset": end,
            "latestOffset": latest,
            "metrics": {"maxOffsetsBehindLatest": str(lag + 1)},
        }

    repeated = {**kafka("clicks"), "latestOffset": None}
    quiet = {"inputRowsPerSecond": 0.0, "numInputRows": 0}
    plain = query("orders by page", kafka("orders"), reports=3)
    again = query("orders by page", repeated, id=plain[0]["id"], reports=1)
    moved = query("orders by page", kafka("orders"), reports=2)
    twins = query(None, kafka("clicks"), reports=1), query(None, kafka("clicks"), reports=2)
    absent = query("absent", kafka("clicks"), reports=1)
    del absent[0]["inputRowsPerSecond"], absent[0]["eventTime"]
    lists = [
        plain,
        query('the "big" sale', kafka("clicks", behind=0), **quiet),
        query(r"C:\new\table", kafka("clicks"), kafka("refunds"), reports=1),
        query("line\nbreak\tand tab", kafka("clicks"), reports=1),
        query('Größe \\ "1"\n', kafka("clicks", "orders"), reports=2),
        query(None, kafka("clicks", new="partition")),
        query(None, kafka("clicks", new="orders"), reports=1),
        [*plain, *again],
        [*plain[:2], *again, *moved],
        [plain[0], *twins[0], plain[1], twins[1][0], plain[2], twins[1][1]],
        query("rate", QUEUE),
        query("files", {**FILES, "endOffset": {"logOffset": 0}}, reports=1),
        query("both", QUEUE, kafka("clicks"), reports=1),
        query("first batch", kafka("clicks"), reports=1, eventTime={"watermark": NO_WATERMARK}),
        query("no event time", kafka("clicks"), reports=1, eventTime={}),
        query("nan", QUEUE, reports=1, inputRowsPerSecond="NaN", numInputRows=0),
        absent,
        [*absent, *query("present", kafka("clicks"))],
        query("came to nothing", kafka("clicks"), reports=3)[:2]
        + query(
            "came to nothing", kafka("clicks"), reports=1, eventTime={}, inputRowsPerSecond="NaN"
        ),
        [],
    ]
    random.shuffle(lists)
    return Scenario(
        [Event(step, "calls", {"reports": one}) for step, one in enumerate(lists, start=1)]
    )


def _text(at: datetime) -> str:
    return f"{at.isoformat(timespec='milliseconds')}Z"
