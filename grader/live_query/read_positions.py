"""How far a query has read its Kafka topics, from the offsets of its micro-batches and its checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.live_query.checkpoint_files import Offsets
from grader.live_query.kafka_topics import KafkaSource, Span
from grader.live_query.observation import Topic


@dataclass(frozen=True)
class ReadPositions:
    """Where the query began to read each topic, and how far it has read.

    - `batches`: the progress reports of the micro-batches, oldest first
    - `began` and `committed` come from the checkpoint
    - `counted`: Spark's numInputRows counts a record once; a function of foreachBatch with two actions
      reads its batch twice
    """

    batches: list[dict[str, Any]]
    sources: Mapping[str, KafkaSource]
    began: Offsets = field(default_factory=dict)
    committed: Offsets = field(default_factory=dict)
    counted: bool = True

    def read_to(self) -> Offsets:
        """By topic and partition the offset that is read next."""
        found = {name: dict(parts) for name, parts in self.committed.items()}
        for event in self.batches:
            for source in event.get("sources", []):
                offsets = source.get("endOffset")
                if isinstance(offsets, dict):
                    found |= {n: dict(p) for n, p in offsets.items() if isinstance(p, dict)}
        return found

    def topics(self) -> dict[str, Topic]:
        read, found = self.read_to(), {}
        for source in self.sources.values():
            for name, spans in (source.topics or {}).items():
                found[name] = self._topic(name, spans, source, read.get(name, {}))
        return found

    def _topic(
        self, name: str, spans: dict[int, Span], source: KafkaSource, read: dict[str, int]
    ) -> Topic:
        began = dict(self.began.get(name, {}))
        if source.options.get("startingoffsets") == "earliest":
            began = {str(part): span.first for part, span in spans.items()} | began
        committed = source.options.get("kafka.isolation.level") == "read_committed"
        ends = {p: span.stable if committed else span.after for p, span in spans.items()}
        unread = sum(
            max(0, ends[p] - max(span.first, read.get(str(p), began.get(str(p), span.first))))
            for p, span in spans.items()
        )
        begins = [(span.first, began.get(str(p), span.first)) for p, span in spans.items()]
        return Topic(
            records=sum(ends[p] - span.first for p, span in spans.items()),
            before=sum(max(0, start - first) for first, start in begins),
            unread=unread if read or began else 0,
            partitions=len(spans),
            open=sum(span.after - span.stable for span in spans.values()) if committed else 0,
            lost=self._lost(name, spans),
            beyond=any(read.get(str(p), 0) > span.after for p, span in spans.items())
            or self._went_back(name),
            there=bool(spans),
        )

    def _lost(self, name: str, spans: dict[int, Span]) -> int:
        """Offsets that were gone before this run read them."""
        start = self._run_start(name)
        gone = sum(max(0, span.first - start.get(str(p), span.first)) for p, span in spans.items())
        return min(gone, self._unfilled(name)) if self.batches else gone

    def _run_start(self, name: str) -> dict[str, int]:
        for event in self.batches:
            for source in event.get("sources", []):
                offsets = source.get("startOffset")
                if isinstance(offsets, dict) and name in offsets:
                    return dict(offsets[name])
        return dict(self.committed.get(name, self.began.get(name, {})))

    def _unfilled(self, name: str) -> int:
        """Offsets of this run's micro-batches in which Spark has found no record."""
        missing = 0
        for event in self.batches:
            for source in event.get("sources", []):
                ends = source.get("endOffset")
                if isinstance(ends, dict) and name in ends:
                    wanted = self._offsets_in(source)
                    missing += max(0, (wanted or 0) - int(source.get("numInputRows", 0)))
        return missing if self.counted else 0

    def _went_back(self, name: str) -> bool:
        """Whether Spark began a partition at a smaller offset than before: it is a new topic with the same name."""
        return any(
            start.get(part, 0) > end
            for event in self.batches
            for source in event.get("sources", [])
            for ends, begins in [(source.get("endOffset"), source.get("startOffset"))]
            if isinstance(ends, dict) and isinstance(begins, dict) and name in begins
            for start in [begins[name]]
            for part, end in ends.get(name, {}).items()
        )

    def records(self) -> dict[str, int] | None:
        """Records by input, over this run; None if nothing says how many there were."""
        total: dict[str, int] = {}
        for event in self.batches:
            for given in event.get("sources", []):
                count = self._count(given)
                if count is None:
                    return None
                name = self._name(given)
                total[name] = total.get(name, 0) + count
        return total

    def _count(self, given: dict[str, Any]) -> int | None:
        """Offsets count the marks of transactions, rows count a record again for each time it is read."""
        rows, offsets = int(given.get("numInputRows", 0)), self._offsets_in(given)
        if offsets is None:
            return rows if self.counted else None
        return min(rows, offsets) if self.counted and rows > 0 else offsets

    def _offsets_in(self, given: dict[str, Any]) -> int | None:
        start, end = given.get("startOffset"), given.get("endOffset")
        begin: Offsets = start if isinstance(start, dict) else self.began
        if not self._is_kafka(given) or not isinstance(end, dict):
            return None
        if not all(name in begin for name in end):
            return None
        return sum(
            max(0, offset - begin[name].get(part, 0))
            for name, parts in end.items()
            for part, offset in parts.items()
        )

    def _is_kafka(self, given: dict[str, Any]) -> bool:
        return str(given.get("description", "")).startswith("KafkaV2[")

    def _name(self, given: dict[str, Any]) -> str:
        description = str(given.get("description", "?"))
        for name, source in self.sources.items():
            if source.is_described(description):
                return name
        return description
