"""A measurement: a count with more and more keys, in the HDFS-backed state store and in RocksDB.

Each store has its own Java process.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from html import escape
from itertools import dropwhile
from pathlib import Path
from typing import Any

from grader.feedback.display import Display
from grader.judging.instants import moment
from grader.runtime.scratch_folders import make_scratch, remove_scratch
from grader.runtime.setting_names import IN_ROCKSDB, STATE_STORE
from grader.state_growth.growth_chart import Cost, Growth, draw, growth_text

ROCKSDB = {**IN_ROCKSDB, f"{STATE_STORE}rocksdb.changelogCheckpointing.enabled": "true"}
STORES: dict[str, dict[str, str]] = {"heap": {}, "RocksDB": ROCKSDB}
KEYS_A_BATCH = 100_000
WARM_BATCHES = 2  # Java still compiles in them
LEAST_BATCHES = WARM_BATCHES + 3
EXTENSION = 5  # times the limit, for a machine that is too busy for LEAST_BATCHES in time
POLL_SECONDS = 0.1
# [2026-03-01T12:00:00.123+0000] GC(7) Pause Young (Allocation Failure) 120M->80M(250M) 45.210ms
_PAUSE = re.compile(r"^\[(\S+?)\].* Pause .* ([\d.]+)ms$")


def measure_state(*, keys: int, heap_mb: int, seconds: float = 28) -> list[Growth]:
    """Measure a count with more and more keys in both stores, and draw what a batch costs.

    Every batch adds KEYS_A_BATCH new keys, until there are `keys`, or `seconds` are over, or the memory
    is full. If fewer than LEAST_BATCHES are done by then, it goes on, up to EXTENSION times `seconds`.
    Each store has its own Java process with `heap_mb` megabytes of JVM heap, so that the lab is not
    affected. It takes about a minute, and the figures are for this machine.
    """
    least = (WARM_BATCHES + 1) * KEYS_A_BATCH
    if keys < least:
        raise ValueError(
            f"keys={keys:,}: the first {WARM_BATCHES} batches do not count, so name {least:,} or more"
        )
    display = Display()
    growths = []
    for store in STORES:
        display.text(f"measuring: {store} …")
        growths.append(_measured(store, keys, heap_mb, seconds))
    heap, rocksdb = growths
    text = growth_text(heap, rocksdb)
    picture = draw(heap, rocksdb) if heap.costs and rocksdb.costs else ""
    display.rich(text, f"{picture}<pre>{escape(text)}</pre>")
    return growths


def _measured(store: str, keys: int, heap_mb: int, seconds: float) -> Growth:
    """Run one store in its own process; what it reported before its end counts, whatever ended it."""
    folder = make_scratch("growth")
    pauses = folder / "pauses.log"
    command = [sys.executable, "-m", __name__, store, str(keys), str(heap_mb), str(seconds)]
    try:
        done = subprocess.run([*command, str(folder)], capture_output=True, text=True)
        entries = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        batches = [line for line in entries if "batch" in line]
        ended = next((line["ended"] for line in entries if "ended" in line), "")
        if done.returncode and not ended:
            ended = f"the process ended ({''.join(done.stderr.strip().splitlines()[-1:])})"
        log = pauses.read_text() if pauses.exists() else ""
        return Growth(store, costs_of(batches, log), ended)
    finally:
        remove_scratch(folder)


def costs_of(batches: list[dict[str, Any]], log: str) -> list[Cost]:
    """What each batch cost: `batches` has start, seconds and keys; `log` is Java's log of its pauses."""
    pauses = list(_pauses(log))
    costs = []
    for batch in batches[WARM_BATCHES:]:
        start = moment(batch["start"])
        end = start + timedelta(seconds=batch["seconds"])
        own = [length for at, length in pauses if start <= at < end]
        costs.append(Cost(batch["keys"], batch["seconds"], sum(own), max(own, default=0.0)))
    return costs


def _pauses(log: str) -> Iterator[tuple[datetime, float]]:
    """When each pause ended, and its seconds."""
    for line in log.splitlines():
        if found := _PAUSE.match(line):
            at = datetime.strptime(found[1], "%Y-%m-%dT%H:%M:%S.%f%z")
            yield at.astimezone(timezone.utc), float(found[2]) / 1000


def _grow(store: str, keys: int, heap_mb: int, seconds: float, folder: Path) -> None:
    """The child's work: run the count, report each batch in a line of JSON."""
    from pyspark.sql import functions as F

    from grader.runtime.spark_jvm import spark_log
    from grader.runtime.spark_session import spark_session, stop_spark

    flags = [f"-Xmx{heap_mb}m", f"-Xlog:gc:file={folder / 'pauses.log'}:time"]
    spark = spark_session(fast=False, java_flags=flags)
    for name, value in {"spark.sql.shuffle.partitions": "2", **STORES[store]}.items():
        spark.conf.set(name, value)
    numbers = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", KEYS_A_BATCH)
    counts = numbers.option("numPartitions", 2).load().groupBy("value").agg(F.count("*"))
    writer = counts.writeStream.format("noop").outputMode("update")
    query = writer.option("checkpointLocation", str(folder / "checkpoint")).start()
    began, next_batch = time.monotonic(), 0
    ended = ""
    try:
        while next_batch * KEYS_A_BATCH < keys and not ended:
            time.sleep(POLL_SECONDS)
            progress = [json.loads(p.json) for p in query.recentProgress]
            for batch in [
                p for p in progress if p["batchId"] >= next_batch and p["stateOperators"]
            ]:
                next_batch = batch["batchId"] + 1
                _notify(batch)
            if (error := query.exception()) is not None:
                ended = _reason(str(error))
            elif is_over(time.monotonic() - began, seconds, next_batch):
                ended = f"{time.monotonic() - began:.0f} s were over"
    except Exception:  # the connection is gone: a JVM without memory ends
        ended = _reason_in(spark_log())
    print(json.dumps({"ended": ended}), flush=True)
    stop_spark(seconds=2)


def is_over(elapsed: float, seconds: float, batches: int) -> bool:
    """Whether the time limit ends a measurement: not before LEAST_BATCHES, but in any case after EXTENSION limits."""
    enough = batches >= LEAST_BATCHES
    return elapsed > (seconds if enough else EXTENSION * seconds)


def _reason(said: str) -> str:
    return "out of memory" if "OutOfMemoryError" in said else f"an error: {said.splitlines()[0]}"


def _reason_in(log: Path) -> str:
    """Why a JVM ended, by its log, whose first lines are warnings."""
    lines = log.read_text(errors="replace").splitlines()
    trace = [*dropwhile(lambda line: not re.search(r" ERROR |(Exception|Error)\b", line), lines)]
    return _reason("\n".join(trace)) if trace else f"ended; what it wrote is in {log}"


def _notify(progress: dict[str, Any]) -> None:
    line = {
        "batch": progress["batchId"],
        "start": progress["timestamp"],
        "seconds": progress["durationMs"]["triggerExecution"] / 1000,
        "keys": progress["stateOperators"][0]["numRowsTotal"],
    }
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    _grow(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), Path(sys.argv[5]))
