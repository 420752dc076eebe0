"""Many latencies as one small sketch: counts and percentiles."""

from __future__ import annotations

from collections.abc import Iterable

from datasketches import req_floats_sketch

ACCURACY = 24  # ranks near 1 are off by less than 0.1 % then (DataSketches, "REQ sketch")


class Latencies:
    """Latencies in milliseconds, without keeping each of them.

    A REQ sketch is most exact at the high ranks, where a tail is. A negative latency says that two
    clocks differ; it is counted in `negative` and is in no percentile.
    """

    def __init__(self, values: Iterable[float] = ()):
        self._sketch = req_floats_sketch(ACCURACY, True)
        self.negative = 0
        for value in values:
            self.add(value)

    def add(self, milliseconds: float) -> None:
        if milliseconds < 0:
            self.negative += 1
        else:
            self._sketch.update(float(milliseconds))

    @property
    def count(self) -> int:
        return int(self._sketch.n)

    def at(self, percent: float) -> float:
        """The smallest latency (ms) that at least so many percent do not exceed; ValueError if there are none."""
        if not self.count:
            clocks = "; the broker's clock is behind this machine's" if self.negative else ""
            raise ValueError(
                f"no record with a latency came out in the time that was measured{clocks}"
            )
        return float(self._sketch.get_quantile(percent / 100, True))
