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
    """Number compared with None

    The query failed in Python, where a number was compared with None. The highest amount is unknown for customers
    from before the release: in a row that the old version wrote, the new field is None. It is unknown for new
    customers, too. What does your code do in these two cases?
    """

    def step(before: Kept | None, cents: Cents) -> Kept:
        if before is None:
            return len(cents), _highest(None, cents)
        return before[0] + len(cents), max([before[1], *[c for c in cents if c is not None]])

    return _run(orders, _Card(step))


def empty_means_new(orders: DataFrame) -> DataFrame:
    """Customer with an empty field taken for a new one

    Orders from before the release are missing from the counts. In these rows the old field has a value, and only
    the new one is None. What does `exists()` say about such a customer?
    """

    def step(before: Kept | None, cents: Cents) -> Kept:
        if before is None or before[1] is None:
            before = (0, None)
        return _right(before, cents)

    return _run(orders, _Card(step))


def another_variable(orders: DataFrame) -> DataFrame:
    """State variable with another name

    No order from before the release is in the counts. Spark finds state by the name of its variable. A new name
    begins empty, without an error, and the rows of the old variable stay where they are. Which name did the old
    version use?
    """
    return _run(orders, _Card(_right, name="card_v2"))


def field_under_another_name(orders: DataFrame) -> DataFrame:
    """State field with another name

    No order from before the release is in the counts. Avro matches fields by name: Spark drops what the old
    version wrote as `orders`, and a field with another name begins empty. Which name did the old field have?
    """

    def step(before: Kept | None, cents: Cents) -> Kept:
        count, known = before or (0, None)
        return (count or 0) + len(cents), _highest(known, cents)

    return _run(orders, _Card(step, schema="n INT, highest BIGINT"))


def zero_for_not_known(orders: DataFrame) -> DataFrame:
    """Zero in place of an unknown amount

    `highest` is 0 for a customer who has no order of 0 cents. An amount can be below zero, if something was sent
    back, or unknown. Which value says that nothing is known yet?
    """

    def step(before: Kept | None, cents: Cents) -> Kept:
        count, known = before or (0, 0)
        return count + len(cents), max([known or 0, *[c for c in cents if c is not None]])

    return _run(orders, _Card(step))


def a_new_customer_begins_at_zero(orders: DataFrame) -> DataFrame:
    """Zero as the first value of a new customer

    `highest` is 0 for a new customer, expected null. No amount of this customer is known yet. With which value
    should a new card begin?
    """

    def step(before: Kept | None, cents: Cents) -> Kept:
        return _right(before or (0, 0), cents)

    return _run(orders, _Card(step))


def highest_as_an_int(orders: DataFrame) -> DataFrame:
    """Large amount stored in an INT

    `highest` is right in the first row of a customer and another number in a later batch. An amount is a BIGINT;
    an INT ends at 2 147 483 647, and a larger number does not survive in the state. Which type does the state
    field have?
    """
    return _run(orders, _Card(_right, schema="orders INT, highest INT"))


def nothing_written_back(orders: DataFrame) -> DataFrame:
    """State never updated

    In each batch a customer begins where the old version stopped, or at 0. A value lasts only if it is written to
    the state. Where do you call `self.card.update(…)`?
    """

    class Forgetful(_Card):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            before = self.card.get() if self.card.exists() else None
            orders, highest = _right(before, [row.cents for row in rows])
            yield Row(customer=key[0], orders=orders, highest=highest)

    return _run(orders, Forgetful(_right))


def zero_is_passed_over(orders: DataFrame) -> DataFrame:
    """Amount of 0 ignored

    The highest amount of a customer is below zero, although an order of 0 cents has arrived since. In Python 0 is
    false, just like None. Only None is an unknown amount. How can you test for None alone?
    """

    def step(before: Kept | None, cents: Cents) -> Kept:
        count, known = before or (0, None)
        return count + len(cents), _highest(known, [c for c in cents if c])

    return _run(orders, _Card(step))


def zero_is_taken_for_nothing(orders: DataFrame) -> DataFrame:
    """Highest amount of 0 taken for unknown

    The highest amount was 0, and the next amount, below zero, replaced it. In Python 0 is false, just like None.
    Only None says that nothing is known yet. How can you test for None alone?
    """

    def step(before: Kept | None, cents: Cents) -> Kept:
        count, known = before or (0, None)
        for c in cents:
            if c is not None:
                known = c if not known else max(known, c)
        return count + len(cents), known

    return _run(orders, _Card(step))


def highest_of_the_batch(orders: DataFrame) -> DataFrame:
    """Highest amount of each batch only

    `highest` becomes smaller again, or null. Each call gets only the new orders of a customer. The highest amount
    so far is in the state, next to the count. Where do you read it?
    """

    def step(before: Kept | None, cents: Cents) -> Kept:
        count, _ = before or (0, None)
        return count + len(cents), _highest(None, cents)

    return _run(orders, _Card(step))


def not_nullable(orders: DataFrame) -> DataFrame:
    """State field that is not nullable

    Spark rejected the schema. With Avro every field must be nullable, because old rows do not have the fields that
    come later. Which field of your schema is NOT NULL?
    """
    return _run(orders, _Card(_right, schema="orders INT, highest BIGINT NOT NULL"))


def another_type(orders: DataFrame) -> DataFrame:
    """State field with an incompatible type

    Spark compared the two schemas and refused the start. Avro reads an INT as a BIGINT, which is wider, but not as
    a string or a decimal. Which type did `orders` have in the old version?
    """

    def step(before: Kept | None, cents: Cents) -> Kept:
        count, known = before or ("0", None)
        return str(int(count) + len(cents)), _highest(known, cents)

    class TextCard(_Card):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            for row in super().handleInputRows(key, rows, timerValues):
                yield Row(customer=row.customer, orders=int(row.orders), highest=row.highest)

    return _run(orders, TextCard(step, schema="orders STRING, highest BIGINT"))


def orders_without_an_amount_dropped(orders: DataFrame) -> DataFrame:
    """Orders without an amount dropped

    In step 4 the row of dora is missing: her order has no amount. It is still an order, so it counts, and only
    `highest` does not change. Which step of your query drops these rows?
    """
    return _run(orders.where("cents IS NOT NULL"), _Card(_right))


def guests_dropped(orders: DataFrame) -> DataFrame:
    """Guests dropped

    In step 5 the row of the guests is missing. They have no name, and null is a key like any other: all guests
    share one card. Which step of your query drops rows without a customer?
    """
    return _run(orders.where("customer IS NOT NULL"), _Card(_right))
