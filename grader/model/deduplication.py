"""dropDuplicates and dropDuplicatesWithinWatermark."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from grader.model.operators import Batch, Operator, Row, Stateful, is_past, one_time
from grader.model.query import Deduplicate
from grader.model.timestamps import EPOCH
from grader.model.unsupported import NotModelled, Refused


class Deduplicating(Stateful):
    """The first row of each key passes (Spark: BaseStreamingDeduplicateExec).

    Late rows are dropped if the stream has a watermark, whether or not the key holds the time.
    The state has for each key the time after which the key may be evicted, or None.
    """

    def __init__(self, node: Deduplicate, child: Operator, columns: list[str]):
        self.name = "dedupeWithinWatermark" if node.within_watermark else "dedupe"
        super().__init__(child)
        self.node, self.columns = node, list(node.columns) or columns
        self.time = one_time(self.times, "the deduplication")
        if node.within_watermark and self.time is None:
            raise Refused("dropDuplicatesWithinWatermark needs a watermark")
        self.state: dict[tuple[Any, ...], datetime | None] = {}

    def answer(self, batch: Batch) -> list[Row]:
        passed = []
        first: dict[tuple[Any, ...], Row] = {}  # of this batch
        for row in self.inputs[0].run(batch):
            key = tuple(row.values[name] for name in self.columns)
            if self.time is not None and is_past(row.values[self.time], self.late):
                self.drop(batch, row)
            elif key in self.state:
                if key in first:
                    _hold_order(first[key], row)
                batch.note("duplicate", row, self.name)
            else:
                self.state[key] = self.until(row)
                first[key] = row
                passed.append(row)
        self.counted.rows_updated = len(passed)
        old = [key for key, until in self.state.items() if is_past(until, self.evict)]
        for key in old:
            del self.state[key]
        self.counted.rows_removed = len(old)
        return passed

    def size(self) -> int:
        return len(self.state)

    def until(self, row: Row) -> datetime | None:
        """The watermark that evicts a key; None: the key stays forever.

        With dropDuplicatesWithinWatermark that is the delay after the *first* row's time. Otherwise
        only a key that holds the event time itself can be evicted.
        """
        if self.time is None:
            return None
        time: datetime | None = row.values[self.time]
        if self.node.within_watermark:
            return (time or EPOCH) + self.times[self.time]
        return time if self.time in self.columns else None


def _hold_order(first: Row, other: Row) -> None:
    """Rows of several tasks reach a batch's next stage in the order in which the tasks end."""
    if first.task != other.task and first.values != other.values:
        raise NotModelled("rows of one key, unlike each other, from two partitions in one batch")
