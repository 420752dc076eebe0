"""Other queries: each lever where it is allowed and enough, and just not."""

import random as randoms
from typing import Any

from grader.authoring.repeated_calls import own_calls
from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Queries with and without state, most of them at a limit."""
    cores = random.choice([4, 8])
    a, b, c = (random.randrange(20, 60) for _ in range(3))
    log = 2 * (a + b)
    cases = [
        _case(cores, 2 * (300 + a), wal=a, add=299),
        _case(cores, 2 * (300 + a) - 1, wal=a, add=299, python=True),
        _case(cores, 600, wal=a, commit=b, add=300),
        _case(cores, 599, wal=a, commit=b, add=300),
        _case(cores, 600, wal=a, commit=b, add=300, mode="append"),
        _case(cores, 599, wal=a, commit=b, add=300, mode="append"),
        _case(cores, 500, add=300 + c, python=True),
        _case(cores, 600, wal=a, commit=b, add=300, trigger="availableNow", python=True),
        _case(cores, 600, wal=a, commit=b, add=300, sink="files"),
        _case(cores, 600, wal=a, commit=b, add=300, sink="foreachBatch"),
        _case(cores, 600, wal=a, commit=b, add=300, sink="foreach"),
        _case(cores, 600, wal=a, commit=b, add=300, sink="foreach", mode="append"),
        _case(cores, 400, add=300, source="files"),
        _case(cores, 400, add=300, tasks=cores),
        _case(cores, 400, add=300, tasks=cores + 1),
        _case(cores, 600, wal=a, commit=b, add=300, state="heap"),
        _case(cores, 800, wal=a, commit=b, add=800, state="heap", tasks=4 * cores),
        _case(cores, 600 + log, wal=a, commit=b, add=500, state="RocksDB", sync=200 * cores),
        _case(cores, 599 + log, wal=a, commit=b, add=500, state="RocksDB", sync=200 * cores),
        _case(cores, 600 + log, wal=a, commit=b, add=500, state="RocksDB", sync=500, tasks=2),
        _case(cores, 600 + log, wal=a, commit=b, add=500, state="RocksDB", sync=400, tasks=2),
        _case(cores, 400, add=800, state="RocksDB", sync=300 * cores, tasks=4 * cores),
        _case(cores, 400 - 1, add=800, state="RocksDB", sync=300 * cores, tasks=4 * cores),
        _case(cores, 1000, add=800, state="RocksDB", sync=300 * cores, tasks=4 * cores),
        _case(cores, 100, add=400, state="RocksDB", sync=cores, mode="update"),
    ]
    times = ["durationMs", "commitTimeMs", "customMetrics", "budget"]
    cases += own_calls(__file__, times, random.choice([2, 4, 8]))
    random.shuffle(cases)
    rest = 2 * (200 + a + b)  # what is left of two batches if a quarter of addBatch is
    cases += [
        _case(cores, rest, wal=a, commit=b, add=800, state="heap", tasks=4 * cores),
        _case(cores, rest - 1, wal=a, commit=b, add=800, state="heap", tasks=4 * cores),
        # a task more than cores: its share is a fifth or a ninth, and no half
        _case(cores, 900, add=900, state="heap", tasks=cores + 1),
        _case(cores, 1700, add=900, state="heap", tasks=cores + 1),
        # half a millisecond of copying
        _case(cores, 799, add=500, state="RocksDB", sync=100 * cores + cores // 2),
        _case(cores, 798, add=500, state="RocksDB", sync=100 * cores + cores // 2),
        # what the table does not ask of asynchronous progress, and of Real-Time Mode
        _case(cores, 600, wal=a, commit=b, add=300, source="files"),
        _case(cores, 600, wal=a, commit=b, add=300, python=True),
        _case(cores, 600, wal=a, commit=b, add=300, tasks=cores + 1),
        _case(cores, 400, add=300, trigger="availableNow"),
        _case(cores, 400, add=300, sink="console"),
        # a part that no lever of the table takes away
        _case(cores, 600, wal=a, commit=b, add=300, plan=50, mode="append"),
        _case(cores, 700, wal=a, commit=b, add=300, plan=50, mode="append"),
        # less than both logs take: only a lever that saves all of a batch meets it
        _case(cores, log - 1, wal=a, commit=b, add=300),
        _case(cores, 600, wal=a, commit=b, add=300, sink="console"),
        # what is left of a batch is no whole number, and more than its whole part
        _case(cores, 360 * cores + 1, add=180 * (cores + 1) + 1, state="heap", tasks=cores + 1),
    ]
    three = _case(cores, 2 * (500 - 300), add=500, state="RocksDB")
    three["report"]["stateOperators"] = [
        {"commitTimeMs": 900, "customMetrics": {"rocksdbCommitFileSyncLatencyMs": synced}}
        for synced in (50 * cores, 250 * cores, 0)
    ]
    idle = _case(cores, 300, add=200, state="heap")
    for operator in idle["report"]["stateOperators"]:
        operator["commitTimeMs"] = 0
    cases += [three, idle]
    return Scenario([Event(step, "queries", case) for step, case in enumerate(cases, start=1)])


def _case(
    cores: int,
    budget: int,
    *,
    add: int,
    wal: int = 0,
    commit: int = 0,
    plan: int = 0,
    state: str = "",
    sync: int = 0,
    tasks: int | None = None,
    mode: str = "update",
    python: bool = False,
    source: str = "kafka",
    sink: str = "kafka",
    trigger: str = "processingTime",
) -> dict[str, Any]:
    """A query from Kafka to Kafka in update mode, but for what is said; a batch takes add + wal + commit + plan."""
    tasks = cores if tasks is None and state else tasks or 1
    metrics = {"rocksdbCommitFileSyncLatencyMs": sync // 2} if state == "RocksDB" else {}
    operators = [
        {"commitTimeMs": sync // 2 + 150 * tasks, "customMetrics": dict(metrics)} for _ in range(2)
    ]
    return {
        "query": {
            "source": source,
            "sink": sink,
            "mode": mode,
            "trigger": trigger,
            "python": python,
            "tasks": tasks,
        },
        "report": {
            "durationMs": {
                "addBatch": add,
                "walCommit": wal,
                "commitOffsets": commit,
                **({"queryPlanning": plan} if plan else {}),
                "triggerExecution": add + wal + commit + plan,
            },
            "stateOperators": operators if state else [],
        },
        "cores": cores,
        "budget": budget,
    }
