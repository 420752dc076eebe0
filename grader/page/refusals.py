"""What Spark refuses when a query starts, in Spark's words as far as they are known."""

from __future__ import annotations

from grader.model.query import Join, Node, nodes
from grader.model.unsupported import Refused
from grader.scenario.recording import Failure

_MODE = "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION"
_WORDS = {
    "append mode needs a watermark": (
        _MODE,
        f"[{_MODE}] Invalid streaming output mode: append. This output mode is not supported for streaming "
        "aggregations without watermark on streaming DataFrames/DataSets. SQLSTATE: 42KDE",
    ),
    "dropDuplicatesWithinWatermark needs a watermark": (
        None,
        "dropDuplicatesWithinWatermark is not supported on streaming DataFrames/DataSets without watermark;",
    ),
}
_SECOND_WATERMARK = (
    "Redefining watermark is disallowed. You can set the config "
    "'spark.sql.streaming.statefulOperator.allowMultiple' to 'false' to restore the previous behavior. "
    "Note that multiple stateful operators will be disallowed."
)
_OUTER_JOIN = (
    "Stream-stream {kind} join between two streaming DataFrame/Datasets is not supported without a watermark "
    "in the join keys, or a watermark on the nullable side and an appropriate range condition;"
)


def refusal_of(refused: Refused, plan: Node) -> Failure:
    """The failure of a query that Spark does not start."""
    said = str(refused)
    for beginning, (condition, message) in _WORDS.items():
        if said.startswith(beginning):
            return Failure("plan", message, condition, step=1, detail=message)
    if said.startswith("an outer join needs watermarks"):
        kind = "LeftOuter" if _joins(plan) == {"left"} else "RightOuter"
        return Failure("plan", _OUTER_JOIN.format(kind=kind), step=1)
    if said.startswith("a second watermark"):  # Spark sees it only in the first micro-batch
        return Failure("query", _SECOND_WATERMARK, step=1)
    return Failure("plan", f"{said[0].upper()}{said[1:]}", step=1)


def _joins(plan: Node) -> set[str]:
    return {node.kind for node in nodes(plan) if isinstance(node, Join) and node.kind != "inner"}
