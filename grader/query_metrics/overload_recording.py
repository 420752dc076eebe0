"""Records what Prometheus would scrape of a real overload: `python -m grader.query_metrics.overload_recording`.

It takes 2 minutes and prints a line of JSON per scrape. Exercise 14.7 is checked with lines of such a recording.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming import StreamingQuery

from grader.learner import notebook_lab
from grader.query_metrics.metrics_endpoint import metrics_endpoint
from grader.replay.kafka import Kafka

SCRAPE_SECONDS = 2.0
SEND_SECONDS = 0.25
# how many clicks arrive per second, and until which second
ARRIVALS = ((20, 40), (56, 400), (86, 40), (116, 2500), (140, 40))
# a driver that may take 100 clicks per batch, and after its stop one that may take 1000: from when to when
DRIVERS = ((0.0, 43.0, 100), (49.0, 140.0, 1000))
QUERY, TOPIC = "clicks_by_minute", "clicks"
ROWS, LAG = "shop_query_input_rows", "shop_query_lag_records"


class Progress(Collector):
    """What the progress reports of one driver say: the rows so far, and the lag of each partition."""

    def __init__(self, query: StreamingQuery):
        self._query = query

    def collect(self) -> Iterator[Metric]:
        reports = [json.loads(report.json) for report in self._query.recentProgress]
        rows = CounterMetricFamily(ROWS, "Rows read by this driver", labels=["query"])
        rows.add_metric([QUERY], sum(report["numInputRows"] for report in reports))
        lag = GaugeMetricFamily(LAG, "Records not yet read", labels=["query", "partition"])
        for partition, records in lags(reports[-1]).items():
            lag.add_metric([QUERY, partition], records)
        yield from (rows, lag)


def lags(report: dict[str, Any]) -> dict[str, int]:
    """The records behind by partition; none in a batch that is repeated after a start."""
    (source,) = report["sources"]
    latest, ends = (source[name] or {} for name in ("latestOffset", "endOffset"))
    ends = ends.get(TOPIC, {})
    return {
        number: offset - ends.get(number, 0) for number, offset in latest.get(TOPIC, {}).items()
    }


class Driver:
    """A query, and the endpoint that its driver serves as soon as there is a report."""

    def __init__(self, kafka: Kafka, checkpoint: str, limit: int):
        self._open = ExitStack()
        self._query = (
            _clicks_by_minute(kafka, limit)
            .writeStream.format("noop")
            .queryName(QUERY)
            .option("checkpointLocation", checkpoint)
            .trigger(processingTime="1 second")
            .start()
        )
        self._open.callback(self._query.stop)
        self._address: str | None = None

    def wait(self, seconds: float) -> None:
        """Returns after so many seconds, at once if there are none; raises if the query fails."""
        if seconds > 0:
            self._query.awaitTermination(seconds)  # type: ignore[arg-type]  # a float is right, too
        if self._address is None and self._query.lastProgress is not None:
            self._address = self._open.enter_context(_served(Progress(self._query)))

    def scrape(self) -> dict[str, Any]:
        return scrape(self._address) if self._address else {"up": 0}

    def stop(self) -> None:
        self._open.close()


def _served(progress: Progress) -> AbstractContextManager[str]:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(progress)
    return metrics_endpoint(lambda: generate_latest(registry).decode())


def scrape(address: str) -> dict[str, Any]:
    """One scrape of a driver; `up` is 0 if nothing answers."""
    try:
        with urlopen(address, timeout=SCRAPE_SECONDS / 2) as reply:
            families = list(text_string_to_metric_families(reply.read().decode()))
    except URLError:
        return {"up": 0}
    samples = [sample for family in families for sample in family.samples]
    (rows,) = [int(sample.value) for sample in samples if sample.name == f"{ROWS}_total"]
    lag = {s.labels["partition"]: int(s.value) for s in samples if s.name == LAG}
    return {"up": 1, "rows_total": rows, "lag": lag}


def record() -> Iterator[dict[str, Any]]:
    """The scrapes of a query that is overloaded, restarted with a higher limit, and overloaded again."""
    lab = notebook_lab.start()
    lab.kafka.create_topic(TOPIC, partitions=2)
    checkpoint = notebook_lab.fresh_checkpoint()
    end = ARRIVALS[-1][0]
    began, sent = time.monotonic(), 0
    driver: Driver | None = None
    for tick in range(int(end / SEND_SECONDS)):
        at = tick * SEND_SECONDS
        for start, stop, limit in DRIVERS:
            if at == start:
                driver = Driver(lab.kafka, checkpoint, limit)
            if at == stop and driver:
                driver.stop()
                driver = None
        left = began + at - time.monotonic()
        if driver:
            driver.wait(left)
        elif left > 0:
            time.sleep(left)
        count = int(_arriving(at) * SEND_SECONDS)
        lab.kafka.send(TOPIC, [_click(n) for n in range(sent, sent + count)])
        sent += count
        if at % SCRAPE_SECONDS == 0:
            yield {"time": at, **(driver.scrape() if driver else {"up": 0})}
    if driver:
        driver.stop()


def _arriving(at: float) -> int:
    return next(per_second for until, per_second in ARRIVALS if at < until)


def _click(number: int) -> dict[str, Any]:
    return {
        "page": "sale",
        "event_time": f"2026-03-01T12:{number // 6000 % 60:02d}:{number // 100 % 60:02d}Z",
    }


def _clicks_by_minute(kafka: Kafka, limit: int) -> DataFrame:
    """Lesson 14's query, with at most `limit` clicks per batch."""
    clicks = (
        notebook_lab.start()
        .spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", TOPIC)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", limit)
        .load()
        .select(
            F.from_json(F.col("value").cast("string"), "page STRING, event_time TIMESTAMP").alias(
                "c"
            )
        )
        .select("c.*")
    )
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.count("*").alias("clicks"))
    )


def main() -> None:
    for line in record():
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
