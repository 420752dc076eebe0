"""Other right ways to choose a lever."""

from typing import Any


def question_after_question(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Asks of each lever in turn, with what may be left of a batch."""
    times, state = report["durationMs"], report["stateOperators"]
    too_long = times["triggerExecution"] - budget / 2  # milliseconds that have to go
    if too_long <= 0:
        return "nothing"
    if state:
        waited = 0
        for operator in state:
            waited += operator["customMetrics"].get("rocksdbCommitFileSyncLatencyMs", 0)
        if waited >= too_long * min(cores, query["tasks"]):
            return "changelogs"
        if times["addBatch"] * (query["tasks"] - cores) >= too_long * query["tasks"]:
            return "fewer stores"
        return "another query"
    into, logs = query["sink"], times["walCommit"] + times["commitOffsets"]
    if into == "kafka" and query["trigger"] == "processingTime" and logs >= too_long:
        return "asynchronous progress"
    on_the_list = query["source"] == "kafka" and into in {"kafka", "foreach"}
    if on_the_list and query["mode"] == "update" and not query["python"]:
        return "real-time mode" if query["tasks"] <= cores else "another query"
    return "another query"


def rules_in_a_list(query: dict[str, Any], report: dict[str, Any], cores: int, budget: int) -> str:
    """Name, whether it is allowed, and what it saves, a line for each lever."""
    times, tasks = report["durationMs"], query["tasks"]
    stateful = len(report["stateOperators"]) > 0
    synced = sum(
        metrics.get("rocksdbCommitFileSyncLatencyMs", 0)
        for metrics in (operator["customMetrics"] for operator in report["stateOperators"])
    )
    real_time = {"source": ["kafka"], "sink": ["kafka", "foreach"], "mode": ["update"]}
    fits = all(query[name] in values for name, values in real_time.items())
    rules = [
        ("nothing", True, 0),
        (
            "asynchronous progress",
            not stateful and (query["sink"], query["trigger"]) == ("kafka", "processingTime"),
            times["walCommit"] + times["commitOffsets"],
        ),
        ("changelogs", stateful, synced / min(tasks, cores)),
        ("fewer stores", stateful, times["addBatch"] * max(0, tasks - cores) / tasks),
        (
            "real-time mode",
            not stateful and fits and not query["python"] and tasks <= cores,
            times["triggerExecution"],
        ),
        ("another query", True, float("inf")),
    ]
    for name, allowed, saved in rules:
        if allowed and 2 * (times["triggerExecution"] - saved) <= budget:
            return name
    raise AssertionError("the last rule always holds")
