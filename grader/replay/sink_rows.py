"""The rows in the sink's topic, each assigned to the batch that emitted it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from grader.replay.answer_sink import batch_time, row_of
from grader.replay.checkpoint import batch_times
from grader.replay.kafka import Record
from grader.scenario.recording import Batch


class SinkRows:
    """Batches whose rows are in the topic and not read yet: that is done once for many steps."""

    def __init__(self) -> None:
        self._batches: dict[int, Batch] = {}
        self._times: dict[int, int] = {}  # of those: milliseconds → batch id

    def wait_for(self, batches: Iterable[Batch], checkpoint: Path) -> None:
        """Note batches that just ran: a query may keep few entries of its offset log."""
        self._batches |= {batch.id: batch for batch in batches}
        self._times |= batch_times(checkpoint, [batch.id for batch in batches])

    def distribute(self, read: Callable[[], Iterable[Record]]) -> None:
        """Put the topic's new records into the batches noted since the last time, if there are any."""
        for record in read() if self._batches else ():
            id = self._times.get(batch_time(record))
            if id is not None:  # else of a batch that failed half-way
                self._batches[id].rows.append(row_of(record))
        for batch in self._batches.values():
            batch.rows.sort(key=row_order)
        self._batches, self._times = {}, {}


def row_order(row: dict[str, Any]) -> str:
    """By what a batch's rows are sorted: Spark emits them in any order."""
    return json.dumps(row, sort_keys=True)
