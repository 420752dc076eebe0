"""How far a query has come in event time: one watermark for all its streams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from grader.model.timestamps import EPOCH
from grader.model.unsupported import NotModelled
from grader.model.watermark_policy import POLICIES


@dataclass
class Tracker:
    """The watermark of one run of a query (Spark: WatermarkTracker).

    A run begins with the watermark that the last run committed. It does not know how far each stream had
    come: a stream that is silent in this run counts as 1970. Under the policy `min` such a stream holds
    the watermark back, even if the stream was further before.
    """

    policy: str
    watermark: datetime = EPOCH
    streams: dict[int, datetime] = field(default_factory=dict)

    def observe(self, newest: Mapping[int, datetime | None]) -> None:
        """After a batch: `newest` is, for each withWatermark, the latest time less its delay.

        None says that no row came by. The watermark never goes back.
        """
        if self.policy not in POLICIES:
            raise NotModelled(f"the policy {self.policy!r}; known are {sorted(POLICIES)}")
        for stream, time in newest.items():
            before = self.streams.get(stream)
            if time is None:
                self.streams.setdefault(stream, EPOCH)
            else:
                self.streams[stream] = time if before is None else max(before, time)
        if self.streams:
            self.watermark = max(self.watermark, POLICIES[self.policy](self.streams.values()))
