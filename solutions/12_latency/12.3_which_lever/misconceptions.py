"""Ways to choose a lever that is refused, or not worth it."""

from collections.abc import Callable
from math import ceil
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
    """Budget compared with a single batch

    Your function calls the budget met if one batch fits into it. A record that arrives just after
    a batch began waits for that batch, and then for its own. How many batches is that?
    """
    return _first(_savings(query, report, cores), _whole(report), budget, batches=1)


def progress_beside_state(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Asynchronous progress with state

    "asynchronous progress" is returned for a query with state. Spark refuses that: "Stateful
    streaming queries does not support async progress tracking". State and offsets have to be
    saved together. How do you see in the report that a query has state?
    """
    allowed = {
        "asynchronous progress": query["sink"] == "kafka" and query["trigger"] == "processingTime"
    }
    savings = _savings(query, report, cores, allowed=allowed)
    return _first(savings, _whole(report), budget)


def progress_into_any_sink(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Asynchronous progress into a sink other than Kafka

    "asynchronous progress" is returned for a query that does not write to Kafka. After a failure
    such a query may form different batches, and a sink that uses batch numbers would skip the
    wrong ones. Which sink does the table allow?
    """
    operators = report["stateOperators"]
    allowed = {"asynchronous progress": not operators and query["trigger"] == "processingTime"}
    savings = _savings(query, report, cores, allowed=allowed)
    return _first(savings, _whole(report), budget)


def progress_with_available_now(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Asynchronous progress with availableNow

    "asynchronous progress" is returned for a query with the trigger availableNow, or once. Spark
    refuses that, because such a query has to know where it stopped. Which trigger does the table
    allow?
    """
    operators = report["stateOperators"]
    allowed = {"asynchronous progress": not operators and query["sink"] == "kafka"}
    savings = _savings(query, report, cores, allowed=allowed)
    return _first(savings, _whole(report), budget)


def one_log_of_two(query: dict[str, Any], report: dict[str, Any], cores: int, budget: int) -> str:
    """Only the offset log counted

    "asynchronous progress" is missing if the budget needs both logs. It takes the offset log
    (`walCommit`) and the commit log (`commitOffsets`) out of the batch. Which of them do you add?
    """
    saved = {"asynchronous progress": report["durationMs"]["walCommit"]}
    return _first(_savings(query, report, cores, saved=saved), _whole(report), budget)


def tasks_one_after_the_other(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Sum over all tasks taken for the batch's time

    "changelogs" is returned although it saves too little. The metric is a sum over all tasks,
    which run in parallel. Four tasks that each wait for a second make 4,000 ms, but the batch
    waits for one second. By which number do you divide?
    """
    return _first(_savings(query, report, cores, side_by_side=1), _whole(report), budget)


def cores_without_work(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Changelogs passed over, with fewer tasks than cores

    "changelogs" is missing for a query with fewer tasks than cores. Either you divide the sum by
    all cores, although no more run in parallel than there are tasks. Or you do not allow the
    lever there; the table requires state in RocksDB only. Which of the two is it?
    """
    return _first(_savings(query, report, cores, side_by_side=cores), _whole(report), budget)


def the_whole_commit(query: dict[str, Any], report: dict[str, Any], cores: int, budget: int) -> str:
    """Whole commit counted as saved

    "changelogs" is returned if only the whole commit would be enough, or for state in the default
    provider. The lever saves the copying of files to the checkpoint. Which metric is that?
    """
    commit = sum(operator["commitTimeMs"] for operator in report["stateOperators"])
    return _first(_savings(query, report, cores, commit=commit), _whole(report), budget)


def real_time_with_state(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Real-Time Mode with state

    "real-time mode" is returned for a query with state. In Spark 4.2 no stateful operator is on
    the mode's list of operators. How do you see in the report that a query has state?
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

    "real-time mode" is returned for a query in append mode. Spark requires update mode; without
    state both modes emit the same rows. Which field of `query` decides?
    """
    return _first(_savings({**query, "mode": "update"}, report, cores), _whole(report), budget)


def real_time_with_python(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Real-Time Mode with functions in Python

    "real-time mode" is returned for a query that computes columns with Python. Such functions are
    not on the mode's list of operators. Which field of `query` decides?
    """
    return _first(_savings({**query, "python": False}, report, cores), _whole(report), budget)


def real_time_into_batches(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Real-Time Mode with foreachBatch

    "real-time mode" is returned for a query whose sink takes whole batches. In this mode a record
    is written before its batch ends, so there is no batch for `foreachBatch`. Which sinks does
    the table allow?
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

    "real-time mode" is returned for a query with more tasks than cores. Its tasks do not end when
    they have read the input: each one keeps its core. How many cores does the query need?
    """
    if report["stateOperators"]:
        return _first(_savings(query, report, cores), _whole(report), budget)
    enough = max(cores, query["tasks"])
    return _first(_savings(query, report, enough), _whole(report), budget)


def the_largest_saving(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Largest saving instead of the first that is enough

    A later lever of the table is returned although an earlier one meets the budget. The table
    goes from low cost to high cost. When does your search stop?
    """
    savings = _savings(query, report, cores)
    largest = dict(sorted(savings.items(), key=lambda item: -item[1]))
    if 2 * _whole(report) <= budget:
        return "nothing"
    return _first(largest, _whole(report), budget)


def less_than_the_budget(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Budget met only below its limit

    If the worst latency equals the budget, your function returns a later lever, or another query.
    The budget is the latency that no record may *exceed*. Which comparison includes the budget
    itself?
    """
    return _first(_savings(query, report, cores), _whole(report), budget, met=lt)


def levers_added_up(query: dict[str, Any], report: dict[str, Any], cores: int, budget: int) -> str:
    """Savings of two levers added up

    "fewer stores" is returned although only both levers together would be enough. The task
    returns one lever, and it has to meet the budget alone. From which value do you subtract its
    saving?
    """
    savings, together = {}, 0.0
    for name, saved in _savings(query, report, cores).items():
        together += saved
        savings[name] = together
    return _first(savings, _whole(report), budget)


def one_operator_of_two(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Files of several operators not added up

    "changelogs" is missing although it is enough: only one operator's copying was counted, or
    their average. A query with two stateful operators has two entries in `stateOperators`, and
    waits for the files of both. What do you do with the two numbers?
    """
    first = sum(o["customMetrics"].get(SYNC, 0) for o in report["stateOperators"][:1])
    return _first(_savings(query, report, cores, commit=first), _whole(report), budget)


def more_at_a_time_than_cores(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Changelogs passed over, with more tasks than cores

    For a query with more tasks than cores "changelogs" is missing although it is enough. Either
    you divide the sum by all tasks, although no more run in parallel than there are cores. Or you
    try "fewer stores" first, which comes later in the table. Which of the two is it?
    """
    return _first(
        _savings(query, report, cores, side_by_side=query["tasks"]), _whole(report), budget
    )


def conditions_left_out(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Levers without their conditions

    Several levers are returned for queries for which the table does not allow them. The saving of
    a lever counts only if its condition holds. Which column has the condition?
    """
    names = ("asynchronous progress", "changelogs", "fewer stores", "real-time mode")
    savings = _savings(query, report, cores, allowed=dict.fromkeys(names, True))
    return _first(savings, _whole(report), budget)


def savings_in_whole_milliseconds(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Saving rounded to an integer

    The budget is met in your function only because a saving was rounded up. The task rounds
    nothing. Where does your function round?
    """
    savings = _savings(query, report, cores)
    return _first({name: ceil(saved) for name, saved in savings.items()}, _whole(report), budget)


def progress_without_python_only(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Asynchronous progress refused for Python

    "asynchronous progress" is missing for a query that computes columns with Python. The table
    has that condition for Real-Time Mode only. Which conditions does this lever have?
    """
    savings = _savings(query, report, cores)
    if query["python"]:
        savings.pop("asynchronous progress", None)
    return _first(savings, _whole(report), budget)


def progress_as_spark_allows_it(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Asynchronous progress into the console

    "asynchronous progress" is returned for the console sink. Spark allows it there, but the table
    counts, and it allows Kafka only. Which sinks do your conditions allow?
    """
    allowed = {
        "asynchronous progress": not report["stateOperators"]
        and query["sink"] in ("kafka", "console", "memory", "noop")
        and query["trigger"] == "processingTime"
    }
    return _first(_savings(query, report, cores, allowed=allowed), _whole(report), budget)


def real_time_into_the_console(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Real-Time Mode into the console

    "real-time mode" is returned for the console sink. Spark allows it there, but the table
    counts, and it allows `"kafka"` and `"foreach"`. Which sinks do your conditions allow?
    """
    found = _savings(query, report, cores)
    if query["sink"] == "console":
        kafka = _savings({**query, "sink": "kafka"}, report, cores)
        found |= {name: saved for name, saved in kafka.items() if name == "real-time mode"}
    return _first(found, _whole(report), budget)


def real_time_by_its_trigger(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Real-Time Mode refused because of the trigger

    "real-time mode" is missing for a query with the trigger availableNow. The mode has a trigger
    of its own, so the table has no condition for it. Which conditions does this lever have?
    """
    savings = _savings(query, report, cores)
    if query["trigger"] != "processingTime":
        savings.pop("real-time mode", None)
    return _first(savings, _whole(report), budget)


def real_time_from_any_source(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Real-Time Mode from any source

    "real-time mode" is returned for a query that does not read from Kafka. Which source does the
    table allow?
    """
    found = _savings(query, report, cores)
    kafka = _savings({**query, "source": "kafka"}, report, cores)
    found |= {name: saved for name, saved in kafka.items() if name == "real-time mode"}
    return _first(found, _whole(report), budget)


def real_time_saves_add_batch(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """Real-Time Mode that saves addBatch only

    "real-time mode" is missing although it is enough. It saves at most the whole batch,
    `triggerExecution`, because a record does not wait for a batch at all. Which part do you
    subtract?
    """
    saved = {"real-time mode": report["durationMs"]["addBatch"]}
    return _first(_savings(query, report, cores, saved=saved), _whole(report), budget)


def first_operator_for_all(
    query: dict[str, Any], report: dict[str, Any], cores: int, budget: int
) -> str:
    """First operator's time taken for every operator

    Your function multiplies the copying of the first operator by the number of operators. Each
    operator has its own metric, and a join can copy much more than a count. How do you add them
    up?
    """
    operators = report["stateOperators"]
    if not operators:
        return _first(_savings(query, report, cores), _whole(report), budget)
    commit = operators[0]["customMetrics"].get(SYNC, 0) * len(operators)
    return _first(_savings(query, report, cores, commit=commit), _whole(report), budget)
