"""What Spark makes of a query before it runs: filters move toward the sources.

A filter may move below withWatermark or below a stateful operator. That changes what the watermark sees
and what is kept, so it is part of the semantics. The rules are in Spark's Catalyst:
PushPredicateThroughNonJoin, PushPredicateThroughJoin, InferFiltersFromConstraints and
EliminateOuterJoin; TimeWindowing and SessionWindowing drop rows without a time.
"""

from __future__ import annotations

from dataclasses import replace

from grader.model.aggregates import OF_ORDER
from grader.model.expressions import (
    Column,
    Expression,
    call,
    conjuncts,
    evaluate,
    references,
    replaced,
)
from grader.model.query import (
    Aggregate,
    Deduplicate,
    Filter,
    Join,
    Node,
    Project,
    SessionWindow,
    Source,
    TimeWindow,
    Union,
    Watermark,
    WithState,
    nodes,
)
from grader.model.unsupported import NotModelled


def optimized(node: Node) -> Node:
    """The plan that runs."""
    match node:
        case Source():
            return node
        case Filter(child, condition):
            return _filtered(optimized(child), conjuncts(condition))
        case Project(child, columns):
            needed = set().union(*(references(e) for e in columns.values()))
            return Project(_pruned(optimized(child), needed), columns)
        case Union(left, right):
            return Union(optimized(left), optimized(right))
        case Join():
            joined = replace(node, left=optimized(node.left), right=optimized(node.right))
            known = _above_watermark(node.left), _above_watermark(node.right)
            return _with_inferred_filters(_shared_while_idle(joined, *known))
        case Aggregate():
            times = [
                k.time for k in node.keys.values() if isinstance(k, TimeWindow | SessionWindow)
            ]
            present: list[Expression] = [call("is_not_null", Column(time)) for time in times]
            return replace(node, child=_filtered(optimized(node.child), present))
    return replace(node, child=optimized(node.child))


def _pruned(node: Node, needed: set[str]) -> Node:
    """Below a deduplication, Spark leaves out columns that the query does not read later (ColumnPruning).

    The time of the deduplication may be one of them: then no row is late, and no key is ever evicted.
    """
    match node:
        case Filter(child, condition):
            return replace(node, child=_pruned(child, needed | references(condition)))
        case Deduplicate(child, columns, within_watermark=False) if columns:
            there = columns_of(child)
            kept: dict[str, Expression] = {
                c: Column(c) for c in there if c in needed or c in columns
            }
            return replace(node, child=Project(child, kept)) if len(kept) < len(there) else node
    return node


def columns_of(node: Node) -> list[str]:
    """The columns that a node gives, in order."""
    match node:
        case Source(_, columns) | Project(_, columns) | WithState(columns=columns):
            return list(columns)
        case Aggregate(_, keys, results):
            return [*keys, *results]
        case Join(left, right) if set(columns_of(left)) & set(columns_of(right)):
            raise NotModelled("a join of two sides that share a column name")
        case Join(left, right):
            return [*columns_of(left), *columns_of(right)]
        case Union(left, right) if set(columns_of(left)) != set(columns_of(right)):
            raise NotModelled("a union of other columns: Spark refuses it")
        case Union(left, _):
            return columns_of(left)
    return columns_of(node.child)


def _filtered(node: Node, conditions: list[Expression]) -> Node:
    """A node under conditions, each as near to the source as Spark puts it."""
    if not conditions:
        return node
    match node:
        case Filter(child, _, idle) if idle:
            return replace(node, child=_filtered(child, conditions))
        case Filter(child, condition):
            return _filtered(child, [*conjuncts(condition), *conditions])
        case Project(child, columns):
            return Project(_filtered(child, [replaced(c, columns) for c in conditions]), columns)
        case Watermark(child, column):
            # a condition on the event time stays: the watermark sees what it drops
            below = [c for c in conditions if column not in references(c)]
            stay = [c for c in conditions if column in references(c)]
            return _kept(replace(node, child=_filtered(child, below)), stay)
        case Union(left, right):
            return Union(_filtered(left, conditions), _filtered(right, conditions))
        case Aggregate():
            return _before_grouping(node, conditions)
        case Join():
            return _filtered_join(node, conditions)
    return _kept(node, conditions)


def _kept(node: Node, conditions: list[Expression]) -> Node:
    return Filter(node, _all(conditions)) if conditions else node


def _all(conditions: list[Expression]) -> Expression:
    return conditions[0] if len(conditions) == 1 else call("and", *conditions)


def _before_grouping(node: Aggregate, conditions: list[Expression]) -> Node:
    """Conditions only on the keys are tested before the grouping: such groups have no state."""
    if any(fold.function in OF_ORDER for fold in node.results.values()):
        return _kept(node, conditions)
    on_keys = [c for c in conditions if references(c) and references(c) <= set(node.keys)]
    for condition in on_keys:
        if any(isinstance(node.keys[name], SessionWindow) for name in references(condition)):
            raise NotModelled("a filter on a session window")
    plain = {k: e for k, e in node.keys.items() if not isinstance(e, TimeWindow | SessionWindow)}
    below = [replaced(c, plain) for c in on_keys if references(c) <= set(plain)]  # type: ignore[arg-type]
    only = tuple(c for c in on_keys if not references(c) <= set(plain))
    stay = [c for c in conditions if c not in on_keys]
    grouped = replace(node, child=_filtered(node.child, below), only=(*node.only, *only))
    return _kept(grouped, stay)


def _filtered_join(node: Join, conditions: list[Expression]) -> Node:
    """Conditions on one side go to it, unless they would have to see the nulls of an outer join."""
    left, right = set(columns_of(node.left)), set(columns_of(node.right))
    kind = node.kind
    optional = {"left": right, "right": left}.get(kind, set())
    if any(_rejects_nulls(c, optional) for c in conditions):
        kind = "inner"
    to_left = [c for c in conditions if references(c) <= left and kind in ("inner", "left")]
    to_right = [c for c in conditions if references(c) <= right and kind in ("inner", "right")]
    stay = [c for c in conditions if c not in to_left and c not in to_right]
    if kind == "inner" and stay:
        raise NotModelled("a condition on both sides after an inner join: write it as an interval")
    joined = replace(
        node,
        kind=kind,
        left=_filtered(node.left, to_left),
        right=_filtered(node.right, to_right),
    )
    return _kept(_with_inferred_filters(_shared_while_idle(joined, to_left, to_right)), stay)


def _above_watermark(side: Node) -> list[Expression]:
    """The conditions between one side's withWatermark and the join."""
    found: list[Expression] = []
    while isinstance(side, Filter):
        found += conjuncts(side.condition)
        side = side.child
    return found if isinstance(side, Watermark) else []


def _shared_while_idle(node: Join, of_left: list[Expression], of_right: list[Expression]) -> Join:
    """If one side has no new rows, the conditions on its key are tested on the other side's key as well.

    Spark makes a plan for each batch. In it, a source without new rows is an empty table of columns instead
    of JSON (LocalRelation, ConvertToLocalRelation). So Catalyst sees that a condition is on the key, and
    adds it to the other side (InferFiltersFromConstraints), unless that is an outer side. A condition
    below withWatermark is gone by then: Spark has tested it on the empty table itself.
    """
    there = {left: Column(right) for left, right in node.keys.items()}
    back = {right: Column(left) for left, right in node.keys.items()}
    left, right = node.left, node.right
    for condition in of_left if node.kind in ("inner", "left") else []:
        if references(condition) and references(condition) <= set(there):
            right = _tested(right, replaced(condition, there), _inputs(node.left))
    for condition in of_right if node.kind in ("inner", "right") else []:
        if references(condition) and references(condition) <= set(back):
            left = _tested(left, replaced(condition, back), _inputs(node.right))
    return replace(node, left=left, right=right)


def _tested(side: Node, condition: Expression, idle: tuple[str, ...]) -> Node:
    """A side under a condition on its keys for some batches, put near the source like any other."""
    match side:
        case Filter(child) | Watermark(child):
            return replace(side, child=_tested(child, condition, idle))
        case Project(child, columns):
            return replace(side, child=_tested(child, replaced(condition, columns), idle))
        case Union(left, right):
            return Union(_tested(left, condition, idle), _tested(right, condition, idle))
    return Filter(side, condition, idle)


def _inputs(node: Node) -> tuple[str, ...]:
    return tuple(sorted(n.input for n in nodes(node) if isinstance(n, Source)))


def _rejects_nulls(condition: Expression, columns: set[str]) -> bool:
    """Whether a condition on these columns alone drops the nulls of an outer join."""
    if not references(condition) or not references(condition) <= columns:
        return False
    return not evaluate(condition, dict.fromkeys(columns))


def _with_inferred_filters(node: Join) -> Join:
    """No null in what is compared, on each side whose rows need a partner.

    Catalyst does not add a condition on one side's key to the other side. By then the filter has moved into
    the source, where it reads its column from the JSON by itself (OptimizeCsvJsonExprs leaves it that one
    field). So Catalyst does not see that this column is the key.
    """
    within = node.within
    on_left = [*node.keys, *([within.left_time] if within else [])]
    on_right = [*node.keys.values(), *([within.right_time] if within else [])]
    if node.only is not None:
        there = set(columns_of(node.left))
        for name in sorted(references(node.only)):
            (on_left if name in there else on_right).append(name)
    needs_left, needs_right = node.kind in ("inner", "right"), node.kind in ("inner", "left")
    return replace(
        node,
        left=_filtered(node.left, _present(on_left)) if needs_left else node.left,
        right=_filtered(node.right, _present(on_right)) if needs_right else node.right,
    )


def _present(columns: list[str]) -> list[Expression]:
    return [call("is_not_null", Column(name)) for name in columns]
