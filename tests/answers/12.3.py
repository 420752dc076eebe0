"""Answers to 12.3: levers chosen in other ways, right and wrong."""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

SYNC = "rocksdbCommitFileSyncLatencyMs"


def _copying(report: dict) -> int:
    return sum(operator["customMetrics"].get(SYNC, 0) for operator in report["stateOperators"])


def _savings(query: dict, report: dict, cores: int, **wrong: Any) -> dict[str, float]:
    """What each lever saves that is allowed, in the order of the table, but for what `wrong` names."""
    times, tasks = report["durationMs"], query["tasks"]
    state = bool(report["stateOperators"])
    saved = {
        "nothing": 0,
        "asynchronous progress": times["walCommit"] + times["commitOffsets"],
        "changelogs": _copying(report) / min(cores, tasks),
        "fewer stores": times["addBatch"] * (1 - cores / tasks),
        "real-time mode": times["triggerExecution"],
    } | wrong.get("saved", {})
    allowed = {
        "nothing": True,
        "asynchronous progress": not state
        and (query["sink"], query["trigger"]) == ("kafka", "processingTime"),
        "changelogs": state,
        "fewer stores": state and tasks > cores,
        "real-time mode": not state
        and (query["source"], query["mode"]) == ("kafka", "update")
        and query["sink"] in wrong.get("sinks", ("kafka", "foreach"))
        and not query["python"]
        and tasks <= cores,
    }
    also = wrong.get("also", {})
    return {name: saved[name] for name in saved if allowed[name] and also.get(name, True)}


def _first(savings: dict[str, float], whole: float, budget: int) -> str:
    for name, saved in savings.items():
        if 2 * (whole - saved) <= budget:
            return name
    return "another query"


def _whole(report: dict) -> int:
    return report["durationMs"]["triggerExecution"]


def right_with_fractions(query: dict, report: dict, cores: int, budget: int) -> str:
    """Exact fractions, and what is left of a batch in place of what is saved."""
    times, operators = report["durationMs"], report["stateOperators"]
    whole, tasks = Fraction(times["triggerExecution"]), query["tasks"]
    left = [("nothing", whole)]
    if operators:
        left.append(("changelogs", whole - Fraction(_copying(report), min(cores, tasks))))
        if tasks > cores:
            share = 1 - Fraction(cores, tasks)
            left.append(("fewer stores", whole - times["addBatch"] * share))
    else:
        if query["sink"] == "kafka" and query["trigger"] == "processingTime":
            left.append(
                ("asynchronous progress", whole - times["walCommit"] - times["commitOffsets"])
            )
        wanted = {"source": ("kafka",), "sink": ("kafka", "foreach"), "mode": ("update",)}
        on_the_list = all(query[name] in values for name, values in wanted.items())
        if on_the_list and not query["python"] and tasks <= cores:
            left.append(("real-time mode", Fraction(0)))
    enough = [name for name, rest in left if rest <= Fraction(budget, 2)]
    return enough[0] if enough else "another query"


def right_levers_as_they_come(query: dict, report: dict, cores: int, budget: int) -> str:
    """A generator of the allowed levers in the order of the table, and a helper that says what is left."""
    times = report["durationMs"]
    stateless = len(report["stateOperators"]) == 0

    def levers() -> Iterator[tuple[str, float]]:
        yield "nothing", 0
        if stateless and query["sink"] == "kafka" and query["trigger"] == "processingTime":
            yield "asynchronous progress", times["walCommit"] + times["commitOffsets"]
        if any(SYNC in operator["customMetrics"] for operator in report["stateOperators"]):
            yield "changelogs", _copying(report) / min(cores, query["tasks"])
        if not stateless and query["tasks"] > cores:
            yield "fewer stores", times["addBatch"] * (1 - cores / query["tasks"])
        if (
            stateless
            and query["source"] == "kafka"
            and query["sink"] in {"kafka", "foreach"}
            and query["mode"] == "update"
            and not (query["python"] or query["tasks"] > cores)
        ):
            yield "real-time mode", times["triggerExecution"]
        yield "another query", float("inf")

    return next(n for n, saved in levers() if times["triggerExecution"] - saved <= budget / 2)


def right_with_match(query: dict, report: dict, cores: int, budget: int) -> str:
    """Two questions for queries with state, two for those without, by match."""
    times, tasks, operators = report["durationMs"], query["tasks"], report["stateOperators"]

    def met(saved: float) -> bool:
        return 2 * times["triggerExecution"] - 2 * saved <= budget

    if met(0):
        return "nothing"
    if operators:
        if met(_copying(report) / (cores if cores < tasks else tasks)):
            return "changelogs"
        if met(times["addBatch"] - times["addBatch"] * min(cores, tasks) / tasks):
            return "fewer stores"
        return "another query"
    match query:
        case {"sink": "kafka", "trigger": "processingTime"} if met(
            times["walCommit"] + times["commitOffsets"]
        ):
            return "asynchronous progress"
        case {"source": "kafka", "sink": "kafka" | "foreach", "mode": "update", "python": False}:
            return "real-time mode" if tasks <= cores and budget >= 0 else "another query"
    return "another query"


def right_functions_in_a_table(query: dict, report: dict, cores: int, budget: int) -> str:
    """The table as a list of functions, each of which gives what is saved or None."""
    times, tasks = report["durationMs"], query["tasks"]
    state = report["stateOperators"] != []
    lists = {"kafka", "foreach"}
    table: list[tuple[str, Callable[[], float | None]]] = [
        ("nothing", lambda: 0),
        (
            "asynchronous progress",
            lambda: (
                times.get("walCommit", 0) + times.get("commitOffsets", 0)
                if not state and query["sink"] == "kafka" and query["trigger"] == "processingTime"
                else None
            ),
        ),
        ("changelogs", lambda: _copying(report) / min(cores, tasks) if state else None),
        (
            "fewer stores",
            lambda: times["addBatch"] / tasks * max(tasks - cores, 0) if state else None,
        ),
        (
            "real-time mode",
            lambda: (
                times["triggerExecution"]
                if not state
                and query["source"] == "kafka"
                and query["sink"] in lists
                and query["mode"] == "update"
                and query["python"] is False
                and cores >= tasks
                else None
            ),
        ),
    ]
    for name, saves in table:
        saved = saves()
        if saved is not None and (times["triggerExecution"] - saved) * 2 <= budget:
            return name
    return "another query"


def right_refusals_first(query: dict, report: dict, cores: int, budget: int) -> str:
    """Begins with all five levers, and takes out of the dict what is not allowed."""
    times, tasks = report["durationMs"], query["tasks"]
    left = {
        "nothing": times["triggerExecution"],
        "asynchronous progress": times["triggerExecution"]
        - times["walCommit"]
        - times["commitOffsets"],
        "changelogs": times["triggerExecution"] - _copying(report) / min(cores, tasks),
        "fewer stores": times["triggerExecution"] - times["addBatch"] * (tasks - cores) / tasks,
        "real-time mode": 0,
    }
    if report["stateOperators"]:
        refused = {"asynchronous progress", "real-time mode"}
    else:
        refused = {"changelogs", "fewer stores"}
    if query["sink"] != "kafka" or query["trigger"] != "processingTime":
        refused.add("asynchronous progress")
    if tasks <= cores:
        refused.add("fewer stores")
    if query["sink"] not in ("kafka", "foreach") or query["source"] != "kafka":
        refused.add("real-time mode")
    if query["mode"] != "update" or query["python"] or tasks > cores:
        refused.add("real-time mode")
    for name, rest in left.items():
        if name not in refused and 2 * rest <= budget:
            return name
    return "another query"


def wrong_saved_once(query: dict, report: dict, cores: int, budget: int) -> str:
    """Takes the saving off two batches once: "a lever makes both shorter"."""
    for name, saved in _savings(query, report, cores).items():
        if 2 * _whole(report) - saved <= budget:
            return name
    return "another query"


def wrong_python_forbids_progress(query: dict, report: dict, cores: int, budget: int) -> str:
    """Asks asynchronous progress for a query without Python; the table asks that of another lever."""
    also = {"asynchronous progress": not query["python"]}
    return _first(_savings(query, report, cores, also=also), _whole(report), budget)


def wrong_progress_in_update_mode_only(query: dict, report: dict, cores: int, budget: int) -> str:
    """Asks asynchronous progress for update mode, as of Real-Time Mode."""
    also = {"asynchronous progress": query["mode"] == "update"}
    return _first(_savings(query, report, cores, also=also), _whole(report), budget)


def wrong_a_core_to_spare(query: dict, report: dict, cores: int, budget: int) -> str:
    """Wants fewer tasks than cores in Real-Time Mode; as many are allowed."""
    also = {"real-time mode": query["tasks"] < cores}
    return _first(_savings(query, report, cores, also=also), _whole(report), budget)


def wrong_real_time_by_its_trigger(query: dict, report: dict, cores: int, budget: int) -> str:
    """Refuses Real-Time Mode to availableNow; "asks for no trigger there"."""
    also = {"real-time mode": query["trigger"] == "processingTime"}
    return _first(_savings(query, report, cores, also=also), _whole(report), budget)


def wrong_console_in_real_time(query: dict, report: dict, cores: int, budget: int) -> str:
    """Allows the console in Real-Time Mode, as Spark does; "the table alone counts"."""
    sinks = ("kafka", "foreach", "console")
    return _first(_savings(query, report, cores, sinks=sinks), _whole(report), budget)


def wrong_real_time_saves_add_batch(query: dict, report: dict, cores: int, budget: int) -> str:
    """Has Real-Time Mode save addBatch only; it saves all of the batch."""
    saved = {"real-time mode": report["durationMs"]["addBatch"]}
    return _first(_savings(query, report, cores, saved=saved), _whole(report), budget)


def wrong_share_that_is_left(query: dict, report: dict, cores: int, budget: int) -> str:
    """Takes cores / tasks for what fewer stores save; that is what is left."""
    saved = {"fewer stores": report["durationMs"]["addBatch"] * cores / query["tasks"]}
    return _first(_savings(query, report, cores, saved=saved), _whole(report), budget)


def wrong_share_of_the_whole_batch(query: dict, report: dict, cores: int, budget: int) -> str:
    """Takes the share of triggerExecution for fewer stores, logs and planning included."""
    saved = {"fewer stores": _whole(report) * (1 - cores / query["tasks"])}
    return _first(_savings(query, report, cores, saved=saved), _whole(report), budget)


def wrong_mean_of_the_operators(query: dict, report: dict, cores: int, budget: int) -> str:
    """The mean of what the operators copy: "Add up all operators"."""
    mean = _copying(report) / max(1, len(report["stateOperators"]))
    saved = {"changelogs": mean / min(cores, query["tasks"])}
    return _first(_savings(query, report, cores, saved=saved), _whole(report), budget)


def wrong_whole_milliseconds(query: dict, report: dict, cores: int, budget: int) -> str:
    """Divides the copying by // and loses part of a millisecond: "without rounding"."""
    saved = {"changelogs": _copying(report) // min(cores, query["tasks"])}
    return _first(_savings(query, report, cores, saved=saved), _whole(report), budget)


def wrong_sum_of_three_parts(query: dict, report: dict, cores: int, budget: int) -> str:
    """Adds up addBatch and both logs for the length of a batch; triggerExecution has more in it."""
    times = report["durationMs"]
    whole = times["addBatch"] + times["walCommit"] + times["commitOffsets"]
    saved = {"real-time mode": whole}
    return _first(_savings(query, report, cores, saved=saved), whole, budget)


def wrong_any_trigger_but_available_now(query: dict, report: dict, cores: int, budget: int) -> str:
    """Allows asynchronous progress with each trigger that is not availableNow; "once" is another."""
    trigger = query["trigger"] if query["trigger"] == "availableNow" else "processingTime"
    return _first(_savings({**query, "trigger": trigger}, report, cores), _whole(report), budget)


def wrong_any_source_but_files(query: dict, report: dict, cores: int, budget: int) -> str:
    """Allows Real-Time Mode from each source that is not files; the table says "kafka"."""
    source = query["source"] if query["source"] == "files" else "kafka"
    return _first(_savings({**query, "source": source}, report, cores), _whole(report), budget)


def wrong_python_before_foreach(query: dict, report: dict, cores: int, budget: int) -> str:
    """Does not ask for Python where the sink is foreach: what makes the columns counts there, too."""
    python = query["python"] and query["sink"] != "foreach"
    return _first(_savings({**query, "python": python}, report, cores), _whole(report), budget)


def wrong_sum_of_the_parts(query: dict, report: dict, cores: int, budget: int) -> str:
    """Adds up the parts for the length of a batch; not all of its time has a name."""
    parts = report["durationMs"].items()
    whole = sum(time for part, time in parts if part != "triggerExecution")
    return _first(_savings(query, report, cores), whole, budget)


def wrong_rest_rounded(query: dict, report: dict, cores: int, budget: int) -> str:
    """Rounds what is left of a batch: "without rounding"."""
    left = {n: round(_whole(report) - s) for n, s in _savings(query, report, cores).items()}
    return next((name for name, rest in left.items() if 2 * rest <= budget), "another query")


def right_what_has_to_go(query: dict, report: dict, cores: int, budget: int) -> str:
    """Works out first what has to go of two batches, then asks who takes it away, without dividing."""
    times, operators = report["durationMs"], report["stateOperators"]
    to_go = 2 * times["triggerExecution"] - budget
    if to_go <= 0:
        return "nothing"
    if not operators:
        logs = 2 * (times["walCommit"] + times["commitOffsets"])
        if query["trigger"] == "processingTime" and query["sink"] == "kafka" and to_go <= logs:
            return "asynchronous progress"
        refusals = [
            query["source"] != "kafka",
            query["sink"] not in ["kafka", "foreach"],
            query["mode"] != "update",
            bool(query["python"]),
            query["tasks"] > cores,
            to_go > 2 * times["triggerExecution"],
        ]
        return "another query" if any(refusals) else "real-time mode"
    if 2 * _copying(report) >= to_go * min(cores, query["tasks"]):
        return "changelogs"
    spared = max(0, query["tasks"] - cores)
    enough = 2 * times["addBatch"] * spared >= to_go * query["tasks"]
    return "fewer stores" if enough else "another query"


def wrong_progress_into_the_console(query: dict, report: dict, cores: int, budget: int) -> str:
    """Allows asynchronous progress into the console, memory and nowhere, as Spark does; the table says "kafka" alone."""
    sinks = ("kafka", "console", "memory", "noop")
    seen = {**query, "sink": "kafka"} if query["sink"] in sinks else query
    savings = _savings(seen, report, cores)
    if query["sink"] != "kafka":
        savings.pop("real-time mode", None)
        savings |= {n: s for n, s in _savings(query, report, cores).items() if n not in savings}
    return _first(savings, _whole(report), budget)


def wrong_first_and_last_operator(query: dict, report: dict, cores: int, budget: int) -> str:
    """Adds up the copying of the first operator and the last, as if there were never more than two."""
    operators = report["stateOperators"]
    ends = operators if len(operators) < 3 else [operators[0], operators[-1]]
    told = {**report, "stateOperators": ends}
    return _first(_savings(query, told, cores), _whole(report), budget)


def wrong_first_operator_for_all(query: dict, report: dict, cores: int, budget: int) -> str:
    """The first operator's copying times how many there are: of a join and a count each has its own."""
    operators = report["stateOperators"]
    told = {**report, "stateOperators": operators[:1] * len(operators)}
    return _first(_savings(query, told, cores), _whole(report), budget)


def wrong_stores_cut_to_whole_milliseconds(
    query: dict, report: dict, cores: int, budget: int
) -> str:
    """Whole milliseconds of what is left with fewer stores: the task says without rounding."""
    saved = report["durationMs"]["addBatch"] * (1 - cores / query["tasks"])
    savings = _savings(query, report, cores, saved={"fewer stores": math.ceil(saved)})
    return _first(savings, _whole(report), budget)


def wrong_state_that_took_no_time(query: dict, report: dict, cores: int, budget: int) -> str:
    """Takes a query for one without state where its commit took 0 ms: the list of operators is not empty."""
    state = any(operator["commitTimeMs"] for operator in report["stateOperators"])
    told = report if state else {**report, "stateOperators": []}
    return _first(_savings(query, told, cores), _whole(report), budget)
