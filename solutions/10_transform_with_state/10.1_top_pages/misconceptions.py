"""Ways in which a ranking forgets, or ranks the wrong pages."""

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
    """Every batch counts from nothing

    The counts of a batch are those of its own clicks. Either they stand in an attribute such as
    self.counts, which is gone with the batch; or a value is read from the state and not written back;
    or the map is cleared when the batch is done. What the next batch needs goes through updateValue,
    and has to stay.
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
    """The new count takes the place of the old one

    Pages of earlier batches are remembered, and a page that is clicked again has the clicks of its
    last batch only. updateValue replaces what is there. What has to be read before?
    """

    class Overwrites(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            for page, count in Counter(row.page for row in rows).items():
                self.clicks.updateValue((page,), (count,))
            yield from _two(key[0], self.counts())

    return _by_shop(clicks, Overwrites())


def ranks_the_pages_of_the_batch(clicks: DataFrame) -> DataFrame:
    """Only pages that were just clicked are ranked

    The counts are right, and a page without a click in the batch is never among the first two. In
    step 2 /apple leads with 2 clicks, though nobody clicked it. Who is ranked: the pages of the rows,
    or those of the map?
    """

    class BatchOnly(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            found = list(rows)
            self.add(iter(found))
            clicked = {row.page for row in found}
            yield from _two(key[0], {p: n for p, n in self.counts().items() if p in clicked})

    return _by_shop(clicks, BatchOnly())


def keeps_only_the_first_two(clicks: DataFrame) -> DataFrame:
    """A page that came third has lost its clicks

    A page that was not among the first two begins again at nothing. Small state is good, and this
    is too small: to know who comes up from behind you need the counts of those behind.
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
    """Of equal pages the wrong one leads

    Counts are right, and of two pages with as many clicks the one that is later in the alphabet comes
    first. Either the page has no part in the sorting, and equal ones stand as the map happens to give
    them; or (count, page) is sorted the other way round, which turns both: only the count is to be turned.
    """

    class Reversed(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.add(rows)
            ranked = sorted(((n, p) for p, n in self.counts().items()), reverse=True)[:2]
            for place, (count, page) in enumerate(ranked, start=1):
                yield Row(shop=key[0], place=place, page=page, clicks=count)

    return _by_shop(clicks, Reversed())


def tells_after_every_click(clicks: DataFrame) -> DataFrame:
    """A ranking for every click

    The ranking came out once for each click of a batch. What is yielded inside the loop over the rows
    comes out for each row; the task wants it once for each shop and batch, when all rows are counted.
    """

    class EachRow(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            for row in rows:
                self.add(iter([row]))
                yield from _two(key[0], self.counts())

    return _by_shop(clicks, EachRow())


def one_map_a_page(clicks: DataFrame) -> DataFrame:
    """All pages of a shop are first

    Every page of a batch came out in place 1: each was ranked alone, and is the best of one. Either the
    grouping is by shop and page, so that each page has a state of its own; or the ranking is made for
    one page after the other. The task wants one ranking of all pages of a shop.
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
    """Places begin with 0

    Pages and clicks are right, and each place is one too small. Python's enumerate counts from 0 unless it is told
    where to start.
    """

    class FromZero(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.add(rows)
            for row in _two(key[0], self.counts()):
                yield Row(shop=row.shop, place=row.place - 1, page=row.page, clicks=row.clicks)

    return _by_shop(clicks, FromZero())


def one_click_a_batch(clicks: DataFrame) -> DataFrame:
    """A page has one click in each batch

    A page that was clicked several times in a batch got one click for it. A batch may bring many rows of a page, and
    each of them counts.
    """

    class OnceABatch(_WithMap):
        def add(self, rows: Iterator[Row]) -> None:
            super().add(iter({row.page: row for row in rows}.values()))

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.add(rows)
            yield from _two(key[0], self.counts())

    return _by_shop(clicks, OnceABatch())
