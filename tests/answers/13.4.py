"""Answers to 13.4: other ways to keep the highest amount beside the count, right and wrong."""

from collections.abc import Iterator
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

OUT = "customer STRING, orders INT, highest BIGINT"
Kept = tuple[int, int | None]


def _run(orders: DataFrame, processor: StatefulProcessor) -> DataFrame:
    return orders.groupBy("customer").transformWithState(
        processor, outputStructType=OUT, outputMode="Update", timeMode="None"
    )


class _Card(StatefulProcessor):
    """Keeps count and highest; `after` says what an amount makes of them."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.card = handle.getValueState("card", "orders INT, highest BIGINT")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        orders, highest = self.card.get() if self.card.exists() else (0, None)
        for row in rows:
            orders, highest = self.after(orders, highest, row.cents)
        self.card.update((orders, highest))
        yield Row(customer=key[0], orders=orders, highest=highest)

    def after(self, orders: int, highest: int | None, cents: int | None) -> Kept:
        if cents is None or (highest is not None and highest >= cents):
            return orders + 1, highest
        return orders + 1, cents


def right_a_list_for_the_highest(orders: DataFrame) -> DataFrame:
    """Leaves the card as it is; the highest is the one element of a list state."""

    class Card(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.card = handle.getValueState("card", "orders INT")
            self.highest = handle.getListState("highest", "cents BIGINT")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            (count,) = self.card.get() or (0,)
            known = [cents for (cents,) in self.highest.get()] if self.highest.exists() else []
            for row in rows:
                count += 1
                if row.cents is not None:
                    known = [max([*known, row.cents])]
            if known:
                self.highest.put([(known[0],)])
            self.card.update((count,))
            yield Row(customer=key[0], orders=count, highest=known[0] if known else None)

    return _run(orders, Card())


def right_a_map_for_the_highest(orders: DataFrame) -> DataFrame:
    """Leaves the card as it is; a map state holds what else is known of a customer."""

    class Card(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.card = handle.getValueState("card", "orders INT")
            self.facts = handle.getMapState("facts", "name STRING", "cents BIGINT")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            amounts = [row.cents for row in rows]
            before = self.card.get()[0] if self.card.exists() else 0
            known = [cents for cents in amounts if cents is not None]
            if self.facts.containsKey(("highest",)):
                known.append(self.facts.getValue(("highest",))[0])
            highest = max(known) if known else None
            if highest is not None:
                self.facts.updateValue(("highest",), (highest,))
            self.card.update((before + len(amounts),))
            yield Row(highest=highest, orders=before + len(amounts), customer=key[0])

    return orders.groupBy("customer").transformWithState(
        Card(), "highest BIGINT, orders INT, customer STRING", "update", "none"
    )


def right_a_flag_beside_it(orders: DataFrame) -> DataFrame:
    """Keeps 0 and a flag where nothing is known; in a row of before the release the flag is None."""

    class Card(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.card = handle.getValueState("card", "orders INT, known BOOLEAN, highest BIGINT")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            count, known, highest = self.card.get() or (0, False, 0)
            for row in rows:
                count += 1
                if row.cents is not None:
                    highest = max(highest, row.cents) if known else row.cents
                    known = True
            self.card.update((count, bool(known), highest if known else 0))
            yield Row(customer=key[0], orders=count, highest=highest if known else None)

    return _run(orders, Card())


def right_types_as_objects(orders: DataFrame) -> DataFrame:
    """The schemas as StructType, a reduce over the rows, and a list for the generator."""
    kept = StructType(
        [StructField("orders", IntegerType(), True), StructField("highest", LongType(), True)]
    )
    told = StructType([StructField("customer", StringType()), *kept.fields])

    class Card(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.card = handle.getValueState("card", kept)

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            def add(card: Kept, row: Row) -> Kept:
                count, highest = card
                known = {cents for cents in (highest, row.cents) if cents is not None}
                return count + 1, max(known, default=None)

            card = reduce(add, rows, self.card.get() or (0, None))
            self.card.update(card)
            return iter([Row(customer=key[0], orders=card[0], highest=card[1])])

    return orders.groupBy(F.col("customer")).transformWithState(
        statefulProcessor=Card(), outputStructType=told, outputMode="Update", timeMode="None"
    )


def right_more_than_is_asked_in_the_state(orders: DataFrame) -> DataFrame:
    """Keeps the lowest amount, too, in front, and does not tell it; columns of the input by name."""

    class Card(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.card = handle.getValueState("card", "lowest BIGINT, highest BIGINT, orders INT")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            lowest, highest, count = self.card.get() or (None, None, 0)
            amounts = [row["cents"] for row in rows]
            known = sorted(c for c in (lowest, highest, *amounts) if c is not None)
            if known:
                lowest, highest = known[0], known[-1]
            count += len(amounts)
            self.card.update((lowest, highest, count))
            yield Row(customer=key[0], orders=count, highest=highest)

        def close(self) -> None:
            pass

    return _run(orders.select("cents", "customer"), Card())


def wrong_rows_read_twice(orders: DataFrame) -> DataFrame:
    """Goes through the iterator of rows twice: the second time it is empty, and nothing is ever known."""

    class Card(_Card):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            count, highest = self.card.get() or (0, None)
            count += sum(1 for _ in rows)
            known = [row.cents for row in rows if row.cents is not None]
            if highest is not None:
                known.append(highest)
            highest = max(known, default=None)
            self.card.update((count, highest))
            yield Row(customer=key[0], orders=count, highest=highest)

    return _run(orders, Card())


def wrong_unknown_amounts_not_counted(orders: DataFrame) -> DataFrame:
    """Passes over an order whose amount is not known, and does not count it either."""

    class Card(_Card):
        def after(self, orders: int, highest: int | None, cents: int | None) -> Kept:
            return (orders, highest) if cents is None else super().after(orders, highest, cents)

    return _run(orders, Card())


def wrong_unknown_makes_it_unknown(orders: DataFrame) -> DataFrame:
    """An amount that is not known makes the highest null; it should change nothing about it."""

    class Card(_Card):
        def after(self, orders: int, highest: int | None, cents: int | None) -> Kept:
            return (orders + 1, None) if cents is None else super().after(orders, highest, cents)

    return _run(orders, Card())


def wrong_returns_are_no_amounts(orders: DataFrame) -> DataFrame:
    """Leaves out amounts below zero; they are amounts, and may be the highest."""

    class Card(_Card):
        def after(self, orders: int, highest: int | None, cents: int | None) -> Kept:
            known = cents if cents is not None and cents >= 0 else None
            return super().after(orders, highest, known)

    return _run(orders, Card())


def wrong_newest_amount(orders: DataFrame) -> DataFrame:
    """Keeps the newest amount that is known, as if that were the highest."""

    class Card(_Card):
        def after(self, orders: int, highest: int | None, cents: int | None) -> Kept:
            return orders + 1, highest if cents is None else cents

    return _run(orders, Card())


def wrong_highest_in_a_dict(orders: DataFrame) -> DataFrame:
    """Keeps the highest in a dict of the processor, which ends with the worker that has it."""

    class Card(StatefulProcessor):
        def __init__(self) -> None:
            self.highest: dict[Any, int] = {}

        def init(self, handle: StatefulProcessorHandle) -> None:
            self.card = handle.getValueState("card", "orders INT")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            (count,) = self.card.get() or (0,)
            for row in rows:
                count += 1
                if row.cents is not None:
                    self.highest[key] = max(self.highest.get(key, row.cents), row.cents)
            self.card.update((count,))
            yield Row(customer=key[0], orders=count, highest=self.highest.get(key))

    return _run(orders, Card())


def wrong_highest_as_an_int(orders: DataFrame) -> DataFrame:
    """Keeps the highest as an INT, where an amount is a BIGINT: a large one does not fit."""

    class Card(_Card):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.card = handle.getValueState("card", "orders INT, highest INT")

    return _run(orders, Card())


def wrong_told_only_when_higher(orders: DataFrame) -> DataFrame:
    """Tells a customer only when there is a new highest; a row for each customer in a batch is asked."""

    class Card(_Card):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            count, before = self.card.get() or (0, None)
            highest = before
            for row in rows:
                count, highest = self.after(count, highest, row.cents)
            self.card.update((count, highest))
            if highest != before:
                yield Row(customer=key[0], orders=count, highest=highest)

    return _run(orders, Card())


def wrong_a_row_for_each_order(orders: DataFrame) -> DataFrame:
    """Tells the card after each order, and not once for the batch."""

    class Card(_Card):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            count, highest = self.card.get() or (0, None)
            for row in rows:
                count, highest = self.after(count, highest, row.cents)
                yield Row(customer=key[0], orders=count, highest=highest)
            self.card.update((count, highest))

    return _run(orders, Card())


def wrong_kept_once_something_is_known(orders: DataFrame) -> DataFrame:
    """Writes the card only when a highest is known: orders of unknown amounts before it are lost."""

    class Card(_Card):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            count, highest = self.card.get() or (0, None)
            for row in rows:
                count, highest = self.after(count, highest, row.cents)
            if highest is not None:
                self.card.update((count, highest))
            yield Row(customer=key[0], orders=count, highest=highest)

    return _run(orders, Card())


def wrong_guests_left_out(orders: DataFrame) -> DataFrame:
    """Leaves out guests, as they have no name; they "share a card"."""
    return _run(orders.where("customer IS NOT NULL"), _Card())


def wrong_guests_get_a_name(orders: DataFrame) -> DataFrame:
    """Calls guests "guest": another key than the null under which their orders lie."""
    return _run(orders.na.fill("guest", ["customer"]), _Card())


def wrong_unknown_filtered_out(orders: DataFrame) -> DataFrame:
    """Filters orders without an amount before they reach the card, where they count."""
    return _run(orders.where("cents IS NOT NULL"), _Card())


def wrong_lowest(orders: DataFrame) -> DataFrame:
    """Turns the comparison round: the lowest amount is kept."""

    class Card(_Card):
        def after(self, orders: int, highest: int | None, cents: int | None) -> Kept:
            if cents is None or (highest is not None and highest <= cents):
                return orders + 1, highest
            return orders + 1, cents

    return _run(orders, Card())


def right_written_after_each_row(orders: DataFrame) -> DataFrame:
    """Writes the card after each row as a Row, reads it again for the next, and tells it in the end."""

    class Card(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.card = handle.getValueState("card", "orders INT, highest BIGINT")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            for row in rows:
                before = self.card.get() if self.card.exists() else (0, None)
                higher = before[1] is None or (row.cents is not None and row.cents > before[1])
                best = row.cents if higher else before[1]
                self.card.update(Row(orders=before[0] + 1, highest=best))
            count, best = self.card.get()
            (customer,) = key
            yield Row(highest=best, customer=customer, orders=count)

        def close(self) -> None:
            pass

    return orders.groupBy(orders.customer).transformWithState(Card(), OUT, "Update", "None")


def right_highest_by_sorting(orders: DataFrame) -> DataFrame:
    """Sorts the amounts, nothing known in front of all, and takes the last; the field stands in front."""

    class Card(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.card = handle.getValueState("card", "highest BIGINT, orders INT")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            highest, count = (None, 0) if not self.card.exists() else self.card.get()
            amounts = [highest]
            amounts.extend(row.cents for row in rows)
            amounts.sort(key=lambda cents: (cents is not None, cents or 0))
            count += len(amounts) - 1
            self.card.update((amounts[-1], count))
            yield from [Row(customer=key[0], orders=count, highest=amounts[-1])]

    return _run(orders.select("customer", "cents"), Card())
