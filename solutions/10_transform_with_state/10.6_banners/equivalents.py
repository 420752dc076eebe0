"""Other right banners."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

BANNER = "visitor STRING, visit_time TIMESTAMP"


def with_pandas(visits: DataFrame) -> DataFrame:
    """With pandas; the value holds when the banner was shown, which nobody asks."""

    class Banner(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.shown = handle.getValueState("shown", "ms LONG", ttlDurationMs=600_000)

        def handleInputRows(
            self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any
        ) -> Iterator[pd.DataFrame]:
            if self.shown.get() is None:
                self.shown.update((timerValues.getCurrentProcessingTimeInMs(),))
                first = min(chunk["visit_time"].min() for chunk in rows)
                yield pd.DataFrame({"visitor": [key[0]], "visit_time": [first]})

    return visits.groupBy("visitor").transformWithStateInPandas(
        Banner(), BANNER, "Update", "ProcessingTime"
    )


def in_a_map(visits: DataFrame) -> DataFrame:
    """A map of banners, with one banner in it: entries of a map have a time to live each."""

    class Banner(StatefulProcessor):  # type: ignore[misc]
        def init(self, handle: StatefulProcessorHandle) -> None:
            self.shown = handle.getMapState("shown", "banner STRING", "yes BOOLEAN", 600_000)

        def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
            first = min(row.visit_time for row in rows)
            if self.shown.containsKey(("summer sale",)):
                return iter([])
            self.shown.updateValue(("summer sale",), (True,))
            return iter([Row(visitor=key[0], visit_time=first)])

    return visits.groupBy("visitor").transformWithState(
        Banner(), BANNER, "Update", "ProcessingTime"
    )
