"""Steps in Python: one function per kind of node; each returns the edits that it can make there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from grader.authoring.mutants import mutation_tables
from grader.authoring.mutants.answer_cell import Cell, Edit, short
from grader.authoring.mutants.event_mutations import steps_in_events
from grader.authoring.mutants.string_mutations import half_of, number_steps, steps_in_text
from grader.runtime.setting_names import WATERMARK_POLICY


def steps_in(cell: Cell) -> Iterator[Edit]:
    """All steps that can be made in the cell, in the text's order; some may do nothing."""
    yield from _policy_put_in(cell)
    for node in cell.nodes():
        for kind, steps in _STEPS:
            if isinstance(node, kind):
                yield from (edit for edit in steps(cell, node) if edit is not None)


def _policy_put_in(cell: Cell) -> Iterator[Edit]:
    """Several streams under the policy `max`, if the answer sets no policy."""
    statements = [node for node in cell.nodes() if isinstance(node, ast.stmt)]
    if cell.text.count("withWatermark(") > 1 and WATERMARK_POLICY not in cell.text and cell.streams:
        stream = next(iter(cell.streams))
        start = cell.span(statements[0])[0]
        indent = start - cell.text.rindex("\n", 0, start) - 1
        new = f'{stream}.sparkSession.conf.set("{WATERMARK_POLICY}", "max")\n' + " " * indent
        yield cell.edit("setting", start, start, new, "the policy max put in")


def _constant(cell: Cell, node: ast.Constant) -> Iterator[Edit | None]:
    if isinstance(cell.parents[node], ast.JoinedStr):
        return  # its place is not known before Python 3.12
    if isinstance(node.value, bool):
        yield cell.swap("setting", node, str(not node.value))
    elif isinstance(node.value, (int, float)):
        if not isinstance(cell.parents[node], ast.Subscript):
            for new in number_steps(node.value, whole=isinstance(node.value, int)):
                yield cell.swap("number", node, new)
    elif isinstance(node.value, str):
        yield from steps_in_text(cell, node)


def _compare(cell: Cell, node: ast.Compare) -> Iterator[Edit | None]:
    if len(node.ops) == 1:
        start, end = cell.span(node.left)[1], cell.span(node.comparators[0])[0]
        for new in mutation_tables.COMPARISONS.get(type(node.ops[0]).__name__, []):
            yield _between(cell, "comparison", start, end, new)


def _bool_op(cell: Cell, node: ast.BoolOp) -> Iterator[Edit | None]:
    start, end = cell.span(node.values[0])[1], cell.span(node.values[1])[0]
    yield _between(cell, "logic", start, end, mutation_tables.LOGIC[type(node.op).__name__])
    for gone in node.values:
        kept = [cell.source(value) for value in node.values if value is not gone]
        joint = " and " if isinstance(node.op, ast.And) else " or "
        yield cell.swap("conjunct gone", node, joint.join(kept), _gone(cell, gone))


def _bin_op(cell: Cell, node: ast.BinOp) -> Iterator[Edit | None]:
    name = type(node.op).__name__
    logic = name in mutation_tables.LOGIC
    start, end = cell.span(node.left)[1], cell.span(node.right)[0]
    new = (mutation_tables.LOGIC if logic else mutation_tables.ARITHMETIC).get(name)
    if new is None or _is_text(node.left) or _is_text(node.right):
        return  # a concatenated string is a name
    yield _between(cell, "logic" if logic else "arithmetic", start, end, new)
    for kept, gone in ((node.left, node.right), (node.right, node.left)):
        change = _gone(cell, gone)
        yield cell.swap(
            "conjunct gone" if logic else "operand gone", node, _own(cell, kept), change
        )
    if not logic and not isinstance(cell.parents[node], ast.BinOp):
        yield from _rounded(cell, node)


def _rounded(cell: Cell, node: ast.AST) -> Iterator[Edit | None]:
    text = cell.source(node)
    around = cell.parents[node]
    if isinstance(around, ast.Call) and isinstance(around.func, ast.Name):
        return  # it is an int(…) or so already
    if _in_inner_function(cell, node):
        yield cell.swap("rounding", node, f"round({text}, 1)")
        yield cell.swap("rounding", node, f"int({text})")
        return
    yield cell.swap("rounding", node, f"F.round({text}, 1)")
    yield cell.swap("rounding", node, f"F.floor({text})")
    yield cell.swap("rounding", node, f'({text}).cast("int")')


def _unary(cell: Cell, node: ast.UnaryOp) -> Iterator[Edit | None]:
    if isinstance(node.op, (ast.Invert, ast.Not)):
        yield cell.swap("condition turned", node, cell.source(node.operand))


def _call(cell: Cell, node: ast.Call) -> Iterator[Edit | None]:
    if not isinstance(node.func, ast.Attribute):
        if isinstance(node.func, ast.Name) and node.func.id == "list":
            yield cell.swap("piece gone", node, f"{cell.source(node)}[:1]")
        return
    name = node.func.attr
    end = cell.span(node)[1]
    if isinstance(node.func.value, ast.Name) and node.func.value.id == "F":
        yield from _spark_function(cell, node, name)
    else:
        for new in mutation_tables.METHODS.get(name, []):
            yield _renamed(cell, "method", node.func, new)
        if not _is_module(node.func.value) and not isinstance(cell.parents[node], ast.Expr):
            yield cell.edit("call gone", cell.span(node.func.value)[1], end, "")
    if name in ("where", "filter") and node.args and not isinstance(node.args[0], ast.Constant):
        yield cell.swap("condition turned", node.args[0], f"~({cell.source(node.args[0])})")
    if name in mutation_tables.KEYED:
        yield from _keys(cell, node)
    if name in mutation_tables.TWO_SIDED and node.args and not _is_text(node.func.value):
        yield _sides_exchanged(cell, node)
    if name == "sort_values" and node.args:
        last = cell.span(node.args[-1])[1]
        yield cell.edit("sort", last, last, ", ascending=False", "sorted the other way round")
    if name == "count" and not node.args and not _is_module(node.func.value):
        yield from _counted_otherwise(cell, node)
    if name == "select" and not _is_module(node.func.value):
        yield cell.edit(
            "null left out", end, end, ".dropna()", "`.dropna()` put in " + _at(cell, node)
        )
        yield cell.edit(
            "distinct", end, end, ".distinct()", "`.distinct()` put in " + _at(cell, node)
        )


def _sides_exchanged(cell: Cell, node: ast.Call) -> Edit:
    """left.join(right, …) as right.join(left, …): what follows the two stays."""
    assert isinstance(node.func, ast.Attribute)
    left, right = node.func.value, node.args[0]
    rest = cell.text[cell.span(right)[1] : cell.span(node)[1]]
    new = f"({cell.source(right)}).{node.func.attr}({cell.source(left)}{rest}"
    change = f"`{short(cell.source(left))}` and `{short(cell.source(right))}` exchanged"
    return cell.swap("sides", node, new, change)


def _spark_function(cell: Cell, node: ast.Call, name: str) -> Iterator[Edit | None]:
    assert isinstance(node.func, ast.Attribute)
    for new in mutation_tables.FUNCTIONS.get(name, []):
        yield _renamed(cell, "function", node.func, new)
    if name in mutation_tables.AGGREGATES:
        yield from _aggregates(cell, node, name)
    if name == "window" and len(node.args) == 2:
        length, end = node.args[1], cell.span(node.args[1])[1]
        half = half_of(length.value) if isinstance(length, ast.Constant) else ""
        if half:
            yield cell.edit("window", end, end, f', "{half}"', f"windows slide by {half}")
            later = f', {cell.source(length)}, "{half}"'
            yield cell.edit("window", end, end, later, f"windows begin {half} later")
    if name == "coalesce" and len(node.args) > 1:
        yield cell.swap("operand gone", node, f"F.col({cell.source(node.args[0])})")


def _aggregates(cell: Cell, node: ast.Call, name: str) -> Iterator[Edit | None]:
    assert isinstance(node.func, ast.Attribute)
    if not node.args:
        return
    if isinstance(node.args[0], ast.Constant) and node.args[0].value == "*":
        yield from (cell.swap("aggregate", node, new) for new in _counts(cell))
        return
    for other, new in mutation_tables.AGGREGATES.items():
        if other != name:
            yield cell.swap("aggregate", node, new.format(cell.source(node.args[0])))
    if name in ("avg", "sum"):
        yield from _rounded(cell, node)
    if name == "count":
        yield cell.swap("aggregate", node.args[0], '"*"')


def _counts(cell: Cell) -> list[str]:
    """Other counts than of all rows: those with a value in a column, and its different values."""
    names = [name for name in cell.columns if name not in mutation_tables.KAFKA_COLUMNS]
    folds = [mutation_tables.AGGREGATES["count"], mutation_tables.AGGREGATES["size"]]
    return [fold.format(f'"{name}"') for fold in folds for name in names]


def _counted_otherwise(cell: Cell, node: ast.Call) -> Iterator[Edit | None]:
    assert isinstance(node.func, ast.Attribute)
    begin, end = cell.span(node.func.value)[1], cell.span(node)[1]
    for new in _counts(cell):
        yield cell.edit("aggregate", begin, end, f'.agg({new}.alias("count"))')


def _keys(cell: Cell, node: ast.Call) -> Iterator[Edit | None]:
    listed = node.args[0] if len(node.args) == 1 and isinstance(node.args[0], ast.List) else None
    keys = listed.elts if listed else node.args
    around: ast.AST = listed or node
    for gone in keys:
        kept = ", ".join(cell.source(key) for key in keys if key is not gone)
        if listed:
            yield cell.swap("key gone", around, f"[{kept}]", f"key {_gone(cell, gone)}")
        else:
            begin, end = cell.span(keys[0])[0], cell.span(keys[-1])[1]
            yield cell.edit("key gone", begin, end, kept, f"key {_gone(cell, gone)}")
    used = {n.value for key in keys for n in ast.walk(key) if isinstance(n, ast.Constant)}
    for column in cell.columns:
        if keys and column not in used and column not in mutation_tables.KAFKA_COLUMNS:
            end = cell.span(keys[-1])[1]
            yield cell.edit("key put in", end, end, f', "{column}"', f'key `"{column}"` put in')


def _name(cell: Cell, node: ast.Name) -> Iterator[Edit | None]:
    """A stream as the solution gets it: rows with a null left out, duplicates left out."""
    if node.id not in cell.streams or not isinstance(node.ctx, ast.Load):
        return
    user = cell.parents[node]
    if isinstance(user, ast.Attribute) and user.attr == "sparkSession":
        return  # its rows are not looked at
    end = cell.span(node)[1]
    put_in = {"null left out": [".dropna()"], "distinct": [".distinct()"]}
    for column in cell.streams[node.id]:
        put_in["null left out"].append(f'.where(F.col("{column}").isNotNull())')
    if "value" in cell.streams[node.id]:  # no two of Kafka's own rows are the same
        put_in["distinct"] = ['.dropDuplicates(["value"])']
    for operator, calls in put_in.items():
        for call in calls:
            yield cell.edit(operator, end, end, call, f"`{call}` put in after `{node.id}`")


def _attribute(cell: Cell, node: ast.Attribute) -> Iterator[Edit | None]:
    for new in mutation_tables.ATTRIBUTES.get(node.attr, []):
        yield _renamed(cell, "setting", node, new)


def _statement(cell: Cell, node: ast.Expr) -> Iterator[Edit | None]:
    if isinstance(node.value, ast.Yield):
        yield from _yields(cell, node.value)
        return
    if isinstance(node.value, ast.Constant):
        return  # a docstring
    yield cell.swap("statement gone", node, "pass", _gone(cell, node))
    updated = _updated(node.value)
    if updated:
        text = cell.source(node)
        change = f"`{short(text)}` only the first time"
        yield cell.swap("kept value", node, f"{updated}.exists or {text}", change)


def _updated(call: ast.expr) -> str:
    """The name of the state that a call updates; empty if the call updates none."""
    named = call.func if isinstance(call, ast.Call) else None
    if isinstance(named, ast.Attribute) and named.attr == "update":
        return named.value.id if isinstance(named.value, ast.Name) else ""
    return ""


def _yields(cell: Cell, node: ast.Yield) -> Iterator[Edit | None]:
    if node.value is None or not isinstance(node.value, ast.Call):
        return
    end = cell.span(node.value)[1]
    for call in (".head(0)", ".head(1)", ".tail(1)"):
        yield cell.edit("yield", end, end, call, f"`{call}` put in after what is yielded")


def _if(cell: Cell, node: ast.If) -> Iterator[Edit | None]:
    test = cell.source(node.test)
    yield cell.swap("condition turned", node.test, f"not ({test})")
    yield cell.swap(
        "statement gone", node.test, "False", f"`if {short(test)}` gone with what it does"
    )


def _return(cell: Cell, node: ast.Return) -> Iterator[Edit | None]:
    if node.value is None:
        yield cell.swap("statement gone", node, "pass", "`return` gone")


def _if_else(cell: Cell, node: ast.IfExp) -> Iterator[Edit | None]:
    for kept in (node.body, node.orelse):
        yield cell.swap("branch gone", node, cell.source(kept))


def _between(cell: Cell, operator: str, start: int, end: int, new: str) -> Edit | None:
    """The operator between two operands exchanged; anything else there (brackets) stays."""
    old = cell.text[start:end]
    sign = "".join(c for c in old if c not in "() \t\n")
    if not sign:
        return None
    words = old.strip("() \t\n")
    begin = start + old.index(words)
    return cell.edit(operator, begin, begin + len(words), new)


def _renamed(cell: Cell, operator: str, node: ast.Attribute, new: str) -> Edit:
    end = cell.span(node)[1]
    return cell.edit(operator, end - len(node.attr), end, new)


def _gone(cell: Cell, node: ast.AST) -> str:
    return f"`{short(cell.source(node))}` gone"


def _own(cell: Cell, node: ast.AST) -> str:
    return f"({cell.source(node)})"


def _at(cell: Cell, node: ast.Call) -> str:
    assert isinstance(node.func, ast.Attribute)
    begin = cell.span(node.func.value)[1]
    return f"after `{short(cell.text[begin : cell.span(node)[1]].strip())}`"


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_module(node: ast.AST) -> bool:
    """A name such as F or pd: taking the call off would leave a module."""
    return isinstance(node, ast.Name) and node.id in ("F", "pd", "np", "T")


def _in_inner_function(cell: Cell, node: ast.AST) -> bool:
    """Code for Spark's Python workers: numbers there are Python's, not columns."""
    depth = 0
    while node in cell.parents:
        node = cell.parents[node]
        depth += isinstance(node, ast.FunctionDef)
    return depth > 1


_STEPS: list[tuple[type[ast.AST], Callable[[Cell, Any], Iterator[Edit | None]]]] = [
    (ast.Constant, _constant),
    (ast.Compare, _compare),
    (ast.BoolOp, _bool_op),
    (ast.BinOp, _bin_op),
    (ast.UnaryOp, _unary),
    (ast.Call, _call),
    (ast.Name, _name),
    (ast.Attribute, _attribute),
    (ast.Expr, _statement),
    (ast.If, _if),
    (ast.Return, _return),
    (ast.IfExp, _if_else),
    (ast.List, steps_in_events),
]
