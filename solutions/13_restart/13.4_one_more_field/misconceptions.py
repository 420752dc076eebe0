"""Ways to add a field that lose the old ones, or stumble over what is not there yet."""

from collections.abc import Callable, Iterator
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

OUT = "customer STRING, orders INT, highest BIGINT"
Cents = list[int | None]
Kept = tuple[Any, ...]


class _Card(StatefulProcessor):  # type: ignore[misc]
    """Keeps what `step` makes of what was kept (None for a new customer) and the batch's amounts."""

    def __init__(
        self,
        step: Callable[[Kept | None, Cents], Kept],
        schema: str = "orders INT, highest BIGINT",
        name: str = "card",
    ) -> None:
        self.step, self.schema, self.name = step, schema, name

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.card = handle.getValueState(self.name, self.schema)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        before = self.card.get() if self.card.exists() else None
        kept = self.step(before, [row.cents for row in rows])
        self.card.update(kept)
        yield Row(customer=key[0], orders=kept[0], highest=kept[1])

    def close(self) -> None:
        pass


def _run(orders: DataFrame, processor: StatefulProcessor) -> DataFrame:
    return orders.groupBy("customer").transformWithState(
        processor, outputStructType=OUT, outputMode="Update", timeMode="None"
    )


def _highest(known: int | None, cents: Cents) -> int | None:
    return max([c for c in [known, *cents] if c is not None], default=None)


def _right(before: Kept | None, cents: Cents) -> Kept:
    count, known = before or (0, None)
    return count + len(cents), _highest(known, cents)


def compares_with_what_is_not_there(orders: DataFrame) -> DataFrame:
    """A number was compared with None

    The query ended in Python, where a number was to be compared with None. For whom is the highest not known yet? For
    customers from before the release: in a row that the old version wrote the new field is there, and empty. And for
    those who are new.
    """

    def step(before: Kept | None, cents: Cents) -> Kept:
        if before is None:
            return len(cents), _highest(None, cents)
        return before[0] + len(cents), max([before[1], *[c for c in cents if c is not None]])

    return _run(orders, _Card(step))


def empty_means_new(orders: DataFrame) -> DataFrame:
    """Customers from before the release begin at nothing

    Their orders are counted from the release on, those before are gone. In their rows the old field was filled,
    only the new one was empty. Whether a customer is new, `exists()` says.
    """

    def step(before: Kept | None, cents: Cents) -> Kept:
        if before is None or before[1] is None:
            before = (0, None)
        return _right(before, cents)

    return _run(orders, _Card(step))


def another_variable(orders: DataFrame) -> DataFrame:
    """All customers begin at nothing

    Nothing that was counted before the release is in the counts. State is found by the name of its variable: under
    a name that the checkpoint does not know there is nothing yet, and Spark makes room for it without a word. The
    old variable's rows stay where they are.
    """
    return _run(orders, _Card(_right, name="card_v2"))


def field_under_another_name(orders: DataFrame) -> DataFrame:
    """A field with another name is another field

    Nothing that was counted before the release is in the counts. Avro matches fields by their names: what the old
    version wrote as `orders` is dropped, and a field of another name begins empty.
    """

    def step(before: Kept | None, cents: Cents) -> Kept:
        count, known = before or (0, None)
        return (count or 0) + len(cents), _highest(known, cents)

    return _run(orders, _Card(step, schema="n INT, highest BIGINT"))


def zero_for_not_known(orders: DataFrame) -> DataFrame:
    """Nothing known is not an amount of zero

    `highest` is 0 for somebody who has no order of 0 cents. An amount can be below zero, when something is sent
    back, or not be known at all. Begin with None, and let the first amount that is known take its place.
    """

    def step(before: Kept | None, cents: Cents) -> Kept:
        count, known = before or (0, 0)
        return count + len(cents), max([known or 0, *[c for c in cents if c is not None]])

    return _run(orders, _Card(step))


def a_new_customer_begins_at_zero(orders: DataFrame) -> DataFrame:
    """A new customer's highest is 0, and should be null

    No amount of that customer is known yet. Nothing known is not an amount of 0: begin with None, and let the first
    amount that is known take its place.
    """

    def step(before: Kept | None, cents: Cents) -> Kept:
        return _right(before or (0, 0), cents)

    return _run(orders, _Card(step))


def highest_as_an_int(orders: DataFrame) -> DataFrame:
    """A large amount was not kept

    Where `highest` is told for the first time it is right, and in a later batch it is another number. An amount is
    a BIGINT; an INT ends at 2 147 483 647, and what is more does not survive in the state.
    """
    return _run(orders, _Card(_right, schema="orders INT, highest INT"))


def nothing_written_back(orders: DataFrame) -> DataFrame:
    """What the new version counts is forgotten

    In each batch a customer begins where the old version left off, or at nothing. What a call has found out lasts only
    if it is written to the state: `self.card.update(…)`.
    """

    class Forgetful(_Card):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            before = self.card.get() if self.card.exists() else None
            orders, highest = _right(before, [row.cents for row in rows])
            yield Row(customer=key[0], orders=orders, highest=highest)

    return _run(orders, Forgetful(_right))


def zero_is_passed_over(orders: DataFrame) -> DataFrame:
    """An amount of 0 is passed over

    Somebody's highest is below zero, though an order of 0 cents has come since. For Python 0 is as false as None.
    Only None says that an amount is not known: `is not None`.
    """

    def step(before: Kept | None, cents: Cents) -> Kept:
        count, known = before or (0, None)
        return count + len(cents), _highest(known, [c for c in cents if c])

    return _run(orders, _Card(step))


def zero_is_taken_for_nothing(orders: DataFrame) -> DataFrame:
    """A highest of 0 is taken for none

    The highest was 0, and the next amount, below zero, took its place. For Python 0 is as false as None. Only None
    says that nothing is known yet: `is None`.
    """

    def step(before: Kept | None, cents: Cents) -> Kept:
        count, known = before or (0, None)
        for c in cents:
            if c is not None:
                known = c if not known else max(known, c)
        return count + len(cents), known

    return _run(orders, _Card(step))


def highest_of_the_batch(orders: DataFrame) -> DataFrame:
    """The highest of each batch, not of all

    `highest` goes down again, or is gone. Each call brings a customer's new orders only; what was the highest so far
    has to be read from the state, beside the count. What comes of both is kept, and told.
    """

    def step(before: Kept | None, cents: Cents) -> Kept:
        count, _ = before or (0, None)
        return count + len(cents), _highest(None, cents)

    return _run(orders, _Card(step))


def not_nullable(orders: DataFrame) -> DataFrame:
    """A field that may not be empty

    Spark did not take the schema. With Avro every field has to be nullable, because old rows do not have those that
    come later.
    """
    return _run(orders, _Card(_right, schema="orders INT, highest BIGINT NOT NULL"))


def another_type(orders: DataFrame) -> DataFrame:
    """A count that becomes another type

    Spark compared the two schemas, and did not start. Avro reads an INT as a BIGINT, which has room for it, but not as
    a text or a decimal.
    """

    def step(before: Kept | None, cents: Cents) -> Kept:
        count, known = before or ("0", None)
        return str(int(count) + len(cents)), _highest(known, cents)

    class TextCard(_Card):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            for row in super().handleInputRows(key, rows, timerValues):
                yield Row(customer=row.customer, orders=int(row.orders), highest=row.highest)

    return _run(orders, TextCard(step, schema="orders STRING, highest BIGINT"))
