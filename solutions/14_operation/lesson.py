# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 14 · Observability and operation
#
# Tomorrow the big sale begins. The counts of clicks by minute are right; there are tests, reviews, a week
# of watching. Now the query has to run for a month, and most of the time nobody will look.
#
# A query that fails is easy to notice. One that is **late** is not: it is green, its rows are right,
# and each comes a little later than the one before. In this lesson you let a query tell how it is doing,
# watch a real overload on a plot that moves, write the rules that wake somebody up, and stop the query
# without losing a click. In the end it gets a test that runs before each deployment. Plan an hour and three quarters; one exercise
# at the end goes further.

# %% tags=["given"]
import inspect
import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import grader
import ipywidgets as widgets
import pandas as pd
from IPython.display import display
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming import StreamingQuery, StreamingQueryListener

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## A report for each batch
#
# This is the query that we look after:


# %% tags=["example"]
def clicks_by_minute(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.count("*").alias("clicks"))
        .select(F.col("window.start").alias("minute"), "page", "clicks")
    )


# %% [markdown]
# It gets a few clicks in four steps, each of them a run until nothing is left to do:
#
# | step | clicks |
# | --- | --- |
# | 1 | three, from 12:00:10 to 12:00:40 |
# | 2 | three, from 12:01:05 to 12:01:20 |
# | 3 | one, of 12:00:50: too late |
# | 4 | one, of 12:05:00 |
#
# After every batch Spark writes a **progress report**. How many of them does step 2 make, and how many step 3?
# Put your numbers in.

# %%
grader.predict("14.0", step_2=100, step_3=100)

# %% [markdown]
# ![Clicks by page and minute in four steps: the minute from 12:00 comes out in step 2 with sale 2 and home 1, the late click of step 3 is crossed out, the minute from 12:01 comes out in step 4 with sale 2 and home 1.](14.0.svg)
#
# So there is one report for each *batch*, and some batches have no data. Now a live one. The topic has two
# partitions, and 350 clicks wait in it. The query may take 100 a batch; it takes 99 or 100, as each partition gets its
# share, rounded down.

# %%
clicks_topic = kafka.create_topic("lesson14-clicks", partitions=2)
sent = 0


def send_clicks(count: int) -> None:
    """Clicks of a shop that has ten every second."""
    global sent
    numbers = range(sent, sent + count)
    kafka.send(
        clicks_topic,
        [
            {
                "id": n,
                "page": "sale",
                "event_time": f"2026-03-01T12:{n // 600:02d}:{n // 10 % 60:02d}Z",
            }
            for n in numbers
        ],
    )
    sent += count


def read_clicks(per_trigger: int, schema: str = "page STRING, event_time TIMESTAMP") -> DataFrame:
    """The clicks as a stream that takes so many a batch at most."""
    return (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("subscribe", clicks_topic)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", per_trigger)
        .option("kafka.fetch.max.wait.ms", 10)
        .load()
        .select(F.from_json(F.col("value").cast("string"), schema).alias("click"))
        .select("click.*")
    )


send_clicks(350)
query = (
    clicks_by_minute(read_clicks(per_trigger=100))
    .writeStream.format("noop")
    .option("checkpointLocation", grader.fresh_checkpoint())
    .trigger(availableNow=True)
    .start()
)
query.awaitTermination()
reports = [json.loads(progress.json) for progress in query.recentProgress]
print(json.dumps(reports[1], indent=2))

# %% [markdown]
# What is what:
#
# | figures | tell of |
# | --- | --- |
# | `batchId`, `timestamp`, `numInputRows` | which batch, when it began, what it took in |
# | `durationMs` | where the time went: `triggerExecution` is all of it, `addBatch` the work with the sink in it; `latestOffset` and `getBatch` ask the source; `queryPlanning` makes the batch's plan; `walCommit` and `commitOffsets` write the two logs of the checkpoint. (`batchDuration` is `triggerExecution` once more, give or take a few milliseconds) |
# | `inputRowsPerSecond` | rows *taken in*, divided by the seconds since the previous trigger (which may not have run a batch) |
# | `processedRowsPerSecond` | rows taken in, for each second that this batch took |
# | `eventTime` | the event times seen, and the watermark that the batch worked with |
# | `stateOperators` | lessons 02, 03 and 11 |
# | `sources` | for each source: from where to where this batch read (`startOffset`, `endOffset`), how far the topic went (`latestOffset`), and in `metrics` the **lag**: by how many records a partition is behind, on average, at most and at least |
# | `sink` | where the rows went; `numOutputRows` is how many were written (-1: this sink does not say, as `foreachBatch`) |
#
# The figures in `metrics` are *text*. And Spark notes no offsets in Kafka, where tools for Kafka look for the lag: they
# find nothing, the report is the place.
#
# ## A listener puts them into a topic
#
# `query.recentProgress` holds the newest reports, not quite a hundred, in the memory of this process. To look from
# outside, or tomorrow, register a **listener**. Spark calls it with the report of every batch, and when a query starts,
# ends, or has had nothing to do for ten seconds. (Such an idle query adds reports without a batch to `recentProgress`; a
# listener does not get those.)
# This one puts reports where all other data of the shop is, into a topic:


# %%
class ReportsToTopic(StreamingQueryListener):
    """Sends each progress report to a topic, as JSON."""

    def __init__(self, topic: str):
        self.topic = topic

    def onQueryStarted(self, event: Any) -> None:
        pass

    def onQueryProgress(self, event: Any) -> None:
        kafka.send(self.topic, [json.loads(event.progress.json)])

    def onQueryIdle(self, event: Any) -> None:
        pass

    def onQueryTerminated(self, event: Any) -> None:
        pass


reports_topic = kafka.create_topic("lesson14-reports")
to_topic = ReportsToTopic(reports_topic)

# %% [markdown]
# From `spark.streams.addListener` on, in the cell of the overload, it hears all queries of this session. While they
# run none of them waits for it (only `onQueryStarted` is waited for, by `start()`): reports come a moment after their batch, and a slow listener gets them later and later. So let it do
# little, and let something else look at the topic.
#
# ## A real overload, and a plot that moves
#
# Now a batch begins every second and may take 100 clicks, and several hundred arrive in that time. The plot below
# asks the query for nothing but its run id. It reads the topic of reports, and is drawn anew while the query runs.
#
# **Before you run it:** which of these will rise: the lag, the input rate, the rate of processing? And by the two
# rates, has the query capacity to spare?


# %%
def curve(title: str, figures: list[float], colour: str) -> str:
    """A small line of figures as a picture, with the last one beside its title."""
    top = max([*figures, 1])
    points = " ".join(f"{12 * n},{60 - 56 * y / top:.0f}" for n, y in enumerate(figures))
    last = f"{figures[-1]:.0f}" if figures else "–"
    return (
        f'<div style="display:inline-block;margin-right:2em"><b>{title}</b> {last}<br>'
        '<svg width="240" height="64" style="border-bottom:1px solid gray">'
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/></svg></div>'
    )


def drawn(reports: list[dict]) -> str:
    """Lag and rates of the newest twenty reports, as HTML."""
    newest = reports[-20:]
    lags = [float(r["sources"][0]["metrics"]["maxOffsetsBehindLatest"]) for r in newest]
    taken = [r["inputRowsPerSecond"] for r in newest]
    worked = [r["processedRowsPerSecond"] for r in newest]
    return (
        curve("records behind", lags, "firebrick")
        + curve("taken in a second", taken, "steelblue")
        + curve("processed a second", worked, "seagreen")
    )


def reports_of(query: StreamingQuery) -> list[dict]:
    """What the topic has of one query's run, each batch once, in order."""
    reports = kafka.read(reports_topic)
    found = {r["batchId"]: r for r in reports if r["runId"] == str(query.runId)}
    return list(found.values())


# %%
plot = widgets.HTML()
display(plot)
checkpoint = grader.fresh_checkpoint()
spark.streams.addListener(to_topic)
query = (
    clicks_by_minute(read_clicks(per_trigger=100))
    .writeStream.format("noop")
    .option("checkpointLocation", checkpoint)
    .trigger(processingTime="1 second")
    .start()
)
overload: list[dict] = []
try:
    while len(overload) < 12 and not query.awaitTermination(0.4):  # raises if the query fails
        send_clicks(250)
        overload = reports_of(query)
        plot.value = drawn(overload)
finally:
    query.stop()
    spark.streams.removeListener(to_topic)

for report in overload:
    print(
        f"batch {report['batchId']:3}: a second {report['inputRowsPerSecond']:4.0f} taken in "
        f"and {report['processedRowsPerSecond']:4.0f} processed; "
        f"{report['sources'][0]['metrics']['maxOffsetsBehindLatest']:>5} behind, "
        f"{report['durationMs']['triggerExecution']:5} ms"
    )

# %% [markdown]
# Twelve reports, then the loop stops the query. Look at the columns. The first batch took in 0 a second, as there was
# none before it. It began at once and the others begin at full seconds, so the second one may come sooner and show more than
# 99 a second, or later, after a slow first one, and show less. The rates say yes, there is capacity to spare: on a
# machine that has little else to do, the query processes several times what it takes in. So does the duration: most
# batches are over well before their second is. Only the lag tells what happens. `maxOffsetsPerTrigger` holds the clicks
# back *before* they are counted as input, so no rate ever sees them.
#
# Without such a limit it is the other way round: a batch takes in all that was there when it began, the lag that
# it tells is 0, and the batches get longer and longer. To that the alarm of exercise 14.1 is blind; the rule of 14.2, which
# looks at durations, sees it.
#
# ## Exercise 14.1: who is falling behind?
#
# Write an alarm as a function of reports: no query, no clock, nothing but what it is given. So it can be
# tested with reports of any kind, and used in a listener, in a job that reads the topic, or on what
# happened last night. It is called with
#
# - `reports`, the newest reports of one query, oldest first, cut down to what is needed;
# - `most`, the lag that is allowed.
#
# **The lag of a report** is the largest `maxOffsetsBehindLatest` among its `sources`. Not every source tells
# one: `metrics` may be missing, as in sources other than Kafka and in a batch that is repeated after a start, or empty. A
# report in which no source tells a lag is left out, and no other, whether its batch had rows or not.
#
# **Return** `True` if the newest lag is above `most`, or if the lag has grown *three times in a row* up to now:
# of the newest four, each but the first is larger than the one before it. (With fewer than four it has not.) Otherwise
# `False`, also where no report tells a lag.


# %% nbgrader={"grade": false, "grade_id": "falling_behind", "locked": false, "solution": true}
def falling_behind(reports: list[dict], most: int) -> bool:
    """Whether the lag is above `most` or has grown three times in a row; reports are oldest first."""
    ### BEGIN SOLUTION
    lags = []
    for report in reports:
        told = [
            source.get("metrics", {}).get("maxOffsetsBehindLatest") for source in report["sources"]
        ]
        known = [int(text) for text in told if text is not None]
        if known:
            lags.append(max(known))
    if lags and lags[-1] > most:
        return True
    newest = lags[-4:]
    return len(lags) >= 4 and all(a < b for a, b in pairwise(newest))
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-falling_behind", "locked": true, "points": 3, "solution": false}
grader.check("14.1", falling_behind)

# %% [markdown]
# And on the real overload? After which batch would somebody have been woken, and by what: the limit, or the growth?

# %%
for seen in range(1, len(overload) + 1):
    if falling_behind(overload[:seen], most=5000):
        report = overload[seen - 1]
        lag = report["sources"][0]["metrics"]["maxOffsetsBehindLatest"]
        print("alarm after batch", report["batchId"], "with a lag of", lag)
        break
else:
    print("no alarm so far")

# %% [markdown]
# The lag is not above 5000 yet: it was the growth that rang. The overload is real, and it is of our making: a limit of 100
# where more arrive. What to do about it is the next question.
#
# ## Exercise 14.2: a bigger cluster, or a smaller one?
#
# Spark does not say how many cores a query needs. Many teams scale by the **duration of batches**: longer than
# most of the trigger's interval, several times in a row, is too long; far below it for longer is a waste. Not
# by a single batch, as starting machines takes minutes.
#
# Write the rule. It is called with `reports` (oldest first), `cores` (how many there are now), `interval_ms` (the
# trigger's interval, in milliseconds), `fewest` and `most` (the bounds). **The share** of a batch is its
# `durationMs.triggerExecution` divided by `interval_ms`. Batches without data (`numInputRows` is 0) say
# nothing about the load: leave them out. Of the batches with data,
#
# - if each of the newest **three** has a share *above* 0.8: twice the cores;
# - if each of the newest **five** has a share *below* 0.3, **and** no source was behind in the newest of them
#   (its `maxOffsetsBehindLatest` is 0; a source without one is not behind): half the cores, rounded up;
# - otherwise, and with fewer such batches, as many as now;
# - and always at least `fewest` and at most `most`, whatever there is now.
#
# Why the lag, in the second rule? Look at the overload once more: how much of their second did its batches take?


# %% nbgrader={"grade": false, "grade_id": "cores_wanted", "locked": false, "solution": true}
def cores_wanted(reports: list[dict], cores: int, interval_ms: int, fewest: int, most: int) -> int:
    """The cores that a query should have next, by the durations of its newest batches."""
    ### BEGIN SOLUTION
    with_data = [report for report in reports if report["numInputRows"] > 0]
    shares = [report["durationMs"]["triggerExecution"] / interval_ms for report in with_data]
    wanted = cores
    if len(shares) >= 3 and all(share > 0.8 for share in shares[-3:]):
        wanted = cores * 2
    elif len(shares) >= 5 and all(share < 0.3 for share in shares[-5:]):
        lags = [
            int(source.get("metrics", {}).get("maxOffsetsBehindLatest", "0"))
            for source in with_data[-1]["sources"]
        ]
        if not any(lags):
            wanted = math.ceil(cores / 2)
    return min(max(wanted, fewest), most)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-cores_wanted", "locked": true, "points": 3, "solution": false}
grader.check("14.2", cores_wanted)

# %% [markdown]
# And for the overload?

# %%
print(
    cores_wanted(overload, cores=8, interval_ms=1000, fewest=2, most=32), "cores; now there are 8"
)

# %% [markdown]
# As many as now: the batches are not long, and where they are short, the query is behind. More cores would not help, as it
# is the limit that holds it back. On a machine whose batches take less than 300 ms, a rule that looks at durations alone
# would even take some away. Where a platform scales by itself, it follows some rule, too: know which.
#
# | where | what there is |
# | --- | --- |
# | open-source Spark | dynamic allocation of executors, made for batch jobs: it takes executors away that are idle. For a stream, a rule like yours, and a restart |
# | Databricks | autoscaling of declarative pipelines, by how busy the machines are, and how many tasks wait |
# | open-source declarative pipelines (`pyspark.pipelines`) | describes tables and flows; the size of the cluster is yours |

# %% [markdown]
# ## Exercise 14.3: one report, one word
#
# An alarm says *that* something is wrong. The report mostly says *what*. In lesson 11 you looked into one
# stateful operator; now at the whole query, for the night shift, who want one word to look up.
#
# Your function is called with `report`, cut down to what is needed, and `interval_ms`, the trigger's interval. In the table
# *took* is `triggerExecution` in `durationMs` (parts that are missing there took 0 ms). A query is *behind* if its lag (as in
# 14.1, and 0 if no source tells one) is larger than the batch's `numInputRows`: one partition alone then has more
# waiting than the batch took from all. **Return the first word whose rule holds:**
#
# | word | rule | where to look |
# | --- | --- | --- |
# | `"time stands still"` | `eventTime` has a `max`, and its `watermark` (it has one where it has a `max`) is more than an hour before that. The first batch (`batchId` 0) has no watermark yet: this rule, and no other, is skipped for it | a stream that is silent, a column of the wrong unit (lesson 03); or a batch that catches up on more than an hour, and the next report is healthy again |
# | `"late rows"` | all `stateOperators` together dropped (`numRowsDroppedByWatermark`) more than 1 row for 100 of `numInputRows`; of 0 rows, any | the delay, or a source that sends late (after a `groupBy` these are groups, so more is lost than it says: lesson 03) |
# | `"checkpoint"` | `walCommit` and `commitOffsets` together are more than half of took | the storage of the checkpoint |
# | `"source"` | `latestOffset` and `getBatch` together are more than half of took | the brokers, and the way to them |
# | `"overload"` | took is more than the interval, and the query is behind | the work and the sink; rule 14.2 |
# | `"limit"` | the query is behind, and took is not more than the interval | `maxOffsetsPerTrigger` |
# | `"healthy"` | none of these | |
#
# (A query without a limit tells a lag of 0, so here its overload is `"healthy"`. One word from one report cannot say
# everything. And where a query has no event time, `eventTime` is empty here; Spark's own report leaves it out.)
#
# What is lost or never comes out stands before what is slow. Times are text in UTC, such as
# `2026-03-01T12:20:00.250Z`; this makes a moment of one:


# %% tags=["given"]
def moment(text: str) -> datetime:
    """The moment that Spark means by a text such as 2026-03-01T12:20:00.000Z."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


# %% nbgrader={"grade": false, "grade_id": "illness", "locked": false, "solution": true}
def illness(report: dict, interval_ms: int) -> str:
    """One word for what is wrong with a query, from one report of it."""
    ### BEGIN SOLUTION
    time_seen = report["eventTime"]
    if report["batchId"] > 0 and "max" in time_seen:
        held_back = moment(time_seen["max"]) - moment(time_seen["watermark"])
        if held_back > timedelta(hours=1):
            return "time stands still"
    rows = report["numInputRows"]
    dropped = sum(operator["numRowsDroppedByWatermark"] for operator in report["stateOperators"])
    if dropped * 100 > rows:
        return "late rows"
    parts = report["durationMs"]
    took = parts["triggerExecution"]
    if parts.get("walCommit", 0) + parts.get("commitOffsets", 0) > took / 2:
        return "checkpoint"
    if parts.get("latestOffset", 0) + parts.get("getBatch", 0) > took / 2:
        return "source"
    lags = [
        int(source.get("metrics", {}).get("maxOffsetsBehindLatest", "0"))
        for source in report["sources"]
    ]
    if max(lags) <= rows:
        return "healthy"
    return "overload" if took > interval_ms else "limit"
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-illness", "locked": true, "points": 4, "solution": false}
grader.check("14.3", illness)

# %% [markdown]
# The overload, batch by batch:

# %%
for report in overload:
    print("batch", report["batchId"], "→", illness(report, interval_ms=1000))

# %% [markdown]
# The first batch takes longer, as everything is new to it: the word for it is true of that moment. Rules for people who are
# asleep look at several reports.
#
# ## Exercise 14.4: how long until it has caught up? (repair)
#
# The colleagues from marketing do not ask for offsets. They ask: how much is waiting, and when will the figures
# be up to date? A function answers them, and last week it said "two seconds", for an hour:


# %%
def backlog_as_it_is(earlier: dict, later: dict, record_bytes: float) -> dict:
    lag = int(later["sources"][0]["metrics"]["maxOffsetsBehindLatest"])
    return {
        "records": lag,
        "bytes": round(lag * record_bytes),
        "seconds": round(lag / later["processedRowsPerSecond"]),
    }


print(backlog_as_it_is(overload[0], overload[-1], record_bytes=70))

# %% [markdown]
# That lag is the one of the worst partition alone. And while the query works off what waits, more comes in, so the rate of
# processing does not say when it will be through. To know that, look how much *smaller* the lag has become between two
# reports. Repair it, without the rates. It is called with
#
# - `earlier` and `later`, two reports of a query with one source, cut down to what is needed. In `sources[0]` stand
#   `endOffset`, to where the batch has read, and `latestOffset`, to where the topic went, both by topic and
#   partition; every topic and partition in `endOffset` is also in `latestOffset`;
# - `record_bytes`, the mean size of a record.
#
# **Return** a dict:
#
# - `records`: how many records are behind in the later report, over all topics and partitions. A partition, or
#   a whole topic, that `endOffset` lacks is new, and all of it, from 0, is behind (count the earlier report in the same way);
# - `bytes`: their size, a whole number (`round`);
# - `seconds`: if it goes on as it went between the two `timestamp`s, how long until nothing is behind; a whole number (`round`). 0
#   if nothing is behind now, and `None` if the records behind did not become fewer.
#
# Databricks has the bytes ready in its own runtime, as `estimatedTotalBytesBehindLatest`. Open-source Spark does not. What you
# return is an estimate: records differ in size, and in a compacted topic, or one with transactions, there are fewer records
# than offsets.


# %% nbgrader={"grade": false, "grade_id": "backlog", "locked": false, "solution": true}
def backlog(earlier: dict, later: dict, record_bytes: float) -> dict:
    """What is behind, and how long that will take: {"records": …, "bytes": …, "seconds": …}."""
    ### BEGIN SOLUTION
    behind = []
    for report in (earlier, later):
        source = report["sources"][0]
        behind.append(
            sum(
                latest - source["endOffset"].get(topic, {}).get(partition, 0)
                for topic, partitions in source["latestOffset"].items()
                for partition, latest in partitions.items()
            )
        )
    before, now = behind
    passed = (moment(later["timestamp"]) - moment(earlier["timestamp"])).total_seconds()
    seconds = None
    if not now:
        seconds = 0
    elif now < before:
        seconds = round(now * passed / (before - now))
    return {"records": now, "bytes": round(now * record_bytes), "seconds": seconds}
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-backlog", "locked": true, "points": 4, "solution": false}
grader.check("14.4", backlog)

# %%
print(backlog(overload[0], overload[-1], record_bytes=70))

# %% [markdown]
# Both partitions are counted, and `None` stands where a few seconds were promised: as it went, it never ends.
#
# ## Stopping without loss
#
# The query shall be stopped for a new version. `query.stop()` stops it at once, wherever it is, also in the middle
# of a batch. What of that batch?
#
# *Before* a batch Spark writes its offsets to the **offset log**, *after* it an entry to the **commit log**. A batch with
# the first and without the second has begun, and nobody knows how far it came; the next start runs it again, with the same
# offsets. Here is one, with a sink in Kafka. Partition 1 is slow, so that there is time to stop when clicks of partition 0
# are written and those of partition 1 are not. **Before you run it:** will clicks be missing in the end? Will some be there
# twice?


# %%
def slow_in_one_partition(pieces: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """All rows as they are; in partition 1 it takes its time."""
    for piece in pieces:
        time.sleep(1.5 if TaskContext.get().partitionId() == 1 else 0)
        yield piece


def start_copy(topic: str, checkpoint: str) -> StreamingQuery:
    """Copies the ids of clicks to a topic, 200 a batch, a batch every three seconds."""
    return (
        read_clicks(200, "id INT")
        .mapInPandas(slow_in_one_partition, "id INT")
        .select(F.to_json(F.struct("id")).alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", topic)
        .option("checkpointLocation", checkpoint)
        .trigger(processingTime="3 seconds")
        .start()
    )


def logged(checkpoint: str, log: str) -> list[int]:
    """The batches in the offset log (`offsets`) or the commit log (`commits`)."""
    return sorted(int(entry.name) for entry in Path(checkpoint, log).glob("[0-9]*"))


def wait_until(it_is_so: Callable[[], Any], query: StreamingQuery) -> None:
    while query.isActive and not it_is_so():
        time.sleep(0.05)


def tell_copy(topic: str, checkpoint: str) -> None:
    ids = [record["id"] for record in kafka.read(topic)]
    logs = {log: logged(checkpoint, log) for log in ("offsets", "commits")}
    print(f"{len(set(ids))} clicks, {len(ids) - len(set(ids))} of them twice;  {logs}")


copy_topic, copy_checkpoint = kafka.create_topic("lesson14-copy"), grader.fresh_checkpoint()
copy = start_copy(copy_topic, copy_checkpoint)
wait_until(lambda: logged(copy_checkpoint, "commits"), copy)
in_first_batch = len(kafka.read(copy_topic))
wait_until(lambda: len(kafka.read(copy_topic)) > in_first_batch, copy)
copy.stop()
tell_copy(copy_topic, copy_checkpoint)

# %% [markdown]
# Batch 1 stands in the first log and not in the second, and clicks of it are in the topic already. The next start:


# %%
def stop_between_batches(query: StreamingQuery, seconds: float = 30) -> bool:
    """Waits for a moment without a batch, then stops; False if none came in time."""
    last = time.monotonic() + seconds
    while query.isActive and query.status["isTriggerActive"]:
        if time.monotonic() > last:
            return False
        time.sleep(0.01)
    query.stop()
    return True


copy = start_copy(copy_topic, copy_checkpoint)
wait_until(lambda: len(logged(copy_checkpoint, "commits")) > 2, copy)
print("stopped between two batches:", stop_between_batches(copy))
tell_copy(copy_topic, copy_checkpoint)

# %% [markdown]
# Nothing is missing, and what the interrupted batch had written is there twice. So `stop()` loses nothing, but a sink
# that cannot tell a repeated batch will have rows twice. The second stop was between two batches: both logs end with the same
# number, and the next start repeats nothing.
#
# | to stop | do | the next start |
# | --- | --- | --- |
# | now | `query.stop()` | repeats the batch that was interrupted |
# | between batches | wait until `query.status["isTriggerActive"]` is false, then stop. There is such a moment if the trigger has an interval, and the query keeps up with it | repeats nothing |
# | with nothing left unread | stop, then start it with `availableNow` (with a large limit it needs few batches): it takes in what is there, and ends by itself | goes on with what came after; windows that are open lie in the state |
#
# The last of these for the query of the overload, with its own checkpoint. `maxOffsetsPerTrigger` is no part of what a
# checkpoint pins, so it can be another at each start:

# %%
rest = (
    clicks_by_minute(read_clicks(per_trigger=100_000))
    .writeStream.format("noop")
    .option("checkpointLocation", checkpoint)
    .trigger(availableNow=True)
    .start()
)
rest.awaitTermination()
for progress in rest.recentProgress:
    report = json.loads(progress.json)
    lag = report["sources"][0].get("metrics", "no lag told")
    print("batch", report["batchId"], "with", report["numInputRows"], "clicks:", lag)

# %% [markdown]
# Nearly all that waited in one batch, and a lag of 0. (If your first line says *no lag told*, it is the batch that `stop()`
# had interrupted: it is repeated as it was. A last one with 0 clicks acts on the watermark.)
#
# ## Before it is deployed: a test in CI
#
# *Continuous integration* is a machine that runs the tests at every commit.
# An alarm says that something is wrong. A test says so before anybody is late. The checks of this course play events
# step by step against a real Spark and a real Kafka and record what a query does, and that part is a library:
# **`replay`**. It plays a `Variant`, which is a scenario and how it is played: as it is, or with a kill (`crash_after`).
# With it your own pipeline is tested at every commit. It takes two files: the pipeline, here the function from
# the top of this lesson, and the tests.

# %%
ci = Path(grader.fresh_checkpoint())
ci.mkdir(parents=True, exist_ok=True)
(ci / "pipeline.py").write_text(
    "from pyspark.sql import DataFrame\n"
    "from pyspark.sql import functions as F\n\n\n" + inspect.getsource(clicks_by_minute)
)
(ci / "test_pipeline.py").write_text(
    """
import grader
import pytest
from grader.replay.replay import replay
from grader.scenario import Event, Exercise, Scenario, Variant
from pipeline import clicks_by_minute

PIPELINE = Exercise.from_dict({
    "id": "ci.1",
    "title": "Clicks by minute",
    "answer": "clicks_by_minute",
    "takes": ["clicks"],
    "inputs": {"clicks": {"schema": "page STRING, event_time TIMESTAMP", "event_time": "event_time"}},
})


def click(step, time):
    return Event(step, "clicks", {"page": "sale", "event_time": f"2026-03-01T{time}Z"})


CLICKS = Scenario([
    click(1, "12:00:10"),
    click(1, "12:00:50"),
    click(2, "12:01:10"),  # the watermark goes to 12:01:00
    click(3, "12:00:54"),  # too late: its minute is over
    click(4, "12:09:00"),  # closes the minutes
])


@pytest.fixture(scope="session")
def play():
    spark, kafka = grader.start()

    def run(**how):
        recording = replay(spark, kafka, PIPELINE, clicks_by_minute, Variant("ci", CLICKS, **how))
        assert recording.failure is None, recording.failure
        return recording

    return run


def counts(recording):
    return {(row["minute"], row["clicks"]) for batch in recording.batches for row in batch.rows}


def test_every_minute_is_counted_and_the_late_click_is_dropped(play):
    recording = play()
    assert [clicks for _, clicks in sorted(counts(recording))] == [2, 1]
    assert [recording.dropped_in(step) for step in (1, 2, 3, 4)] == [0, 0, 1, 0]


def test_state_is_bounded(play):
    assert play().state_after(4) == 1


def test_killed_before_the_commit_it_counts_the_same(play):
    once = counts(play())
    assert once, "no minute came out"
    assert counts(play(crash_after=2)) == once
"""
)
print(*sorted(path.name for path in ci.iterdir()))

# %% [markdown]
# A task as data, events in steps, and what has to be in the recording. `crash_after` puts the checkpoint back to where it
# is when a query dies between the sink and the commit of that step, and starts it again: a batch that is whole in the
# sink comes once more. `state_after(4)` are the
# rows in state after step 4: the last click, which only closes minutes, is the one that stays.
#
# In CI, where `grader` is installed, this is `pytest` in the folder of the tests, and `grader.start()` starts a broker and a
# Spark there. Here it joins those that run:

# %%
if find_spec("pytest"):
    import pytest

    for name in ("pipeline", "test_pipeline"):
        sys.modules.pop(name, None)  # for a second run of this cell
    pytest.main(["-q", "-p", "no:cacheprovider", "--color=no", f"--rootdir={ci}", str(ci)])
else:
    print("pip install pytest, then run this cell once more")

# %% [markdown]
# Now plant a bug: change `"10 seconds"` to `"10 minutes"` in `clicks_by_minute` at the top. Run that cell,
# the one that writes the two files, and the one that runs pytest. Which tests find it?
#
# <details><summary>The answer, after your run</summary>
#
# All three: no minute is over when the last click has come, so nothing comes out and all of it stays in state. The third
# would not, without its `assert once`: nothing equals nothing.
#
# </details>
#
# Change the 10 seconds back, and run the cells again.
#
# ## What you can now do
#
# - read in a report what a batch took in, where its time went and how far it is behind;
# - put the reports of all queries into a topic with a listener, and watch them from outside;
# - say why rates and durations look fine in an overload with a limit, and which figure does not;
# - write alarms and scaling rules as pure functions, and test them with reports of last night;
# - stop a query at once, between two batches, or with nothing left unread, and say what the next start repeats;
# - test a pipeline in CI on real Spark and Kafka, with late events and a kill.

# %% [markdown]
# ## Further: who tests the alarm?
#
# This pager will be called with every report of a query. It has a memory, so it is no pure function any more, but
# still needs neither Spark nor Kafka:


# %% tags=["given"]
class Pager:
    """Wakes somebody when a query stays behind, once, and says when it is over."""

    def __init__(self, most: int):
        self.most = most
        self.above = 0
        self.awake = False

    def tell(self, report: dict) -> str | None:
        told = [s.get("metrics", {}).get("maxOffsetsBehindLatest") for s in report["sources"]]
        known = [int(text) for text in told if text is not None]
        if not known:
            return None
        lag = max(known)
        self.above = self.above + 1 if lag > self.most else 0
        if self.above >= 3 and not self.awake:
            self.awake = True
            return "wake"
        if self.awake and lag <= self.most / 2:
            self.awake = False
            return "all clear"
        return None


def said(pager: Pager, *lags: Any) -> list[str | None]:
    """What a pager says to reports with these lags: None is none, (0, 150) are two sources."""
    heard = []
    for lag in lags:
        told = lag if isinstance(lag, tuple) else (lag,)
        metrics = [{} if one is None else {"maxOffsetsBehindLatest": str(one)} for one in told]
        heard.append(pager.tell({"sources": [{"metrics": one} for one in metrics]}))
    return heard


# %%
print(said(Pager(100), 150, 150, 150, 150, 40))

# %% [markdown]
# ## Exercise 14.5: tests that catch planted bugs
#
# The pager promises:
#
# - it says `"wake"` when the lag, the largest of a report's sources, was above `most` in three reports in a row;
# - it says so once, until it has given the all clear;
# - after a `"wake"` it says `"all clear"` as soon as the lag is half of `most` or less, and then can wake again;
# - a report that tells no lag changes nothing;
# - otherwise it says nothing (`None`), and each pager knows its own query only.
#
# Write a test suite: a function that takes the class, and raises an `AssertionError`, or any other exception, where a promise is
# not kept. The check calls it with the right pager, on which it must pass, and with ten that have one bug each, which it must catch.
# `said` is there to be used. To begin with:
#
#     assert said(Pager(100), 150, 150, 150) == [None, None, "wake"]


# %% nbgrader={"grade": false, "grade_id": "pager_tests", "locked": false, "solution": true}
def pager_tests(Pager: Any) -> None:
    """Raises an AssertionError where a pager does not keep its promises."""
    ### BEGIN SOLUTION
    assert said(Pager(100), 101, 150, 300, 300) == [None, None, "wake", None], "once"
    assert said(Pager(100), 100, 100, 100) == [None, None, None], "above, not at the limit"
    assert said(Pager(100), 150, 150, 90, 150) == [None, None, None, None], "in a row"
    assert said(Pager(100), 150, 150, None, 150)[-1] == "wake", "silence changes nothing"
    assert said(Pager(100), (0, 150), (0, 150), (0, 150))[-1] == "wake", "the largest source"
    assert said(Pager(100), (95, 110), (95, 110), (95, 110))[-1] == "wake", "numbers, not texts"
    assert said(Pager(100), 10, 20) == [None, None], "no all clear before a wake"

    told = said(Pager(100), 150, 150, 150, 90, 51, 50, 150, 150, 150)
    assert told[2:6] == ["wake", None, None, "all clear"], "at half of the limit"
    assert told[-1] == "wake", "and again the next night"

    mine, other = Pager(100), Pager(100)
    said(mine, 150, 150)
    assert said(other, 150) == [None], "each pager has its own query"
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-pager_tests", "locked": true, "points": 5, "solution": false}
grader.check("14.5", pager_tests)

# %%
grader.progress()

# %% [markdown]
# Next: **15 Connectors**, for data that lies in no Kafka.
