"""The plan of a streaming query: its inputs, the steps that can remove rows, what Spark made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from py4j.java_gateway import JavaObject

from grader.live_query.kafka_topics import KafkaSource
from grader.live_query.observation import EndlessState, Step

KAFKA_LEAF = "StreamingRelationV2"
_WATERMARK = "spark.watermarkDelayMs"  # in the metadata of a column: EventTimeWatermark.delayKey
# a plan's node → the step that a learner would know it by
_PYTHON = {
    "MapInPandas": "mapInPandas",
    "MapInArrow": "mapInArrow",
}
_DEDUPLICATE = {
    "Deduplicate": "dropDuplicates",
    "DeduplicateWithinWatermark": "dropDuplicatesWithinWatermark",
}
_OWN_STATE = {
    "FlatMapGroupsInPandasWithState": "applyInPandasWithState",
    "TransformWithStateInPySpark": "transformWithState",
    "TransformWithStateInPandas": "transformWithStateInPandas",
}
# the operators whose function returns rows of a schema that is written next to it
PYTHON_OPERATORS = _PYTHON | _OWN_STATE | {"FlatMapGroupsInPandas": "applyInPandas"}


@dataclass(frozen=True, eq=False)
class Node:
    """A node of a plan, with the names of the inputs below it and the nodes that it takes its rows from."""

    java: JavaObject
    inputs: tuple[str, ...]
    below: tuple[Node, ...]

    @property
    def name(self) -> str:
        return str(self.java.nodeName())

    def nodes(self) -> Iterator[Node]:
        """This node and those below it, from the result down."""
        yield self
        for child in self.below:
            yield from child.nodes()


def node_of(java: JavaObject) -> Node:
    below = tuple(node_of(child) for child in children_of(java))
    streams = not below and bool(java.isStreaming())
    inputs = (_input_name(java),) if streams else tuple(n for node in below for n in node.inputs)
    return Node(java, tuple(dict.fromkeys(inputs)), below)


def children_of(java: JavaObject) -> list[JavaObject]:
    return items_of(java.children())


def items_of(sequence: JavaObject) -> list[JavaObject]:
    """The elements of a Scala sequence."""
    return [sequence.apply(index) for index in range(sequence.size())]


def kafka_source(java: JavaObject) -> KafkaSource | None:
    """The Kafka source that a leaf of a plan is; None for another."""
    if str(java.nodeName()) != KAFKA_LEAF or str(java.sourceName()) != "kafka":
        return None
    given = java.extraOptions().asCaseSensitiveMap()
    return KafkaSource({str(name).lower(): str(given[name]) for name in given})


def _input_name(java: JavaObject) -> str:
    """A source by its topics, or by its format."""
    source = kafka_source(java)
    if source is not None:
        return source.name
    return str(java.sourceName()) if str(java.nodeName()) == KAFKA_LEAF else str(java.nodeName())


def steps_of(root: Node) -> list[Step]:
    return [step for node in root.nodes() if (step := step_of(node)) is not None]


def step_of(node: Node) -> Step | None:
    name, java = node.name, node.java
    if name == "Filter":
        return Step("filter", str(java.condition().sql()))
    if name == "Join":
        streams = java.left().isStreaming() and java.right().isStreaming()
        if streams:
            return Step("stream_join", _join_type(java))
        return Step("table_join", _join_type(java), files=any(map(_is_of_files, node.nodes())))
    if name == "Generate":
        return Step("explode", str(java.generator().prettyName()))
    if name == "GlobalLimit":
        return Step("limit", str(java.limitExpr().sql()))
    if name == "Aggregate":
        return Step("aggregate")
    if name in _DEDUPLICATE:
        return Step("deduplicate", _DEDUPLICATE[name])
    if name in _OWN_STATE:
        mode = _timers(java)
        timed, clocked = "EventTime" in mode, "ProcessingTime" in mode
        return Step("own_state", _OWN_STATE[name], timed=timed, clocked=clocked)
    if name == "FlatMapGroupsInPandas" and java.isStreaming():
        return Step("batch_groups")
    return Step("python", _PYTHON[name]) if name in _PYTHON else None


def _timers(java: JavaObject) -> str:
    """By which time an operator with a state of its own sets timers, in Spark's words."""
    mode: Any = java.timeout() if "FlatMap" in str(java.nodeName()) else java.timeMode()
    return str(mode.toString())


def _is_of_files(node: Node) -> bool:
    if node.name != "LogicalRelation":
        return False
    return _class_name(node.java.relation()) == "HadoopFsRelation"


def file_options(root: Node) -> set[str]:
    """The options of the query's file sources, by their names in lower case."""
    leaves = [node.java for node in root.nodes() if node.name == "StreamingRelation"]
    return {
        str(name).lower()
        for leaf in leaves
        for name in items_of(leaf.dataSource().options().keys().toSeq())
    }


def endless_states(root: Node) -> list[EndlessState]:
    """The stateful operators whose keys or inputs have no watermark that removes rows from their state."""
    return [state for node in root.nodes() if (state := _endless(node)) is not None]


def _endless(node: Node) -> EndlessState | None:
    if not node.java.isStreaming():
        return None
    watermark = _has_watermark(node)
    if node.name == "Deduplicate" and not _any_event_time(node.java.keys()):
        return EndlessState("deduplicate", watermark=watermark)
    if node.name == "Aggregate" and not _any_event_time(node.java.groupingExpressions()):
        return EndlessState("aggregate", watermark=watermark)
    streams = all(below.java.isStreaming() for below in node.below)
    if node.name == "Join" and streams and not _has_event_time_key(node.java):
        bare = [below for below in node.below if not _has_watermark(below)]
        inputs = tuple(dict.fromkeys(name for below in bare for name in below.inputs))
        kind = _join_type(node.java)
        return EndlessState("stream_join", kind, inputs, watermark) if inputs else None
    return None


def _has_watermark(node: Node) -> bool:
    return any(below.name == "EventTimeWatermark" for below in node.nodes())


def _any_event_time(expressions: JavaObject) -> bool:
    """Whether one of them is a column with a watermark, or made of one as Spark follows it."""
    return any(
        _has_event_time(column)
        for expression in items_of(expressions)
        for column in items_of(expression.references().toSeq())
    )


def _has_event_time(column: JavaObject) -> bool:
    return bool(column.metadata().contains(_WATERMARK))


def _has_event_time_key(join: JavaObject) -> bool:
    """Whether a column with a watermark is a key: it removes the rows of both inputs from the state of the join.

    Source: isWatermarkInJoinKeys in Spark's StreamingJoinHelper.
    """
    condition = join.condition()
    return bool(condition.isDefined()) and any(
        _has_event_time(side)
        for equality in _equalities(condition.get())
        for side in children_of(equality)
        if _class_name(side) == "AttributeReference"
    )


def _equalities(condition: JavaObject) -> list[JavaObject]:
    """The equalities that must all hold."""
    kind = _class_name(condition)
    if kind == "And":
        return [one for part in children_of(condition) for one in _equalities(part)]
    return [condition] if kind in {"EqualTo", "EqualNullSafe"} else []


def _class_name(java: JavaObject) -> str:
    return str(java.getClass().getSimpleName())


def _join_type(java: JavaObject) -> str:
    return str(java.joinType().sql()).lower()


def narrowed_join(root: Node, optimized: Node) -> tuple[str, str, str] | None:
    """An outer join that Spark runs as a narrower one: both types, and the condition downstream that did it."""
    joins = [node for node in root.nodes() if node.name == "Join"]
    made = [_join_type(node.java) for node in optimized.nodes() if node.name == "Join"]
    if len(joins) != len(made):
        return None
    for join, now in zip(joins, made, strict=True):
        before = _join_type(join.java)
        if before != now and "outer" in before:
            return before, now, _condition_above(root, join)
    return None


def _condition_above(root: Node, join: Node) -> str:
    """The condition nearest downstream of a join; empty if there is none."""
    above = [node for node in root.nodes() if node.name == "Filter" and join in list(node.nodes())]
    return str(above[-1].java.condition().sql()) if above else ""
