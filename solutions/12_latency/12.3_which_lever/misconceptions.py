"""Ways to choose a lever that is refused, or not worth it."""

from collections.abc import Callable
from operator import le, lt
from typing import Any

SYNC = "rocksdbCommitFileSyncLatencyMs"


def _savings(
    query: dict[str, Any], report: dict[str, Any], cores: int, **wrong: Any
) -> dict[str, float]:
    """What each allowed lever saves at most, but for what `wrong` names."""
    times, operators, tasks = report["durationMs"], report["stateOperators"], query["tasks"]
    side_by_side = wrong.get("side_by_side", min(cores, tasks))
    sync = sum(o["customMetrics"].get(SYNC, 0) for o in operators)
    saved = {
        "nothing": 0,
        "asynchronous progress": times["walCommit"] + times["commitOffsets"],
        "changelogs": wrong.get("commit", sync) / side_by_side,
        "fewer stores": times["addBatch"] * (1 - cores / tasks),
        "real-time mode": times["triggerExecution"],
    }
    saved |= wrong.get("saved", {})
    without_state = not operators
    allowed = {
        "nothing": True,
        "asynchronous progress": without_state
        and query["sink"] == "kafka"
        and query["trigger"] == "processingTime",
        "changelogs": not without_state,
        "fewer stores": not without_state and tasks > cores,
        "real-time mode": without_state
        and query["source"] == "kafka"
        and query["sink"] in ("kafka", "foreach")
        and query["mode"] == "update"
        and not query["python"]
        and tasks <= cores,
    }
    allowed |= wrong.get("allowed", {})
    return {name: saved[name] for name in saved if allowed[name]}


def _first(
    savings: dict[str, float],
    whole: float,
    budget: int,
    *,
    batches: int = 2,
    met: Callable[[float, float], bool] = le,
) -> str:
    enough = (name for name, saved in savings.items() if met(batches * (whole - saved), budget))
    return next(enough, "another query")


def _whole(report: dict[str, Any]) -> float:
    return float(report["durationMs"]["triggerExecution"])


def one_batch_is_enough(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """The record that just missed its batch

    The budget is called met where one batch fits into it. A record that comes a moment after a batch
    has begun waits until that one is over, and then for its own.
    """
    return _first(_savings(query, report, cores), _whole(report), budget, batches=1)


def progress_beside_state(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Asynchronous progress, and state

    "asynchronous progress" is said of a query with state. Spark refuses that: "Stateful streaming
    queries does not support async progress tracking". State and offsets have to be saved together.
    """
    allowed = {
        "asynchronous progress": query["sink"] == "kafka" and query["trigger"] == "processingTime"
    }
    savings = _savings(query, report, cores, allowed=allowed)
    return _first(savings, _whole(report), budget)


def progress_into_any_sink(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Asynchronous progress into another sink

    "asynchronous progress" is said of a query that does not write to Kafka. After a failure such a query
    may cut its batches anew, and a sink that goes by the number of a batch would take the wrong ones for done.
    """
    operators = report["stateOperators"]
    allowed = {"asynchronous progress": not operators and query["trigger"] == "processingTime"}
    savings = _savings(query, report, cores, allowed=allowed)
    return _first(savings, _whole(report), budget)


def progress_with_available_now(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Asynchronous progress with availableNow

    "asynchronous progress" is said of a query with the trigger availableNow. Spark refuses the two
    together: a query that stops when it has read everything has to know where it stopped.
    """
    operators = report["stateOperators"]
    allowed = {"asynchronous progress": not operators and query["sink"] == "kafka"}
    savings = _savings(query, report, cores, allowed=allowed)
    return _first(savings, _whole(report), budget)


def one_log_of_two(query: dict[str, Any], report: dict[str, Any], cores: int, budget: int) -> str:
    """Both logs are written beside the batch

    "asynchronous progress" is not said where it takes both logs to meet the budget. The offset log
    (`walCommit`) and the commit log (`commitOffsets`) both count then.
    """
    saved = {"asynchronous progress": report["durationMs"]["walCommit"]}
    return _first(_savings(query, report, cores, saved=saved), _whole(report), budget)


def tasks_one_after_the_other(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """A sum that nobody waited for

    "changelogs" is said where they save too little. The metric is a sum over all tasks, and they run
    side by side: four tasks that each wait for a second make 4,000 ms of it, and the batch a second.
    """
    return _first(_savings(query, report, cores, side_by_side=1), _whole(report), budget)


def cores_without_work(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Cores that have no task

    "changelogs" is not said of a query with fewer tasks than cores, where they are enough. Either the sum was divided by
    all cores: side by side run as many tasks as there are cores, but not more than there are tasks. Or the lever was
    not allowed there; the table asks for state in RocksDB only.
    """
    return _first(_savings(query, report, cores, side_by_side=cores), _whole(report), budget)


def the_whole_commit(query: dict[str, Any], report: dict[str, Any], cores: int, budget: int) -> str:
    """More than changelogs can save

    "changelogs" is said where only the whole commit would be enough, or of state that is on the heap.
    What they save is the copying of files to the checkpoint, `rocksdbCommitFileSyncLatencyMs`.
    """
    commit = sum(operator["commitTimeMs"] for operator in report["stateOperators"])
    return _first(_savings(query, report, cores, commit=commit), _whole(report), budget)


def real_time_with_state(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Real-Time Mode, and state

    "real-time mode" is said of a query with state. Spark 4.2 has a list of operators that it runs in this
    mode, and none with state is on it.
    """
    stateless = {**report, "stateOperators": []}
    found = _savings(query, report, cores)
    found |= {
        name: saved
        for name, saved in _savings(query, stateless, cores).items()
        if name == "real-time mode"
    }
    return _first(found, _whole(report), budget)


def real_time_in_append_mode(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Real-Time Mode in append mode

    "real-time mode" is said of a query in append mode. Spark asks for update mode and refuses the other;
    without state the two would give out the same rows.
    """
    return _first(_savings({**query, "mode": "update"}, report, cores), _whole(report), budget)


def real_time_with_python(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Real-Time Mode with functions in Python

    "real-time mode" is said of a query that calls Python. Such functions are not among the operators that run in
    this mode.
    """
    return _first(_savings({**query, "python": False}, report, cores), _whole(report), budget)


def real_time_into_batches(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Real-Time Mode and foreachBatch

    "real-time mode" is said of a query whose sink takes whole batches. In this mode a record is on its way before its
    batch is over, so there is nothing to hand to `foreachBatch`.
    """
    other = {**query, "sink": "foreach"} if query["sink"] == "foreachBatch" else query
    found = _savings(query, report, cores)
    found |= {
        name: saved
        for name, saved in _savings(other, report, cores).items()
        if name == "real-time mode"
    }
    return _first(found, _whole(report), budget)


def tasks_that_wait_for_a_core(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """More tasks than cores in Real-Time Mode

    "real-time mode" is said of a query with more tasks than cores. There the tasks do not end when they have
    read what there is: they stay, and each of them holds a core.
    """
    if report["stateOperators"]:
        return _first(_savings(query, report, cores), _whole(report), budget)
    enough = max(cores, query["tasks"])
    return _first(_savings(query, report, enough), _whole(report), budget)


def the_largest_saving(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """The strongest lever, not the first that is enough

    A later lever of the table is said where an earlier one meets the budget. The table goes from what costs
    little to what costs much: a new checkpoint, or another way to run the query.
    """
    savings = _savings(query, report, cores)
    largest = dict(sorted(savings.items(), key=lambda item: -item[1]))
    if 2 * _whole(report) <= budget:
        return "nothing"
    return _first(largest, _whole(report), budget)


def less_than_the_budget(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """The budget to the millisecond

    Where the worst latency is just as large as the budget, a later lever is said, or another query. Read on what the
    budget is: no record may *exceed* it.
    """
    return _first(_savings(query, report, cores), _whole(report), budget, met=lt)


def levers_added_up(query: dict[str, Any], report: dict[str, Any], cores: int, budget: int) -> str:
    """What two levers save together

    "fewer stores" is said where it is not enough by itself, and would be together with changelogs. One lever is
    asked for: each has to meet the budget alone.
    """
    savings, together = {}, 0.0
    for name, saved in _savings(query, report, cores).items():
        together += saved
        savings[name] = together
    return _first(savings, _whole(report), budget)


def one_operator_of_two(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """The files of one operator of two

    Changelogs are passed over where they are enough: counted is what one of the operators takes to copy its files.
    A query with two stateful operators has two entries in `stateOperators`, and waits for the files of both.
    """
    first = sum(o["customMetrics"].get(SYNC, 0) for o in report["stateOperators"][:1])
    return _first(_savings(query, report, cores, commit=first), _whole(report), budget)


def more_at_a_time_than_cores(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Changelogs, where tasks outnumber the cores

    Of a query with more tasks than cores changelogs are passed over, and they are enough. Either the sum was divided by
    all tasks: it is divided by how many run side by side, never more than there are cores. Or fewer stores were asked
    for first, and they stand after changelogs in the table.
    """
    return _first(
        _savings(query, report, cores, side_by_side=query["tasks"]), _whole(report), budget
    )


def conditions_left_out(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Levers without their conditions

    More than one lever is said of queries for which the table does not allow it. What a lever saves counts only
    where its second column holds.
    """
    names = ("asynchronous progress", "changelogs", "fewer stores", "real-time mode")
    savings = _savings(query, report, cores, allowed=dict.fromkeys(names, True))
    return _first(savings, _whole(report), budget)
