"""Other checkpoints and queries; where two rules hold, the first of the list is meant."""

import json
import random as randoms
from typing import Any

from grader.scenario import Event, Scenario

TOTAL = {"operator": "stateStoreSave", "key": ["page string"], "value": ["sum bigint"]}
SUMS = {
    "operator": "stateStoreSave",
    "key": ["shop string", "day date"],
    "value": ["sum bigint", "sum double"],
}
COPIES = {"operator": "dedupe", "key": ["id string"], "value": ["dummy null"]}


def hidden(random: randoms.Random) -> Scenario:
    """Each case once or twice, in any order."""
    cases = [case for make in (*ALONE, *TOGETHER, *ALONE) for case in [make(random)]]
    random.shuffle(cases)
    cases += [make(random) for make in LOGS]
    cases = json.loads(json.dumps(cases))  # nothing is shared, as an answer may change what it gets
    return Scenario([Event(step, "starts", case) for step, case in enumerate(cases, start=1)])


def start(
    random: randoms.Random,
    *,
    newest: int | None = None,
    committed: bool = True,
    lines: list[Any] | None = None,
    state: list[dict[str, Any]] | None = None,
    sources: list[list[str]] | None = None,
    wanted: list[dict[str, Any]] | None = None,
    topics: dict[str, dict[str, int]] | None = None,
) -> dict[str, Any]:
    """A start that simply goes on, but for what is given; `lines` are the newest entry's offsets."""
    newest = random.randint(11, 90) if newest is None else newest
    lines = [{"clicks": {"0": 120, "1": 80}}] if lines is None else lines
    state = [TOTAL] if state is None else state
    entries = {}
    for batch in range(max(0, newest - 2), newest + 1):
        behind = 10 * (newest - batch)
        entries[str(batch)] = _entry(lines, behind, batch)
    done = range(max(0, newest - 2), newest + (1 if committed else 0))
    return {
        "offsets": entries,
        "commits": list(done),
        "state": state,
        "query": {
            "sources": [["clicks"]] if sources is None else sources,
            "state": state if wanted is None else wanted,
        },
        "topics": {"clicks": {"0": 200, "1": 90}} if topics is None else topics,
    }


def _entry(lines: list[Any], behind: int, batch: int) -> str:
    """An entry of the offset log as Spark writes it, each partition `behind` what the lines say."""
    about = {
        "batchWatermarkMs": 0,
        "batchTimestampMs": 1772366400000 + 60_000 * batch,
        "conf": {"spark.sql.shuffle.partitions": "4"},
    }
    offsets = [
        "-"
        if line is None
        else _json({t: {p: max(0, o - behind) for p, o in of.items()} for t, of in line.items()})
        for line in lines
    ]
    return "\n".join(["v1", _json(about), *offsets])


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


TWO = [{"clicks": {"0": 50}}, {"kiosk": {"0": 30}}]
BOTH = {"clicks": {"0": 60}, "kiosk": {"0": 44}}


def _named(operator: dict[str, Any], **columns: list[str]) -> dict[str, Any]:
    return {**operator, **columns}


def _lasting(fields: str) -> dict[str, Any]:
    """A sum of intervals, whose type has several words."""
    return _named(TOTAL, value=[f"sum interval {fields}"])


def never_started(random: randoms.Random) -> dict[str, Any]:
    return {**start(random, state=[]), "offsets": {}, "commits": [], "state": []}


ALONE = [
    never_started,
    lambda random: start(random),
    lambda random: start(random, newest=random.choice([10, 100]), committed=True),
    lambda random: start(random, newest=random.choice([10, 11]), committed=False),
    lambda random: start(random, newest=0, committed=False),
    lambda random: start(random, committed=False),
    lambda random: start(random, sources=[["clicks"], ["kiosk"]], topics=BOTH),
    lambda random: start(random, lines=TWO, sources=[["clicks"]], topics=BOTH),
    lambda random: start(random, lines=TWO, sources=[["kiosk"], ["clicks"]], topics=BOTH),
    lambda random: start(random, lines=TWO, sources=[["clicks"], ["kiosk"]], topics=BOTH),
    lambda random: start(
        random, lines=[TWO[0], None], sources=[["clicks"], ["kiosk"]], topics=BOTH
    ),
    lambda random: start(random, lines=[TWO[0], None], sources=[["clicks"]], topics=BOTH),
    lambda random: start(
        random, sources=[["kiosk", "clicks"]], topics={"clicks": {"0": 130, "1": 90}, "kiosk": {"0": 7}}
    ),
    lambda random: start(random, lines=[BOTH], sources=[["clicks", "kiosk"]], topics={**BOTH, "kiosk": {"0": 7}}),
    lambda random: start(random, lines=[BOTH], sources=[["kiosk", "clicks"]], topics=BOTH),
    lambda random: start(
        random, lines=TWO, sources=[["clicks"], ["kiosk"]], topics={**BOTH, "kiosk": {"0": 29}}
    ),
    lambda random: start(random, topics={"clicks": {"0": 120, "1": 80}}),
    lambda random: start(random, topics={"clicks": {"0": 119, "1": 90}}),
    lambda random: start(random, topics={"clicks": {"0": 500, "1": random.randint(0, 79)}}),
    lambda random: start(random, topics={"clicks": {"0": 500}}),
    lambda random: start(random, topics={}),
    lambda random: start(random, lines=[{"clicks": {"0": 0, "1": 80}}], topics={"clicks": {"1": 90}}),
    lambda random: start(random, topics={"clicks": {"0": 900, "1": 900, "2": 5}}),
    lambda random: start(random, wanted=[_named(TOTAL, key=["site string"])]),
    lambda random: start(random, wanted=[_named(TOTAL, key=["page string", "lang string"])]),
    lambda random: start(random, wanted=[_named(TOTAL, key=["page bigint"])]),
    lambda random: start(random, state=[SUMS], wanted=[_named(SUMS, key=["day date", "shop string"])]),
    lambda random: start(random, wanted=[_named(TOTAL, value=["max bigint"])]),
    lambda random: start(random, wanted=[_named(TOTAL, value=["sum bigint", "max bigint"])]),
    lambda random: start(random, state=[SUMS], wanted=[_named(SUMS, value=["sum double", "sum bigint"])]),
    lambda random: start(random, state=[_lasting("day to second")], wanted=[_lasting("year to month")]),
    lambda random: start(random, state=[_lasting("day to second")]),
    lambda random: start(random, wanted=[COPIES, TOTAL]),
    lambda random: start(random, state=[COPIES, TOTAL], wanted=[TOTAL]),
    lambda random: start(random, state=[COPIES, TOTAL], wanted=[TOTAL, COPIES]),
    lambda random: start(random, state=[COPIES, TOTAL]),
    lambda random: start(random, wanted=[]),
    lambda random: start(random, state=[]),
    lambda random: start(
        random, state=[COPIES, TOTAL], wanted=[COPIES, _named(TOTAL, value=["sum double"])]
    ),
    lambda random: start(
        random, state=[COPIES, TOTAL], wanted=[_named(COPIES, key=["id bigint"]), TOTAL]
    ),
]  # fmt: skip
TOGETHER = [
    lambda random: start(
        random, sources=[["clicks"], ["kiosk"]], wanted=[COPIES], topics={}, committed=False
    ),
    lambda random: start(random, topics={"clicks": {"0": 0, "1": 0}}, wanted=[], committed=False),
    lambda random: start(
        random,
        wanted=[_named(TOTAL, value=["sum double"])],
        topics={"clicks": {"0": 0, "1": 0}},
        committed=False,
    ),
    lambda random: start(
        random, wanted=[COPIES, _named(TOTAL, key=["page bigint"])], committed=False
    ),
    lambda random: start(
        random, wanted=[_named(TOTAL, key=["page bigint"], value=["sum double"])], committed=False
    ),
    lambda random: start(random, wanted=[_named(TOTAL, value=["sum double"])], committed=False),
    lambda random: start(random, topics={"clicks": {"0": 0, "1": 900}}, committed=False),
]


def _newest_first(case: dict[str, Any]) -> dict[str, Any]:
    """The same logs, listed the other way round."""
    entries = dict(reversed(case["offsets"].items()))
    return {**case, "offsets": entries, "commits": case["commits"][::-1]}


def _first_commit_gone(case: dict[str, Any]) -> dict[str, Any]:
    """Old commits were deleted sooner than old entries."""
    return {**case, "commits": case["commits"][1:]}


def _first_entry_gone(case: dict[str, Any]) -> dict[str, Any]:
    """Old entries were deleted sooner than old commits."""
    offsets = dict(list(case["offsets"].items())[1:])
    return {**case, "offsets": offsets}


LOGS = [
    lambda random: _newest_first(start(random)),
    lambda random: _newest_first(start(random, committed=False)),
    lambda random: _first_commit_gone(start(random)),
    lambda random: _first_entry_gone(start(random, committed=False)),
    # a topic that no other source reads: the one of the entry is in Kafka, and nobody reads it
    lambda random: start(
        random,
        sources=[["kiosk"]],
        topics={"clicks": {"0": 200, "1": 90}, "kiosk": {"0": 200, "1": 90}},
    ),
    # types that differ in the middle only
    lambda random: start(
        random, state=[_lasting("day to second")], wanted=[_lasting("hour to second")]
    ),
    # the first of two sources has no offset yet
    lambda random: start(
        random, lines=[None, TWO[1]], sources=[["clicks"], ["kiosk"]], topics=BOTH
    ),
    # a partition that is there, and empty
    lambda random: start(
        random, lines=[{"clicks": {"0": 120, "1": 0}}], topics={"clicks": {"0": 200, "1": 0}}
    ),
    # partitions listed the other way round
    lambda random: start(random, topics={"clicks": {"1": 90, "0": 200}}),
    # a topic whose name has the other one in it
    lambda random: start(
        random,
        sources=[["clicks_v2"]],
        topics={"clicks": {"0": 200, "1": 90}, "clicks_v2": {"0": 200, "1": 90}},
    ),
    # two operators of one name, of which the first has another key, or another value
    lambda random: start(
        random, state=[TOTAL, SUMS], wanted=[_named(TOTAL, key=["page bigint"]), SUMS]
    ),
    lambda random: start(
        random, state=[TOTAL, SUMS], wanted=[_named(TOTAL, value=["sum double"]), SUMS]
    ),
    # the first operator has another value, the second another key: keys come first
    lambda random: start(
        random,
        state=[TOTAL, SUMS],
        wanted=[
            _named(TOTAL, value=["sum double"]),
            _named(SUMS, key=["shop string", "day string"]),
        ],
    ),
    # the same types one after the other, and not in the same operators
    lambda random: start(
        random,
        state=[_named(COPIES, key=["id string", "shop string"]), TOTAL],
        wanted=[COPIES, _named(TOTAL, key=["page string", "shop string"])],
    ),
    # what the batch that is to run again had planned is in Kafka no more
    lambda random: start(random, committed=False, topics={"clicks": {"0": 115, "1": 80}}),
    # two sources read one topic, and it ends between them
    lambda random: start(
        random,
        lines=[{"clicks": {"0": 50}}, {"clicks": {"0": 30}}],
        sources=[["clicks"], ["clicks"]],
        topics={"clicks": {"0": 40}},
    ),
    # the first of two topics ends before its offset
    lambda random: start(
        random,
        lines=TWO,
        sources=[["clicks"], ["kiosk"]],
        topics={**BOTH, "clicks": {"0": 49}},
    ),
    lambda random: start(
        random, lines=[BOTH], sources=[["clicks", "kiosk"]], topics={**BOTH, "clicks": {"0": 59}}
    ),
    # a column less, at the end
    lambda random: start(random, state=[SUMS], wanted=[_named(SUMS, value=["sum bigint"])]),
    lambda random: start(random, state=[SUMS], wanted=[_named(SUMS, key=["shop string"])]),
    # types that differ in brackets only
    lambda random: start(
        random,
        state=[_named(TOTAL, value=["sum decimal(10,2)"])],
        wanted=[_named(TOTAL, value=["sum decimal(20,2)"])],
    ),
    lambda random: start(
        random,
        state=[_named(TOTAL, key=["pages array<string>"])],
        wanted=[_named(TOTAL, key=["pages array<bigint>"])],
    ),
    # the first operator with state, in a query that had none
    lambda random: start(random, state=[], wanted=[TOTAL]),
    lambda random: {
        **never_started(random),
        "query": {"sources": [["clicks"]], "state": [TOTAL]},
    },
]
