"""The text of a query's analyzed plan as a tree, and where in it watermarks are set and followed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_NODE = re.compile(r"^(?P<indent>(?:[ :] {2})*(?:[:+]- )?)(?P<marked>~?)(?P<name>[A-Z]\w*)")
_CTE = re.compile(r"CTERelation(Def|Ref) (\d+)")
_WATERMARK = re.compile(r"EventTimeWatermark [^,]*, `?(\w+)")
_STATEFUL = re.compile(r"Aggregate|Deduplicate|FlatMapGroups|TransformWithState")
_REFERENCE = re.compile(r"(\w+)#(\d+)L?(?:-T\d+ms)?(\.?)")
_RECORD = ("key", "value")  # what Kafka's records are made of: no columns of theirs
_EVENT_TIME_KEY = re.compile(r"-T\d+ms\b")  # how Spark writes an attribute that carries a watermark


@dataclass(eq=False)
class PlanNode:
    """A node of a plan: its text, whether Spark marks it as one of a stream, and the nodes that it reads from."""

    name: str
    text: str
    marked: bool = False
    children: list[PlanNode] = field(default_factory=list)

    @property
    def streams(self) -> bool:
        """Whether its rows come from a stream; Spark leaves the mark out on views."""
        return self.marked or any(child.streams for child in self.children)

    @property
    def stateful(self) -> bool:
        """Whether it keeps state: of joins, those of two streams."""
        if self.name == "Join":
            return len(self.children) == 2 and all(child.streams for child in self.children)
        return self.streams and _STATEFUL.match(self.name) is not None

    @property
    def watermark(self) -> str:
        """The column on which it sets a watermark; empty for other nodes."""
        found = _WATERMARK.match(self.text)
        return found[1] if found else ""

    def walk(self) -> Iterator[PlanNode]:
        """This node and all that it reads from, the result's first: as Spark lists stateful operators."""
        yield self
        for child in self.children:
            yield from child.walk()


def plan_tree(text: str) -> PlanNode:
    """The tree that a plan's text shows; a common table expression appears wherever it is read."""
    path: list[tuple[int, PlanNode]] = []  # from the root to the last node, each with its depth
    defined: dict[str, PlanNode] = {}
    for line in text.splitlines():
        found = _NODE.match(line)
        if found is None or (
            path and not found["indent"]
        ):  # a string in the node before has a line end
            continue
        depth = len(found["indent"])
        text_of_node = line[depth:].removeprefix("~")
        node = PlanNode(found["name"], text_of_node, marked=found["marked"] == "~")
        while path and path[-1][0] >= depth:
            path.pop()
        cte = _CTE.match(node.text)
        if cte and cte[1] == "Def":
            defined[cte[2]] = node
        else:
            if cte and cte[2] in defined:
                node.children.append(defined[cte[2]])
            if path:
                path[-1][1].children.append(node)
        path.append((depth, node))
    return path[0][1] if path else PlanNode("", "")


def followed_columns(operator: PlanNode) -> list[str]:
    """The columns of the watermarks that a stateful operator follows, sorted: on each way down the first one.

    If a column was renamed, or made of only one other column, it is that column. A second watermark on the same
    rows replaces the one before (EventTimeWatermark.output). An aggregation follows none unless one
    of its keys carries the event time.
    """
    if operator.name == "Aggregate" and not _EVENT_TIME_KEY.search(operator.text.partition("]")[0]):
        return []
    return sorted({column for child in operator.children for column in _nearest(child)})


def late_columns(node: PlanNode) -> list[str]:
    """The columns of watermarks that are set after the last stateful operator, which so follows none of them."""
    if node.stateful:
        return []
    after = [column for child in node.children for column in late_columns(child)]
    return [node.watermark, *after] if node.watermark and _keeps_state(node) else after


def _keeps_state(node: PlanNode) -> bool:
    return any(each.stateful for each in node.walk())


def _nearest(node: PlanNode) -> set[str]:
    if node.watermark:
        reference = _REFERENCE.search(node.text)
        return {_origin(node, reference[1], reference[2]) if reference else node.watermark}
    return {column for child in node.children for column in _nearest(child)}


def _origin(node: PlanNode, column: str, id: str) -> str:
    """The column from which a column was made, by a new name or by a function of only that column."""
    for below in node.walk():
        references = set(_REFERENCE.findall(_expression(below.text, id)))
        if len(references) == 1:
            name, its_id, field_of_it = references.pop()
            alone = not field_of_it and name not in _RECORD and its_id != id
            return _origin(below, name, its_id) if alone else column
    return column


def _expression(text: str, id: str) -> str:
    """What the column with this id is made of in a node; empty if it is not made there."""
    named = re.search(rf" AS \S+#{id}(?!\d)", text)
    end, depth = named.start() if named else 0, 0
    for start in range(end - 1, -1, -1):
        sign = text[start]
        if depth == 0 and sign in ",([":
            return text[start + 1 : end]
        depth += (sign in ")]") - (sign in "([")
    return ""
