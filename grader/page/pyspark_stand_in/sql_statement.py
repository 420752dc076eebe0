"""SELECT statements of SQL as frames, as far as the page reads them."""

from __future__ import annotations

from dataclasses import dataclass

from grader.page.lab_only import OnlyTheLab
from grader.page.pyspark_stand_in.column import Column, given_name
from grader.page.pyspark_stand_in.data_frame import DataFrame
from grader.page.pyspark_stand_in.grouped_data import grouped
from grader.page.pyspark_stand_in.sql_expression import expression, named_expression, taken_alias
from grader.page.pyspark_stand_in.sql_tokens import Token, Tokens
from grader.page.pyspark_stand_in.stream_joins import joined

_FOLDS = ("COUNT", "COUNT_IF", "SUM", "TRY_SUM", "AVG", "MEAN", "MIN", "MAX")


@dataclass(frozen=True)
class _Item:
    """An item of a SELECT, and the tokens that it was read from."""

    column: Column
    tokens: list[Token]

    @property
    def aggregates(self) -> bool:
        pairs = zip(self.tokens, self.tokens[1:], strict=False)
        return any(a.says(*_FOLDS) and b.is_sign("(") for a, b in pairs)


def frame_of_statement(sql: str, views: dict[str, DataFrame]) -> DataFrame:
    """The frame that a SELECT over views gives; their names are in lower case."""
    tokens = Tokens(sql)
    found = _query(tokens, views)
    tokens.demand_end()
    return found


def _query(tokens: Tokens, views: dict[str, DataFrame]) -> DataFrame:
    if tokens.took_word("WITH"):
        while True:
            name = tokens.take_name()
            tokens.demand_word("AS")
            tokens.demand_sign("(")
            views = {**views, name.lower(): _query(tokens, views)}
            tokens.demand_sign(")")
            if not tokens.took_sign(","):
                break
    found = _select(tokens, views)
    while tokens.took_word("UNION", "ALL"):
        found = found.union(_select(tokens, views))
    return found


def _select(tokens: Tokens, views: dict[str, DataFrame]) -> DataFrame:
    tokens.demand_word("SELECT")
    if tokens.next.says("DISTINCT", "ALL"):
        raise OnlyTheLab(f"SELECT {tokens.next.text}")
    items = [_item(tokens)]
    while tokens.took_sign(","):
        items.append(_item(tokens))
    tokens.demand_word("FROM")
    frame, beside = _from(tokens, views)
    condition = expression(tokens) if tokens.took_word("WHERE") else None
    if beside is not None:
        frame, condition = joined(frame, beside, condition, "inner"), None
    if condition is not None:
        frame = frame.filter(condition)
    columns = [item.column for item in items]
    if not tokens.took_word("GROUP", "BY"):
        if tokens.next.says("HAVING"):
            raise OnlyTheLab("HAVING without GROUP BY")
        return frame.select(*columns)
    keys = _keys(tokens, items, frame)
    having = expression(tokens) if tokens.took_word("HAVING") else None
    return grouped(frame, keys).returning(columns, having)


def _item(tokens: Tokens) -> _Item:
    place = tokens.place
    column = named_expression(tokens)
    return _Item(column, tokens.since(place))


def _keys(tokens: Tokens, items: list[_Item], frame: DataFrame) -> list[Column]:
    """The keys: ALL are the items without an aggregate function; a key may be the name of an item."""
    if tokens.took_word("ALL"):
        return [item.column for item in items if not item.aggregates]
    named = {given_name(item.column): item.column for item in items}
    keys = []
    while True:
        place = tokens.place
        key = expression(tokens)
        said = tokens.since(place)
        name = said[0].text if len(said) == 1 and said[0].kind in ("word", "quoted") else None
        if len(said) == 1 and said[0].kind == "number":
            raise OnlyTheLab("GROUP BY a number")
        alias = name is not None and name not in frame.columns and name in named
        keys.append(named[name] if alias else key)
        if not tokens.took_sign(","):
            return keys


def _from(tokens: Tokens, views: dict[str, DataFrame]) -> tuple[DataFrame, DataFrame | None]:
    """The frame, and a second one after a comma."""
    frame = _source(tokens, views)
    if tokens.took_sign(","):
        return frame, _source(tokens, views)
    while (kind := _join_kind(tokens)) is not None:
        other = _source(tokens, views)
        if tokens.took_word("ON"):
            frame = joined(frame, other, expression(tokens), kind)
        else:
            raise OnlyTheLab("a JOIN without ON")
    return frame, None


def _join_kind(tokens: Tokens) -> str | None:
    for kind, words in {
        "inner": [("JOIN",), ("INNER", "JOIN")],
        "left": [("LEFT", "JOIN"), ("LEFT", "OUTER", "JOIN")],
        "right": [("RIGHT", "JOIN"), ("RIGHT", "OUTER", "JOIN")],
    }.items():
        if any(tokens.took_word(*said) for said in words):
            return kind
    return None


def _source(tokens: Tokens, views: dict[str, DataFrame]) -> DataFrame:
    alias = None
    if tokens.took_sign("("):
        found = _query(tokens, views)
        tokens.demand_sign(")")
    else:
        alias = tokens.take_name()
        if alias.lower() not in views:
            raise OnlyTheLab(f"the table {alias}")
        found = views[alias.lower()]
    alias = taken_alias(tokens) or alias
    return found.alias(alias) if alias else found
