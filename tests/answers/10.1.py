"""Answers to the two top pages."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

TOP = "shop STRING, place INT, page STRING, clicks LONG"


def _by_shop(clicks: DataFrame, processor: StatefulProcessor) -> DataFrame:
    return clicks.groupBy("shop").transformWithState(
        processor, outputStructType=TOP, outputMode="Update", timeMode="None"
    )


class _WithMap(StatefulProcessor):
    def init(self, handle: StatefulProcessorHandle) -> None:
        self.clicks = handle.getMapState("clicks", "page STRING", "clicks LONG")

    def add(self, rows: Iterator[Row]) -> None:
        for row in rows:
            (before,) = self.clicks.getValue((row.page,)) or (0,)
            self.clicks.updateValue((row.page,), (before + 1,))

    def counts(self) -> dict[str, int]:
        return {page: count for (page,), (count,) in self.clicks.iterator()}


def _ranked(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def right_list_of_clicks(clicks: DataFrame) -> DataFrame:
    """Keeps every click in a list state, and counts the whole list in each batch."""

    class TopPages(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.pages = handle.getListState("pages", "page STRING")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.pages.appendList([(row.page,) for row in rows])
            counts = Counter(page for (page,) in self.pages.get())
            for place, (page, count) in enumerate(_ranked(counts)[:2], start=1):
                yield Row(shop=key[0], place=place, page=page, clicks=count)

    return _by_shop(clicks, TopPages())


def right_fields_in_another_order(clicks: DataFrame) -> DataFrame:
    """Columns in another order than the Rows, smaller numbers, two variables: counts and a total."""

    class TopPages(StatefulProcessor):
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.counts = handle.getMapState("counts", "page STRING", "n INT")
            self.total = handle.getValueState("total", "n INT")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            new = Counter(row.page for row in rows)
            total = self.total.get()
            self.total.update(((total[0] if total else 0) + sum(new.values()),))
            for page, n in new.items():
                old = self.counts.getValue((page,))
                self.counts.updateValue((page,), (n + (old[0] if old else 0),))
            best = sorted(self.counts.iterator(), key=lambda pair: (-pair[1][0], pair[0][0]))
            out = []
            for place in (1, 2):
                if len(best) >= place:
                    (page,), (n,) = best[place - 1]
                    out.append(Row(clicks=n, page=page, place=place, shop=key[0]))
            return iter(out)

        def close(self) -> None:
            pass

    return clicks.groupBy(F.col("shop")).transformWithState(
        TopPages(), "page STRING, clicks INT, shop STRING, place BIGINT", "update", "none"
    )


def right_with_an_aggregation(clicks: DataFrame) -> DataFrame:
    """No processor: collect_list by shop, and array functions that rank.

    The docstring of the stub says "Write the processor's class inside this function"; the task's In and Out
    are kept. Expected to pass.
    """
    ranked = (
        "transform(slice(array_sort(transform(array_distinct(pages),"
        " p -> struct(-size(filter(pages, q -> q = p)) AS down, p AS page))), 1, 2),"
        " (t, i) -> struct(i + 1 AS place, t.page AS page, -t.down AS clicks))"
    )
    return (
        clicks.groupBy("shop")
        .agg(F.collect_list("page").alias("pages"))
        .select("shop", F.expr(ranked).alias("top"))
        .select("shop", F.inline("top"))
    )


def wrong_most_common(clicks: DataFrame) -> DataFrame:
    """Counter.most_common(2) over the map: the alphabet is not looked at, ties as the map gives them.

    The map's iterator gives short names first, so ties of step 1 (/pear before /mango), step 2 (/pear before
    /apple, /tea before /coffee) and step 3 fall just as with reverse=True.
    """

    class TopPages(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.add(rows)
            best = Counter(self.counts()).most_common(2)
            for place, (page, count) in enumerate(best, start=1):
                yield Row(shop=key[0], place=place, page=page, clicks=count)

    return _by_shop(clicks, TopPages())


def wrong_sorted_by_count_alone(clicks: DataFrame) -> DataFrame:
    """sorted(key=-count)[:2], no second key.

    As wrong_most_common, the commonest form of it.
    """

    class TopPages(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.add(rows)
            best = sorted(self.clicks.iterator(), key=lambda entry: -entry[1][0])[:2]
            for place, ((page,), (count,)) in enumerate(best, start=1):
                yield Row(shop=key[0], place=place, page=page, clicks=count)

    return _by_shop(clicks, TopPages())


def wrong_clears_the_map_afterwards(clicks: DataFrame) -> DataFrame:
    """Writes the counts with updateValue, ranks, and clears the map at the end of the batch.

    Step 2 counts from nothing.
    """

    class TopPages(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.add(rows)
            best = _ranked(self.counts())[:2]
            self.clicks.clear()
            for place, (page, count) in enumerate(best, start=1):
                yield Row(shop=key[0], place=place, page=page, clicks=count)

    return _by_shop(clicks, TopPages())


def wrong_ranks_inside_the_loop(clicks: DataFrame) -> DataFrame:
    """Right grouping and right map, but the ranking is built anew for each page of the batch.

    Every page of the batch comes out in place 1.
    """

    class TopPages(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            for page, new in Counter(row.page for row in rows).items():
                (before,) = self.clicks.getValue((page,)) or (0,)
                self.clicks.updateValue((page,), (before + new,))
                ranked = sorted([(-(before + new), page)])[:2]
                for place, (count, name) in enumerate(ranked, start=1):
                    yield Row(shop=key[0], place=place, page=name, clicks=-count)

    return _by_shop(clicks, TopPages())


def wrong_keeps_the_ten_best(clicks: DataFrame) -> DataFrame:
    """Keeps only the ten best pages of a shop, to bound the state.

    A page that was eleventh loses its clicks, though it may come up from behind.
    """

    class TopPages(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.add(rows)
            ranked = _ranked(self.counts())
            for page, _ in ranked[10:]:
                self.clicks.removeKey((page,))
            for place, (page, count) in enumerate(ranked[:2], start=1):
                yield Row(shop=key[0], place=place, page=page, clicks=count)

    return _by_shop(clicks, TopPages())


def wrong_keeps_the_four_best(clicks: DataFrame) -> DataFrame:
    """As wrong_keeps_the_ten_best, with two pages in reserve."""

    class TopPages(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.add(rows)
            ranked = _ranked(self.counts())
            for page, _ in ranked[4:]:
                self.clicks.removeKey((page,))
            for place, (page, count) in enumerate(ranked[:2], start=1):
                yield Row(shop=key[0], place=place, page=page, clicks=count)

    return _by_shop(clicks, TopPages())


def wrong_places_from_nothing(clicks: DataFrame) -> DataFrame:
    """enumerate without start=1."""

    class TopPages(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.add(rows)
            for place, (page, count) in enumerate(_ranked(self.counts())[:2]):
                yield Row(shop=key[0], place=place, page=page, clicks=count)

    return _by_shop(clicks, TopPages())


def wrong_only_when_it_has_changed(clicks: DataFrame) -> DataFrame:
    """Tells the two top pages only if they have changed since they were told last

    "For each shop that has clicks in a batch": a click on a third page changes nothing among the first two.
    """

    class TopPages(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            before = _ranked(self.counts())[:2]
            self.add(rows)
            best = _ranked(self.counts())[:2]
            if best == before:
                return
            for place, (page, count) in enumerate(best, start=1):
                yield Row(shop=key[0], place=place, page=page, clicks=count)

    return _by_shop(clicks, TopPages())


def wrong_counts_compared_as_text(clicks: DataFrame) -> DataFrame:
    """Ranks by the counts' digits: 9 clicks are more than 11."""

    class TopPages(_WithMap):
        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            self.add(rows)
            pages = sorted(self.counts().items())
            best = sorted(pages, key=lambda pair: str(pair[1]), reverse=True)
            for place, (page, count) in enumerate(best[:2], start=1):
                yield Row(shop=key[0], place=place, page=page, clicks=count)

    return _by_shop(clicks, TopPages())
