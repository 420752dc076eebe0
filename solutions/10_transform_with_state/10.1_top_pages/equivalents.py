"""Other right ways to rank the pages."""

import heapq
from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

TOP = "shop STRING, place INT, page STRING, clicks LONG"


def with_pandas(clicks: DataFrame) -> DataFrame:
    """Rows come and go as DataFrames; the map state is the same."""

    class TopPages(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.clicks = handle.getMapState("clicks", "page STRING", "clicks LONG")

        def handleInputRows(
            self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
        ) -> Iterator[pd.DataFrame]:
            for page, count in pd.concat(list(rows))["page"].value_counts().items():
                old = self.clicks.getValue((page,))
                self.clicks.updateValue((page,), (int(count) + (old[0] if old else 0),))
            counts = [(page, n) for (page,), (n,) in self.clicks.iterator()]
            top = pd.DataFrame(counts, columns=["page", "clicks"])
            top = top.sort_values(["clicks", "page"], ascending=[False, True]).head(2)
            yield top.assign(shop=key[0], place=range(1, len(top) + 1))[
                ["shop", "place", "page", "clicks"]
            ]

    return clicks.groupBy("shop").transformWithStateInPandas(TopPages(), TOP, "Update", "None")


def in_one_value(clicks: DataFrame) -> DataFrame:
    """All counts of a shop in one value: an array of pairs."""

    class TopPages(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.pages = handle.getValueState("pages", "names ARRAY<STRING>, clicks ARRAY<LONG>")

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            names, counts = self.pages.get() or ([], [])
            clicks = dict(zip(names, counts, strict=True))
            for row in rows:
                clicks[row.page] = clicks.get(row.page, 0) + 1
            self.pages.update((list(clicks), list(clicks.values())))
            best = heapq.nsmallest(2, clicks, key=lambda page: (-clicks[page], page))
            for place, page in enumerate(best, start=1):
                yield Row(shop=key[0], place=place, page=page, clicks=clicks[page])

    return clicks.groupBy("shop").transformWithState(TopPages(), TOP, "Update", "None")
