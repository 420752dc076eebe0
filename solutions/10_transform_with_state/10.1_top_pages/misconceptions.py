"""Rankings that lose clicks, or rank the wrong pages."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle


def _by_shop(clicks: DataFrame, processor: StatefulProcessor) -> DataFrame:
    return clicks.groupBy("shop").transformWithState(
        processor,
        outputStructType="shop STRING, place INT, page STRING, clicks LONG",
        outputMode="Update",
        timeMode="None",
    )


def _two(shop: str, counts: dict[str, int]) -> Iterator[Row]:
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:2]
    for place, (page, count) in enumerate(ranked, start=1):
        yield Row(shop=shop, place=place, page=page, clicks=count)


class _WithMap(StatefulProcessor):  # type: ignore[misc]
    """What the wrong answers share: a map state of the counts."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.clicks = handle.getMapState("clicks", "page STRING", "clicks LONG")

    def add(self, rows: Iterator[Row]) -> None:
        for row in rows:
            (before,) = self.clicks.getValue((row.page,)) or (0,)
            self.clicks.updateValue((row.page,), (before + 1,))

    def counts(self) -> dict[str, int]:
        return {page: count for (page,), (count,) in self.clicks.iterator()}


def counts_on_self(clicks: DataFrame) -> DataFrame:
    """Counts lost between batches

    The counts of a batch are those of its own clicks. An attribute such as `self.counts` is lost at the end
    of the batch. Or the code reads a value from the state and does not write it back, or clears the map
    after the batch. What does the next batch need, and where do you call `updateValue`?
    """

    class OnSelf(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.counts: dict[tuple[str, str], int] = {}

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            for row in rows:
                self.counts[key[0], row.page] = self.counts.get((key[0], row.page), 0) + 1
            yield from _two(
                key[0], {p: n for (shop, p), n in self.counts.items() if shop == key[0]}
            )

    return _by_shop(clicks, OnSelf())


def overwrites(clicks: DataFrame) -> DataFrame:
    """New count replaces the old count

    Pages of earlier batches are kept, and a page that is clicked again has only the clicks of its last
    batch. `updateValue` replaces the entry. What must you read before you write?
    """

    class Overwrites(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            for page, count in Counter(row.page for row in rows).items():
                self.clicks.updateValue((page,), (count,))
            yield from _two(key[0], self.counts())

    return _by_shop(clicks, Overwrites())


def ranks_the_pages_of_the_batch(clicks: DataFrame) -> DataFrame:
    """Only pages of the batch ranked

    The counts are right, and a page without a click in the batch is never in the first two places. In step
    2 /apple leads with 2 clicks, though the step has no click on it. What do you rank: the pages of the
    rows, or those of the map?
    """

    class BatchOnly(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            found = list(rows)
            self.add(iter(found))
            clicked = {row.page for row in found}
            yield from _two(key[0], {p: n for p, n in self.counts().items() if p in clicked})

    return _by_shop(clicks, BatchOnly())


def keeps_only_the_first_two(clicks: DataFrame) -> DataFrame:
    """Counts of lower pages removed

    A page that was not in the first two places starts again from 0. A small state is good, but this one is
    too small. Which counts do you need to see that a page rises from a lower place?
    """

    class Pruned(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.add(rows)
            counts = self.counts()
            for page in sorted(counts, key=lambda page: (-counts[page], page))[2:]:
                self.clicks.removeKey((page,))
            yield from _two(key[0], counts)

    return _by_shop(clicks, Pruned())


def ties_the_other_way_round(clicks: DataFrame) -> DataFrame:
    """Ties in reversed order

    The counts are right. In step 3, /tea and /water of the airport have 1 click each, and /water came first; the
    task breaks ties alphabetically. A reversed sort of (count, page) reverses both parts. How do you reverse only
    the count?
    """

    class Reversed(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.add(rows)
            ranked = sorted(((n, p) for p, n in self.counts().items()), reverse=True)[:2]
            for place, (count, page) in enumerate(ranked, start=1):
                yield Row(shop=key[0], place=place, page=page, clicks=count)

    return _by_shop(clicks, Reversed())


def tells_after_every_click(clicks: DataFrame) -> DataFrame:
    """One ranking per click

    The ranking was emitted once for each click of a batch. A `yield` inside the loop over the rows emits
    for each row. Where does it belong, if the task wants one ranking per shop and batch?
    """

    class EachRow(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            for row in rows:
                self.add(iter([row]))
                yield from _two(key[0], self.counts())

    return _by_shop(clicks, EachRow())


def one_map_a_page(clicks: DataFrame) -> DataFrame:
    """One ranking per page

    Every page of a batch is in place 1, because each was ranked alone. Either you group by shop and page,
    so that each page has its own state; or you rank inside a loop over the pages. Which pages compete in
    one ranking?
    """

    class Alone(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.add(rows)
            yield from _two(key[0], self.counts())

    return clicks.groupBy("shop", "page").transformWithState(
        Alone(),
        outputStructType="shop STRING, place INT, page STRING, clicks LONG",
        outputMode="Update",
        timeMode="None",
    )


def places_from_nothing(clicks: DataFrame) -> DataFrame:
    """Places start at 0

    Pages and clicks are right, and each place is one too small. Python's `enumerate` counts from 0 by
    default. Which argument changes that?
    """

    class FromZero(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.add(rows)
            for row in _two(key[0], self.counts()):
                yield Row(shop=row.shop, place=row.place - 1, page=row.page, clicks=row.clicks)

    return _by_shop(clicks, FromZero())


def one_click_a_batch(clicks: DataFrame) -> DataFrame:
    """One click per page and batch

    A page that was clicked several times in a batch got only one click for it. A batch can have many rows
    of a page, and each of them counts. Which rows does your loop skip?
    """

    class OnceABatch(_WithMap):
        def add(self, rows: Iterator[Row]) -> None:
            super().add(iter({row.page: row for row in rows}.values()))

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.add(rows)
            yield from _two(key[0], self.counts())

    return _by_shop(clicks, OnceABatch())


def ties_in_map_order(clicks: DataFrame) -> DataFrame:
    """Ties in the order of the map

    The counts are right. In step 1, /pear and /mango have 1 click each, and /pear came first; the task breaks ties
    alphabetically. A sort by the count alone leaves ties in the order of the map, which has short names first.
    What is the second part of your sort key?
    """

    class ShortFirst(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.add(rows)
            counts = self.counts()
            pages = sorted(counts, key=lambda page: (-counts[page], len(page), page))[:2]
            for place, page in enumerate(pages, start=1):
                yield Row(shop=key[0], place=place, page=page, clicks=counts[page])

    return _by_shop(clicks, ShortFirst())


def only_when_it_changed(clicks: DataFrame) -> DataFrame:
    """Only changed rankings emitted

    In step 3 a click on a third page of the market left its two top pages as they were, and no row was emitted. The
    task wants the ranking of every shop that has clicks in the batch. Do you compare it with the previous one?
    """

    class Changed(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            before = list(_two(key[0], self.counts()))
            self.add(rows)
            now = list(_two(key[0], self.counts()))
            yield from now if now != before else []

    return _by_shop(clicks, Changed())
