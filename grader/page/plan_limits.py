"""What a plan must not hold, because it is not known what Spark's optimizer makes of it."""

from __future__ import annotations

from grader.model.expressions import Call, Expression, conjuncts, references, replaced
from grader.model.optimizer import optimized
from grader.model.query import Deduplicate, Filter, Node, Project, Watermark, changed, nodes
from grader.model.unsupported import NotModelled
from grader.page.lab_only import OnlyTheLab

_PLAIN = ("=", "<", "<=", ">", ">=")


def playable(plan: Node) -> Node:
    """The plan, its projections made one where they follow each other, as Spark does; raises OnlyTheLab."""
    plan = changed(plan, _collapsed)
    found = optimized(plan)
    for node in nodes(found):
        if isinstance(node, Filter):
            _demand_place(node)
        if isinstance(node, Project):
            _demand_pruning(node)
    return plan


def _collapsed(node: Node) -> Node:
    """Two projections as one, so that columns that only the first one reads are known to be unused."""
    if not isinstance(node, Project) or not isinstance(node.child, Project):
        return node
    below = node.child
    try:
        columns = {name: replaced(e, below.columns) for name, e in node.columns.items()}
    except NotModelled:  # a field of a window that is computed below
        return node
    return Project(below.child, columns)


def _demand_place(node: Filter) -> None:
    """Refuse a condition that Spark may fold to a constant, or take apart on its way to a source.

    On the event time and another column together, only a comparison stays as it is.
    """
    below = _under_filters(node)
    for condition in conjuncts(node.condition):
        read = references(condition)
        if not read:
            raise OnlyTheLab("a condition that is the same for all rows")
        if isinstance(below, Watermark) and below.column in read and len(read) > 1:
            _demand_comparison(condition)


def _demand_comparison(condition: Expression) -> None:
    if not isinstance(condition, Call) or condition.function not in _PLAIN:
        raise OnlyTheLab("a condition on the event time and another column")


def _demand_pruning(node: Project) -> None:
    """Refuse a deduplication under two projections: Spark may leave out its event time."""
    below = _under_filters(node.child)
    if isinstance(below, Project):
        under = _under_filters(below.child)
        if isinstance(under, Deduplicate) and not under.within_watermark:
            raise OnlyTheLab("a deduplication whose columns are computed twice")


def _under_filters(node: Node) -> Node:
    while isinstance(node, Filter):
        node = node.child
    return node
