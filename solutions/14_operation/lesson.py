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
# Tomorrow the big sale begins. The counts of clicks by minute are right: there are tests, reviews, and a week of watching.
# Now the query has to run for a month, and most of the time unattended.
#
# A query that fails is easy to notice. A query that is **late** is not. Its status is green, its rows are right, and each
# row comes a little later than the one before.
#
# The lesson has two parts, for two sittings:
#
# - **Part A, progress reports and alerts** (14.1 to 14.5): recognize an overload, diagnose it, and stop without loss.
# - **Part B, metrics** (14.6, 14.7): the Spark UI, Prometheus, and an alert on scraped samples.
#
# **Prerequisites** · lessons 02 (state, checkpoints) and 03 (watermarks); 13 helps.
#
# **Time** · engineer 2 hours 35 minutes, student 4 hours 30 minutes, for both parts together.

# %% [markdown]
# # Part A · Progress reports: alert, diagnose, stop
#
# **Objectives** · After part A you can
#
# - read progress reports, and publish them with a listener;
# - recognize an overload by its lag, although rates and durations look fine;
# - write alerts and scaling rules as pure functions, and test them;
# - diagnose a query from one report, and estimate when it will catch up;
# - stop a query and say what the next start repeats;
# - test a pipeline in CI with late events and a kill.
#
# **Time** · engineer 90 minutes, student 155 minutes; exercise 14.5 goes further and takes more.
#
# **Fast path** · 25 minutes: run everything up to exercise 14.1 and solve it. Then read "Stopping a query without loss".

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
spark, kafka = grader.start(ui=True)

# %% [markdown]
# The printed address is that of the Spark UI, which part B explains. The exercises do not need it.
#
# ## Progress reports (`StreamingQueryProgress`)
#
# This is the query that we operate:


# %% tags=["example"]
def clicks_by_minute(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.count("*").alias("clicks"))
        .select(F.col("window.start").alias("minute"), "page", "clicks")
    )


# %% [markdown]
# It gets a few clicks in four steps. In each step the query runs until nothing is left to do:
#
# | step | clicks |
# | --- | --- |
# | 1 | three, from 12:00:10 to 12:00:40 |
# | 2 | three, from 12:01:05 to 12:01:20 |
# | 3 | one late click, of 12:00:50 |
# | 4 | one, of 12:05:00 |
#
# After every micro-batch Spark writes a **progress report**. **Predict: how many reports does step 2 make, and how many
# step 3?** Replace the two numbers by yours.

# %%
grader.predict("14.0", step_2=100, step_3=100)

# %% [markdown]
# ![Clicks by page and minute in four steps. In step 2 the minute from 12:00 is emitted with sale 2 and home 1. In step 3 the late click is crossed out. In step 4 the minute from 12:01 is emitted with sale 2 and home 1.](14.0.svg)
#
# So there is one report for each *micro-batch*, and some micro-batches have no data. Now a live query. The topic has two
# partitions, and 350 clicks wait in it. The query may take 100 per batch. It takes 99 or 100, because each partition gets
# its share, rounded down.

# %%
clicks_topic = kafka.create_topic("lesson14-clicks", partitions=2)
sent = 0


def send_clicks(count: int) -> None:
    """Clicks of a shop that has 10 clicks per second."""
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
    """The clicks as a stream with at most so many per batch."""
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
# The fields of a progress report:
#
# | field | meaning |
# | --- | --- |
# | `batchId`, `timestamp`, `numInputRows` | which batch, when it began, how many rows it read |
# | `durationMs` | where the time went, see below |
# | `inputRowsPerSecond` | rows *read*, divided by the seconds since the previous trigger, even if that one ran no batch |
# | `processedRowsPerSecond` | rows read, divided by the seconds that this batch took |
# | `eventTime` | the event times in the batch, and the watermark that the batch used |
# | `stateOperators` | lessons 02, 03 and 11 |
# | `sources` | for each source: where this batch began and ended (`startOffset`, `endOffset`), and where the topic ended (`latestOffset`); in `metrics` the **lag**: how many records a partition is behind, on average, at most and at least |
# | `sink` | where the rows went; `numOutputRows` is how many were written, or -1 if the sink does not report it, as with `foreachBatch` |

# %% [markdown]
# | part of `durationMs` | time for |
# | --- | --- |
# | `triggerExecution` | everything; `batchDuration` is the same within a few milliseconds |
# | `latestOffset`, `getBatch` | asking the source |
# | `queryPlanning` | the plan of the batch |
# | `addBatch` | the work, including the sink |
# | `walCommit`, `commitOffsets` | writing the two logs of the checkpoint |
#
# The values in `metrics` are *strings*. Spark stores no offsets in Kafka, so Kafka's own tools find no lag. The report is
# the place to look.

# %% [markdown]
# ## A listener publishes progress reports to a topic
#
# `query.recentProgress` has only the last 99 reports, in the driver's memory. To look from outside, or tomorrow, register
# a **listener** (in Python Spark 3.4+). Spark calls it after every micro-batch, when a query starts or ends, and when a
# query has had nothing to do for ten seconds.
#
# Such an idle query adds reports without a batch to `recentProgress`. A listener does not get these reports: its
# `onQueryIdle` gets no report at all. This listener writes reports to where all other data of the shop is, a topic:


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
# After `spark.streams.addListener`, in the cell of the overload, the listener gets events of all queries of this session.
# A running query does not wait for it. Only `start()` waits, for `onQueryStarted`. So a report comes a moment after its
# batch, and a slow listener gets its reports later and later. Let it do little, and let another program read the topic.
#
# | other places to look | shows |
# | --- | --- |
# | Spark UI, tab *Structured Streaming* | rates, durations and state of each query as curves |
# | `spark.sql.streaming.metricsEnabled` = `true` | some of the metrics for Spark's metric sinks, such as Prometheus |
#
# ## A real overload, and a plot that moves: lag and rates
#
# Now a batch begins every second and may take 100 clicks, but several hundred clicks arrive per second. The plot below
# uses nothing of the query except its run id. It reads the topic of reports and is redrawn while the query runs.
#
# **Predict before you run it:** which of these will rise: the lag, the input rate, the processing rate? According to the
# two rates, does the query have spare capacity?


# %%
def curve(title: str, figures: list[float], colour: str) -> str:
    """A small curve of numbers as a picture, with the last number next to its title."""
    top = max([*figures, 1])
    points = " ".join(f"{12 * n},{60 - 56 * y / top:.0f}" for n, y in enumerate(figures))
    last = f"{figures[-1]:.0f}" if figures else "–"
    return (
        f'<div style="display:inline-block;margin-right:2em"><b>{title}</b> {last}<br>'
        '<svg width="240" height="64" style="border-bottom:1px solid gray">'
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/></svg></div>'
    )


def drawn(reports: list[dict]) -> str:
    """Lag and rates of the newest 20 reports, as HTML."""
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
    """The reports of one run of a query in the topic, each batch once, in order."""
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
# After twelve reports the loop stops the query. Look at the columns.
#
# - The first batch has an input rate of 0 per second, because there was no batch before it. It began at once, and the
#   others begin at full seconds. So the second batch may come early and show more than 99 per second, or late and show
#   less.
# - The rates say that there is spare capacity: on a machine with little else to do, the query processes several times what
#   it reads.
# - The durations say the same: most batches end well before their second does.
# - Only the lag shows the overload. `maxOffsetsPerTrigger` holds the clicks back *before* they count as input, so no rate
#   ever sees them.
#
# Without such a limit it is the other way round. A batch reads everything that was there when it began, the reported lag is
# 0, and the batches become longer and longer. The alert from exercise 14.1 cannot detect this. The rule of 14.2, which looks
# at durations, can.
#
# The alert is a pure function of reports: no query, no clock, no memory. So you can test it with any reports. And you can
# use it in a listener, in a job that reads the topic, or on the reports of last night.

# %% [markdown]
# ## Exercise 14.1: Alert on a growing lag
#
# The shop needs an alert before its numbers are late. Write `falling_behind(reports, most)`.
#
# **Input**
#
# - `reports`: progress reports of one query, oldest first; the list may be empty.
# - `metrics` of a source: a dict of strings, which may be empty. It is missing in sources other than Kafka, and in a batch
#   that is repeated after a start.
# - `most`: the largest lag that is allowed, an integer.
#
# **Output** · `True` for an alert, otherwise `False`. It depends only on the arguments of this call.
#
# **Rules**
# 1. The lag of a report is the largest `maxOffsetsBehindLatest` among its sources, as a number.
# 2. A report is left out only if none of its sources has this metric.
# 3. If the newest lag is above `most`, return `True`.
# 4. If there are at least four lags, and each of the newest three is larger than the lag before it, return `True`.
# 5. Otherwise return `False`, whatever the rates and durations are.
#
# **Checked** · the returned value for each call. `grader.check` shows each wrong call with a note.

# %% [markdown]
# **Sample** · for `most` = 1000:
#
# | lags, oldest first | result | why |
# | --- | --- | --- |
# | 0, 90, 100, 130 | `True` | rule 4: three steps up; a lag of 0 is a lag |
# | 80, 90, no metric, 100, 130 | `True` | rule 2: the third report is left out |
# | 90, 100, 100, 130 | `False` | one of the three steps is not up |
# | 90, 100, 130 | `False` | three lags are two steps |
# | 20, 1000 | `False` | exactly `most` is allowed |
#
# **Predict** · After which batch of the overload does your alert come, and because of which rule?


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
# Now use it on the real overload, batch by batch:

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
# The lag is not above 5000 yet: the growth rule triggered the alert. The overload is real, and we caused it: the limit is
# 100, and more arrive. What to do about it is the next question.
#
# Spark does not report how many cores a query needs. Many teams scale by the **duration of batches**. If batches take most
# of the trigger interval several times in a row, the query needs more cores. If they stay far below it, cores are wasted.
# A single batch is not enough, because starting machines takes minutes.

# %% [markdown]
# ## Exercise 14.2: Scale cores by batch duration
#
# The shop wants to pay only for the cores that a query needs. Write
# `cores_wanted(reports, cores, interval_ms, fewest, most)`.
#
# **Input**
#
# - `reports`: progress reports of one query, oldest first; the list may be empty. As in 14.1, `metrics` may be empty or
#   missing.
# - `cores`: the present number of cores. `fewest` and `most`: its bounds.
# - `interval_ms`: the trigger interval in milliseconds.
#
# **Output** · the number of cores to use next, an integer.
#
# **Rules**
# 1. Batches with `numInputRows` 0 are left out, so *newest* means the newest of the other batches.
# 2. The *share* of a batch is its `durationMs.triggerExecution` divided by `interval_ms`.
# 3. If the newest **three** batches each have a share above 0.8, the result is twice `cores`.
# 4. If the newest **five** each have a share below 0.3, and the newest is not *behind*, the result is half of `cores`,
#    rounded up.
# 5. A batch is *behind* if any of its sources has a `maxOffsetsBehindLatest` above 0.
# 6. Otherwise, also with too few batches, the result is `cores`.
# 7. In each case, a result below `fewest` becomes `fewest`, and a result above `most` becomes `most`.
#
# **Checked** · the returned number for each call. `grader.check` shows each wrong call with a note.

# %% [markdown]
# **Sample** · for `interval_ms` = 1000, `fewest` = 2 and `most` = 64:
#
# | `triggerExecution`, oldest first | lag of the newest | `cores` | result | why |
# | --- | --- | --- | --- | --- |
# | 500, 810, 900, 850 | 0 | 8 | 16 | rule 3 |
# | 810, 800, 850 | 0 | 8 | 8 | rule 6: 0.8 is not above 0.8 |
# | 200, 250, 200, 250, 200 | 0 | 9 | 5 | rule 4: 4.5 rounded up |
# | 200, 250, 200, 250, 200 | 7 | 9 | 9 | rule 6: the newest batch is behind |
# | 500 | 0 | 80 | 64 | rule 7 |
#
# **Predict** · Why does rule 4 look at the lag? Think of the overload: how much of their second did its batches take?


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
# And what does the rule say about the overload?

# %%
print(
    cores_wanted(overload, cores=8, interval_ms=1000, fewest=2, most=32), "cores; now there are 8"
)

# %% [markdown]
# The same number. The batches are not long enough for rule 3, and rule 4 does not apply because the query is behind.
# More cores would not help, because the limit holds the query back. On a machine whose batches take less than 300 ms,
# a rule that looks at durations alone would even take cores away. A platform that scales automatically also follows
# some rule. Find out which one.
#
# | where | what there is |
# | --- | --- |
# | open-source Spark | dynamic allocation of executors, made for batch jobs: it removes idle executors. For a stream: a rule like yours, and a restart |
# | Databricks | autoscaling of declarative pipelines, by utilization and the number of waiting tasks |
# | open-source declarative pipelines (`pyspark.pipelines`, Spark 4.1+) | describe tables and flows; the size of the cluster is yours |

# %% [markdown]
# ## Exercise 14.3: Diagnose a query from one progress report
#
# An alert says *that* something is wrong. The report usually says *what*. The night shift wants one word to look up. Write
# `illness(report, interval_ms)`.
#
# **Input** · `report`: one progress report; times are strings in UTC, such as `2026-03-01T12:20:00.250Z`. `interval_ms`:
# the trigger interval in milliseconds. The rules use these terms:
#
# | term | meaning |
# | --- | --- |
# | *rows* | `numInputRows`, the rows of all sources |
# | *took* | `durationMs.triggerExecution`, the whole batch |
# | a part, such as `walCommit` | its value in `durationMs`, or 0 ms if it is missing there |
# | *lag* | as in 14.1, or 0 if no source has one |
# | *behind* | the lag is larger than rows |
#
# **Output** · one of the seven words below, a string.

# %% [markdown]
# **Rules** · the first rule that applies decides.
#
# 1. `"time stands still"`: `batchId` is above 0, and `eventTime` has a `max` that is more than one hour after its
#    `watermark`.
# 2. `"late rows"`: all `stateOperators` together have a `numRowsDroppedByWatermark` of more than 1% of rows.
# 3. `"checkpoint"`: `walCommit` and `commitOffsets` together are more than half of took.
# 4. `"source"`: `latestOffset` and `getBatch` together are more than half of took.
# 5. `"overload"`: the query is behind, and took is more than `interval_ms`.
# 6. `"limit"`: the query is behind, and took is not more than `interval_ms`.
# 7. `"healthy"`: no other rule applies.
#
# **You can assume** · `eventTime` is always there, possibly empty. If it has a `max`, it has a `watermark`.
#
# **Checked** · the returned word for each call. `grader.check` shows each wrong call with a note.

# %% [markdown]
# **Sample** · for `interval_ms` = 1000, if no other rule applies:
#
# | report | word | why |
# | --- | --- | --- |
# | 200 rows; two operators dropped 1 and 1 | `"healthy"` | exactly 1% |
# | 0 rows; one operator dropped 1 | `"late rows"` | 1 is more than 1% of 0 |
# | 900 rows; lags 500 and 600; took 1200 | `"healthy"` | the lag is 600, which is not larger than rows |
# | 900 rows; lags 500 and 901; took 1200 | `"overload"` | behind, and took more than the interval |
# | the same; `batchId` 0 | `"overload"` | only rule 1 looks at `batchId` |
#
# **Predict** · Which word will each batch of the overload get?

# %% [markdown]
# Rules about lost or missing output come before rules about slowness. Where to look for each word:
#
# | word | where to look |
# | --- | --- |
# | `"time stands still"` | a silent stream, or a column of the wrong unit (lesson 03). Or a batch that catches up on more than an hour: then the next report is healthy again |
# | `"late rows"` | the watermark delay, or a source that sends late. After a `groupBy` the metric counts groups, so more rows are dropped than it says (lesson 03) |
# | `"checkpoint"` | the storage of the checkpoint |
# | `"source"` | the brokers, and the network to them |
# | `"overload"` | the work and the sink; the scaling rule of exercise 14.2 |
# | `"limit"` | `maxOffsetsPerTrigger` |
#
# One word from one report cannot say everything. A query without a limit reports a lag of 0, so its overload is `"healthy"`
# here. A real report of a query without event time has no `eventTime`: there use `report.get("eventTime", {})`.
#
# This function converts a time string:


# %% tags=["given"]
def moment(text: str) -> datetime:
    """The time of a string such as 2026-03-01T12:20:00.000Z, as a datetime in UTC."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


# %% nbgrader={"grade": false, "grade_id": "illness", "locked": false, "solution": true}
def illness(report: dict, interval_ms: int) -> str:
    """One word for what is wrong with a query, from one of its reports."""
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
# The overload, batch by batch. Were you right?

# %%
for report in overload:
    print("batch", report["batchId"], "→", illness(report, interval_ms=1000))

# %% [markdown]
# The first batch takes longer, because everything in it happens for the first time. Its word is true of that moment. Alerts
# that wake people should look at several reports.
#
# ## Exercise 14.4: Estimate when a query catches up (repair)
#
# Marketing does not ask about offsets. They ask how much is waiting, and when the numbers will be up to date. A function
# answers them, and last week it answered "two seconds" for an hour:


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
# The function uses the lag of the worst partition only. And while the query works off what waits, more arrives. So the
# processing rate does not say when it will finish. Look at how much *smaller* the lag becomes between two reports. Fix the
# function.

# %% [markdown]
# Write `backlog(earlier, later, record_bytes)`.
#
# **Input**
#
# - `earlier`, `later`: two reports of a query with one source, `sources[0]`.
# - `endOffset` and `latestOffset` of this source: where the batch ended and where the topic ended. Both are dicts by topic
#   and partition.
# - `record_bytes`: the mean size of a record.
#
# **Output** · a dict with `records`, `bytes` and `seconds`: integers, and `seconds` may be `None`.
#
# **Rules**
# 1. `records` is `latestOffset` minus `endOffset` in the later report, added up over all topics and partitions.
# 2. In both reports, a topic or a partition that is missing in `endOffset` is new, and its `endOffset` counts as 0.
# 3. `bytes` is `records` times `record_bytes`, rounded with `round`.
# 4. `seconds` is the time until `records` is 0, if `records` shrinks as it did between the two `timestamp`s. It is
#    rounded with `round`.
# 5. `seconds` is 0 if `records` is 0.
# 6. `seconds` is `None` if `records` is above 0 and not smaller than it was in the earlier report.
#
# **You can assume** · every topic and partition in `endOffset` is also in `latestOffset`. What you round is never halfway
# between two integers, so the order of your operations does not matter.
#
# **Checked** · the returned dict for each call. `grader.check` shows each wrong call with a note.

# %% [markdown]
# **Sample** · the reports are 10 seconds apart:
#
# | records behind, earlier | later | `seconds` | why |
# | --- | --- | --- | --- |
# | 1000 | 800 | 40 | the lag shrinks by 20 records per second, and 800 / 20 = 40 |
# | 1000 | 0 | 0 | rule 5 |
# | 0 | 0 | 0 | rule 5 comes before rule 6 |
# | 1000 | 1000 | `None` | the lag does not shrink |
#
# **Predict** · What will your function say about the overload: `records`, compared with the lag above, and `seconds`?

# %% [markdown]
# The result is an estimate: records differ in size, and compacted or transactional topics have fewer records than offsets.
# Databricks reports the bytes as `estimatedTotalBytesBehindLatest`. Open-source Spark does not.


# %% nbgrader={"grade": false, "grade_id": "backlog", "locked": false, "solution": true}
def backlog(earlier: dict, later: dict, record_bytes: float) -> dict:
    """What is behind, and how long it takes to catch up: {"records": …, "bytes": …, "seconds": …}."""
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
# Both partitions are counted, and the promise of a few seconds has become `None`: at this rate the query never catches up.
#
# ## Stopping a query without loss
#
# The query has to stop for a new version. `query.stop()` stops it at once, even in the middle of a batch. What happens to
# that batch?
#
# *Before* a batch Spark writes its offsets to the **offset log**, and *after* it an entry to the **commit log**. A batch
# with the first entry and without the second has begun, and Spark does not know how far it came. The next start repeats
# it with the same offsets.
#
# Here is such a batch, with a Kafka sink. Partition 1 is slow. So we can stop when clicks of partition 0 are written and
# clicks of partition 1 are not. **Predict before you run it:** will clicks be missing in the end? Will there be duplicates?


# %%
def slow_in_one_partition(pieces: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """All rows as they are; partition 1 is slow."""
    for piece in pieces:
        time.sleep(1.5 if TaskContext.get().partitionId() == 1 else 0)
        yield piece


def start_copy(topic: str, checkpoint: str) -> StreamingQuery:
    """Copies the ids of clicks to a topic, 200 per batch, one batch every three seconds."""
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
# Batch 1 is in the first log and not in the second, and some of its clicks are in the topic already. The next start:


# %%
def stop_between_batches(query: StreamingQuery, seconds: float = 30) -> bool:
    """Stops at a moment without a batch; False if none came in time. A best effort, no guarantee."""
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
# Nothing is missing, and the output of the interrupted batch is there twice. So `stop()` loses nothing, but a sink that is
# not idempotent has duplicates. The second stop was between two batches: both logs end with the same number, and the next
# start repeats nothing.
#
# `stop_between_batches` is a best effort and no guarantee: a batch can begin after the check and before `stop()`. Then the
# next start repeats it. So keep the sink idempotent in any case.
#
# | to stop | do this | the next start |
# | --- | --- | --- |
# | now | `query.stop()` | repeats the interrupted batch |
# | between batches | wait until `query.status["isTriggerActive"]` is false, then stop. The trigger needs an interval that is longer than its batches | usually repeats nothing |
# | with nothing left unread | stop, then start with `availableNow`: it reads what is there and ends by itself. A large limit keeps the batches few | continues with what came later; open windows are in the state |
#
# Now the last way, for the query of the overload with its checkpoint. A checkpoint does not pin `maxOffsetsPerTrigger`, so
# each start can use another limit:

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
# One batch read nearly everything that waited, and the lag is 0. A last batch with 0 clicks applies the watermark. If your
# first line says *no lag told*, that is the batch that `stop()` had interrupted: it is repeated as it was.

# %% [markdown]
# ## Before it is deployed: a test in CI
#
# *Continuous integration* (CI) runs the tests at every commit. An alert says that something is wrong; a test says so before
# the query is late. A good test of a pipeline does what the checks of this course do:
#
# - it sends events step by step to a real Kafka, some of them late;
# - it runs the pipeline on a real Spark and records what each step emits and drops, and the state;
# - it kills the query once, restarts it on its checkpoint, and compares.
#
# You can build this with any test tool. Here we use the part of this course that does it, **`replay`**. It runs a
# `Variant`: a scenario, as it is or with a kill (`crash_after`). Note that `grader` is not a published package, and that
# `replay` has no stable API. So use it as a model, not as a dependency.
#
# Two files are needed: the pipeline, which is the function from the top of this lesson, and the tests.

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
# The test file contains an exercise as a dict, events in steps, and assertions about the recording.
#
# - `crash_after` puts the checkpoint into the state after a kill between the sink and the commit of that step. Then it
#   restarts the query: a batch that is complete in the sink is written again.
# - `state_after(4)` is the number of state rows after step 4. The last click only closes minutes, so its own row remains.
#
# In CI this is `pytest` in the folder of the tests, and `grader.start()` starts Kafka and Spark. Here it uses those that are
# already running:

# %%
if find_spec("pytest"):
    import pytest

    for name in ("pipeline", "test_pipeline"):
        sys.modules.pop(name, None)  # for a second run of this cell
    pytest.main(["-q", "-p", "no:cacheprovider", "--color=no", f"--rootdir={ci}", str(ci)])
else:
    print("pip install pytest, then run this cell once more")

# %% [markdown]
# Now plant a bug: change `"10 seconds"` to `"10 minutes"` in `clicks_by_minute` at the top. Run that cell, the cell that
# writes the two files, and the cell that runs pytest. **Predict: which tests find it?**
#
# <details><summary>The answer, after your run</summary>
#
# All three. After the last click no minute has closed, so nothing is emitted and everything stays in the state. Without its
# `assert once` the third test would pass: nothing equals nothing.
#
# </details>
#
# Change the 10 seconds back, and run the cells again.

# %% [markdown]
# ## Further: who tests the alert?
#
# This pager gets every report of a query. It has a memory, so it is not a pure function any more, but it still needs neither
# Spark nor Kafka:


# %% tags=["given"]
class Pager:
    """Says "wake" when a query stays behind, once, and "all clear" when it has caught up."""

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
    """What a pager says to reports with these lags: None is no lag, (0, 150) are two sources."""
    heard = []
    for lag in lags:
        told = lag if isinstance(lag, tuple) else (lag,)
        metrics = [{} if one is None else {"maxOffsetsBehindLatest": str(one)} for one in told]
        heard.append(pager.tell({"sources": [{"metrics": one} for one in metrics]}))
    return heard


# %%
print(said(Pager(100), 150, 150, 150, 150, 40))

# %% [markdown]
# ## Exercise 14.5: Test an alert against planted bugs
#
# An alert that is wrong at night is worse than none. Write `pager_tests(Pager)`, a test suite for this class.
#
# **Input** · `Pager`: the class above, or a version of it with one bug. You can use `said`.
#
# **Output** · nothing. The suite raises an exception, such as `AssertionError`, if the class breaks a promise.
#
# **Rules**
# 1. Your suite raises nothing for the correct pager.
# 2. It raises if a pager does not say `"wake"` when the lag was above `most` in three reports in a row, or says it
#    earlier. The lag is the largest among a report's sources.
# 3. It raises if a pager says `"wake"` again before it has said `"all clear"`.
# 4. It raises if a pager does not say `"all clear"` as soon as the lag is half of `most` or less after a `"wake"`. After
#    that it can wake again, by rule 2.
# 5. It raises if a report without a lag changes anything. The reports before and after it still count as in a row.
# 6. It raises if a pager says anything in another case: then `tell` must return `None`.
# 7. It raises if the reports of one pager change what another pager says.

# %% [markdown]
# **Checked** · within 60 seconds in total, the suite passes on the correct pager, and fails on each of ten pagers with one
# bug. A suite that fails on the correct pager earns nothing.
#
# **Sample** · a first line:
#
#     assert said(Pager(100), 150, 150, 150) == [None, None, "wake"]


# %% nbgrader={"grade": false, "grade_id": "pager_tests", "locked": false, "solution": true}
def pager_tests(Pager: Any) -> None:
    """Raises an AssertionError if a pager breaks a promise."""
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

# %% [markdown]
# ## Recap of part A: the facts
#
# - Spark writes one progress report per micro-batch, with or without data.
# - With `maxOffsetsPerTrigger` an overload shows only in the lag. Without it, only in the durations.
# - The values in `metrics` are strings, and some reports have no `metrics`.
# - Spark stores no offsets in Kafka, so Kafka's tools show no lag for its queries.
# - A query that has stopped sends no report. An alert for silence needs its own clock, outside the query.
# - `stop()` loses nothing; the next start repeats the interrupted batch. The sink has to be idempotent.
# - An alert without memory is a pure function of reports, and easy to test.
#
# | question | look at |
# | --- | --- |
# | How far behind is the query? | `maxOffsetsBehindLatest` of each source |
# | Is it too slow? | `triggerExecution` against the trigger interval |
# | Where does the time go? | the parts of `durationMs` |
# | Does event time advance? | `watermark` against `max` in `eventTime` |
# | Are rows dropped? | `numRowsDroppedByWatermark` of each operator |
# | When will it catch up? | the lag of two reports, and the time between them |

# %% [markdown]
# ## What you can now do after part A
#
# - read in a report what a batch read, where its time went and how far the query is behind;
# - publish the reports of all queries to a topic, and watch them from outside;
# - say why rates and durations look fine in an overload with a limit, and which metric does not;
# - write alerts and scaling rules as pure functions, and test them with reports of last night;
# - stop a query at once, between two batches, or with nothing left unread, and say what the next start repeats;
# - test a pipeline in CI on real Spark and Kafka, with late events and a kill.

# %% [markdown]
# # Part B · Metrics: the Spark UI and Prometheus
#
# A progress report belongs to one query and one program. But the company watches its brokers and web servers with
# Prometheus. It wants the queries there too, with the same graphs and the same alerts.
#
# **Objectives** · After part B you can
#
# - read the tab *Structured Streaming* of the Spark UI;
# - scrape the metrics that Spark exports, and say what they lack;
# - write metrics in Prometheus's text format, with types, base units and labels;
# - calculate a rate over a counter that restarts;
# - write an alert that waits, and that neither a failed scrape nor a restart confuses.
#
# **Time** · engineer 65 minutes, student 115 minutes.
#
# **Fast path** · 25 minutes: run all cells up to the scrape in *Metrics for Prometheus: what Spark exports*. Then solve 14.7.
#
# Part B uses the functions and the topic of part A. So first run the cells of part A up to the overload, and the cell
# that defines `moment`, before exercise 14.3.

# %% [markdown]
# ## The Spark UI: where the time goes, how the watermark moves
#
# `grader.start(ui=True)` at the top started Spark with its UI, a web server in the driver. It listens on the
# lab's machine only. So if your lab runs on a hub or in a container, your browser cannot open it; the scrapes below work.
# This query reads what the overload has left in the topic, and works for more than a minute:

# %%
watched = (
    clicks_by_minute(read_clicks(per_trigger=100))
    .writeStream.format("noop")
    .queryName("clicks_by_minute")
    .option("checkpointLocation", grader.fresh_checkpoint())
    .trigger(processingTime="1 second")
    .start()
)
while len(watched.recentProgress) < 8 and not watched.awaitTermination(0.2):
    pass
print(f"{spark.sparkContext.uiWebUrl}/StreamingQuery/")

# %% [markdown]
# Open the address, and click the run id of `clicks_by_minute`. These are the panels:
#
# | panel | shows | look for |
# | --- | --- | --- |
# | Input Rate, Process Rate | the two rates of the progress report | an input rate above the process rate, if there is no limit |
# | Input Rows | rows per batch | a flat line: `maxOffsetsPerTrigger` holds the query back |
# | Batch Duration | milliseconds per batch | a curve above the trigger interval |
# | Operation Duration | the parts of `durationMs`, stacked | the part that grows |
# | Global Watermark Gap | seconds from the watermark to the clock, at the beginning of the batch | a gap that grows by a second per second: the watermark stands still |
# | Aggregated Number Of Total State Rows | rows in all state stores | a curve that never falls |
# | Aggregated Number Of Late Rows Dropped By Watermark | late rows | anything above 0 |

# %% [markdown]
# No panel shows the lag, so the overload with a limit is invisible here. The clicks of this lesson have fixed event times. So
# their gap is the distance to March 2026, in millions of seconds, and its line looks flat. With live events the gap is a little
# more than the watermark's delay. The first batch has no gap, because it has no watermark yet.

# %% [markdown]
# ## Metrics for Prometheus: what Spark exports
#
# **Prometheus** is a database for metrics. Every few seconds it **scrapes** each target: it gets a page of text from it,
# one **sample** per line. It stores the samples with their time, draws them, and evaluates alerts.
#
# Spark has such a page if `spark.sql.streaming.metricsEnabled` is `true` and the sink `PrometheusServlet` is set. The UI's
# server shows it. `grader.start(ui=True)` sets both. These are the lines of our query:

# %%
from urllib.request import urlopen

from grader.query_metrics.exposition_trial import as_scraped
from grader.query_metrics.metrics_endpoint import metrics_endpoint
from grader.query_metrics.prometheus_server import is_installed, prometheus_server

with urlopen(f"{spark.sparkContext.uiWebUrl}/metrics/prometheus/") as reply:
    page = reply.read().decode()
for line in page.splitlines():
    if "clicks_by_minute" in line:
        print(line)

# %% [markdown]
# | part of a line | is |
# | --- | --- |
# | `metrics_lab_driver` | the namespace `spark.metrics.namespace`, and who reports. Without this setting it is the application's id, which changes with every start |
# | `spark_streaming_clicks_by_minute` | the query's name, in which `_` replaces other characters. A query without a name gets its `id`, which changes with every new checkpoint |
# | `inputRate_total`, `processingRate_total` | the two rates; gauges, although the names end in `total` |
# | `latency` | milliseconds of the newest batch |
# | `eventTime_watermark` | the watermark in milliseconds since 1970, and 0 if there is none |
# | `states_rowsTotal`, `states_usedBytes` | the rows and bytes in the state stores |
# | `_Number`, `_Value` | the same value twice |
#
# So a query should have a name. When it stops, its lines are gone. And three things are missing:
#
# - the lag;
# - a **counter** of rows. A counter only grows, until its program restarts; a **gauge** goes up and down;
# - **labels**, which say what a sample is about. Here the query is a part of the metric's *name*, so no expression can cover all
#   queries.
#
# Many teams therefore write a page of their own. Its values are in *base units*, such as seconds and not milliseconds.

# %% [markdown]
# ## Exercise 14.6: Metrics in Prometheus's text format
#
# The shop's page needs the metrics that Spark's page lacks. Write `exposition(reports)`, which makes the text of
# progress reports.
#
# **Input** · `reports`: progress reports of one or more queries, oldest first; the list may be empty.
#
# **Output** · a string in Prometheus's text format with these metrics and no others:
#
# | metric | type | labels | value |
# | --- | --- | --- | --- |
# | `shop_query_input_rows_total` | counter | `query` | `numInputRows` |
# | `shop_query_batch_duration_seconds` | gauge | `query` | `triggerExecution` in `durationMs` |
# | `shop_query_input_rows_per_second` | gauge | `query` | `inputRowsPerSecond` |
# | `shop_query_watermark_timestamp_seconds` | gauge | `query` | `watermark` in `eventTime`, as seconds since 1970 |
# | `shop_query_lag_records` | gauge | `query`, `topic`, `partition` | records that are not read yet |
#
# A metric with two samples, in the format that *Read more* describes:
#
#     # TYPE shop_query_lag_records gauge
#     shop_query_lag_records{query="clicks",topic="page_clicks",partition="0"} 12
#     shop_query_lag_records{query="clicks",topic="page_clicks",partition="1"} 7

# %% [markdown]
# **Rules**
#
# 1. Before its samples, each metric has exactly one line `# TYPE`, with its type. Other comments are allowed.
# 2. All samples of a metric are together. No two samples have the same name and labels, and no sample has a timestamp.
#    Each line ends with a newline, the last one too.
# 3. In a label's value, a backslash is written as `\\`, a quote as `\"` and a newline as `\n`. All other characters stay
#    as they are.
# 4. The label `query` is the report's `name`, or its `id` if the name is null. Reports with the same label belong to the
#    same query. Each query in `reports` has samples.
# 5. `shop_query_input_rows_total` adds up all reports of a query. All other metrics use only its newest report.
# 6. Seconds are seconds, with their decimals.
# 7. A value that is missing has no sample. A rate of `"NaN"` and a watermark of `1970-01-01T00:00:00.000Z` are missing.
#    A 0 is a value.
# 8. The lag of a partition is its `latestOffset` minus its `endOffset`. What is missing in `endOffset` counts as 0. A source
#    whose `latestOffset` is not a dict has no lag.
#
# **You can assume** · no topic is read by two sources of a query. If `latestOffset` is a dict, it is by topic and
# partition, as in 14.4, and so is `endOffset`.

# %% [markdown]
# **Checked** · what Prometheus's official parser for Python reads of your text, for each call. The order of metrics and
# labels, and how a number is written, do not matter.
#
# **Sample** · each line is one report, and what it becomes:
#
# | in the report | samples |
# | --- | --- |
# | `"triggerExecution": 410` | `… 0.41` |
# | `"name": "say \"hi\""` | `…{query="say \"hi\""} …` |
# | `"eventTime": {"watermark": "2026-03-01T12:00:00.250Z"}` | `… 1772366400.25` |
# | `"inputRowsPerSecond": 0.0` | `… 0.0` |
# | `"latestOffset": null` | no lag |
# | `"latestOffset": 17` | no lag |
#
# The reports of the check are real ones of Spark 4.2. The note of a call says what was changed by hand, if anything was.
# `moment` from 14.3 converts a time, and its result has a method `timestamp()`.
#
# **Predict** · The driver restarts. What happens to the total, and what should a graph make of it?


# %% nbgrader={"grade": false, "grade_id": "exposition", "locked": false, "solution": true}
def exposition(reports: list[dict]) -> str:
    """The newest metrics of all queries in `reports`, in Prometheus's text format."""
    ### BEGIN SOLUTION
    totals: dict[str, int] = {}
    newest: dict[str, dict] = {}
    for report in reports:
        query = report["id"] if report["name"] is None else report["name"]
        totals[query] = totals.get(query, 0) + report["numInputRows"]
        newest[query] = report

    lines: dict[str, list[str]] = {}

    def add(metric: str, value: Any, **labels: str) -> None:
        if value is None or value == "NaN":
            return
        shown = []
        for name, text in labels.items():
            escaped = text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
            shown.append(f'{name}="{escaped}"')
        lines.setdefault(metric, []).append(f"{metric}{{{','.join(shown)}}} {value}\n")

    for query, report in newest.items():
        add("shop_query_input_rows_total", totals[query], query=query)
        seconds = report["durationMs"]["triggerExecution"] / 1000
        add("shop_query_batch_duration_seconds", seconds, query=query)
        add("shop_query_input_rows_per_second", report.get("inputRowsPerSecond"), query=query)
        watermark = report.get("eventTime", {}).get("watermark")
        if watermark and moment(watermark).timestamp() > 0:
            since_1970 = moment(watermark).timestamp()
            add("shop_query_watermark_timestamp_seconds", since_1970, query=query)
        for source in report["sources"]:
            if not isinstance(source["latestOffset"], dict):
                continue
            for topic, partitions in source["latestOffset"].items():
                ends = source["endOffset"].get(topic, {})
                for partition, latest in partitions.items():
                    where = {"query": query, "topic": topic, "partition": partition}
                    add("shop_query_lag_records", latest - ends.get(partition, 0), **where)

    text = ""
    for metric, samples in lines.items():
        kind = "counter" if metric.endswith("_total") else "gauge"
        text += f"# TYPE {metric} {kind}\n" + "".join(samples)
    return text
    ### END SOLUTION


# %% [markdown]
# What the parser reads of your text, for the newest report of the overload. `text` is `"valid"`, or the first fault. A sample
# is shown by its labels' values and its number.

# %%
as_scraped(exposition, overload[-1:])

# %% nbgrader={"grade": true, "grade_id": "check-exposition", "locked": true, "points": 4, "solution": false}
grader.check("14.6", exposition)

# %% [markdown]
# ## A real Prometheus scrapes the metrics (optional)
#
# Now your text becomes a page. `metrics_endpoint` serves it from this notebook's process, as a driver would do with a
# listener:


# %%
def live_metrics() -> str:
    """The page of the query that runs, at the moment of the scrape."""
    return exposition([json.loads(progress.json) for progress in watched.recentProgress])


with metrics_endpoint(live_metrics) as address, urlopen(address) as reply:
    print(reply.read().decode())

# %% [markdown]
# **The next cell is optional.** It needs your answer to 14.6 and the program `prometheus`, for example from `apt-get install
# prometheus` on Debian or Ubuntu. Nothing else in the course needs it. Without the program the cell says so, and you can go on.
#
# With the program it starts a Prometheus of its own on this machine, which scrapes both pages every second. A Prometheus
# that already runs as a service is not used. After ten seconds the cell evaluates three expressions. `rate(…[10s])` is the
# increase of a counter per second, over the last ten seconds. `sum by (query)`, used below, adds up all samples with the same
# label `query`, and `topk(3, …)` keeps the three largest. If the query has read everything by now, run its cell again first.

# %%
if is_installed():
    spark_page = f"{spark.sparkContext.uiWebUrl}/metrics/prometheus/"
    with (
        metrics_endpoint(live_metrics) as address,
        prometheus_server([address, spark_page]) as server,
    ):
        # a result as soon as ten seconds of scrapes are there: a rate over fewer would be a guess
        server.query("count_over_time(shop_query_input_rows_total[10s]) > 8")
        for expression in (
            "shop_query_lag_records",
            "rate(shop_query_input_rows_total[10s])",
            "metrics_lab_driver_spark_streaming_clicks_by_minute_latency_Value",
        ):
            for sample in server.query(expression):
                labels = {k: v for k, v in sample["metric"].items() if k in ("query", "partition")}
                print(expression, labels, sample["value"][1])
else:
    print("There is no program prometheus here. This cell is optional: go on.")

# %%
watched.stop()

# %% [markdown]
# ## Counters, gauges and gaps in scraped samples
#
# An alert on scraped samples knows less than an alert on reports.
#
# | in the samples | what it means |
# | --- | --- |
# | a counter grows | rows were read. Its value alone says little: the difference of two samples is what counts |
# | a counter decreases | the driver restarted, and the counter began again at 0 |
# | a gauge goes up and down | it is the value at the moment of the scrape. What happened in between is unknown |
# | `up` is 0, and there are no values | the scrape failed. The values are unknown: they are not 0 |
# | a gauge is missing although `up` is 1 | the driver answers and does not know the value |
#
# A single bad sample is no reason to wake a person. So an alert in Prometheus has a time to wait, such as `for: 1m`. It **fires** if
# its condition has held at every evaluation for this time, and **resolves** when the condition no longer holds.

# %% [markdown]
# ## Exercise 14.7: An alert on an overload, from scraped samples
#
# The shop wants to be woken if a query needs too long to catch up, and does not recover by itself. Write
# `overload_alert(scrapes, most, hold)`.
#
# **Input**
#
# - `scrapes`: the scrapes of one query, oldest first; the list may be empty. Each is a dict:
#
# | field | is |
# | --- | --- |
# | `time` | seconds, larger than in the scrape before; some scrapes may be missing in the list |
# | `up` | 1, or 0 if the scrape failed. Then the dict has no other field than `time` and `up` |
# | `rows_total` | a counter: the rows that this driver has read |
# | `lag` | a gauge: records that are not read, by partition; empty if the driver does not know it |
#
# - `most`: how many seconds the lag may take. `hold`: for how many seconds an overload must hold.
#
# **Output** · a dict: `fired` and `resolved`, two lists of times.

# %% [markdown]
# **Rules**
#
# 1. A failed scrape and a scrape with an empty `lag` are left out, as if they were not in the list.
# 2. The *rate* of a scrape is the increase of `rows_total` since the scrape before, divided by the seconds between the two.
#    The first scrape has no rate and is not overloaded.
# 3. If `rows_total` is smaller than before, the driver restarted, and the increase is `rows_total` itself. A restart
#    changes nothing else.
# 4. The lag of a scrape is the sum over its partitions.
# 5. A scrape is *overloaded* if it would take more than `most` seconds to read its lag at its rate. At a rate of 0 it is
#    overloaded if its lag is above 0.
# 6. The alert fires at a scrape if an earlier one is at least `hold` seconds older, and if both and all between them are
#    overloaded. With a `hold` of 0, one overloaded scrape is enough.
# 7. `fired` has the time of the scrape at which the alert begins to fire. While it is firing, it does not fire again. `resolved`
#    has the time of the first scrape after that which is not overloaded. Then the alert can fire again.
#
# **You can assume** · a counter that restarts is smaller at the next scrape than before.
#
# **Checked** · the returned dict for each call. `grader.check` shows each wrong call with a note.

# %% [markdown]
# **Sample** · for `most` = 5 and `hold` = 4. The query reads 100 rows per second, so it may have a lag of 500:
#
# | time | `rows_total` | `lag` | overloaded | alert |
# | --- | --- | --- | --- | --- |
# | 10 | 7000 | 0: 300, 1: 400 | no, because there is no rate | |
# | 12 | 7200 | 0: 300, 1: 201 | yes, 501 | |
# | 14 | failed | | | |
# | 16 | 400 | 0: 900, 1: 800 | yes: a restart, 400 rows in 4 seconds | fires |
# | 18 | 600 | 0: 250, 1: 250 | no, exactly 5 seconds | resolves |
#
# The scrapes of the check are real. They are of two minutes of this lesson's query: an overload, a restart with a higher
# limit, and a second overload. The note of a call says what was changed by hand, if anything was.
#
# **Predict** · At 16, the rate in the sample spans the gap. What would it be without rule 3, and what would the alert do?


# %% nbgrader={"grade": false, "grade_id": "overload_alert", "locked": false, "solution": true}
def overload_alert(scrapes: list[dict], most: float, hold: float) -> dict[str, list[float]]:
    """When the alert fires and resolves: {"fired": [times], "resolved": [times]}."""
    ### BEGIN SOLUTION
    fired, resolved = [], []
    before = since = None
    firing = False
    for scrape in scrapes:
        if not scrape["up"] or not scrape["lag"]:
            continue
        now = scrape["time"]
        overloaded = False
        if before is not None:
            increase = scrape["rows_total"] - before["rows_total"]
            if increase < 0:
                increase = scrape["rows_total"]
            rate = increase / (now - before["time"])
            overloaded = sum(scrape["lag"].values()) > most * rate
        before = scrape
        if not overloaded:
            if firing:
                resolved.append(now)
            since, firing = None, False
            continue
        since = now if since is None else since
        if not firing and now - since >= hold:
            fired.append(now)
            firing = True
    return {"fired": fired, "resolved": resolved}
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-overload_alert", "locked": true, "points": 4, "solution": false}
grader.check("14.7", overload_alert)

# %% [markdown]
# In a company, this alert is three lines of YAML for Prometheus; the discussion of 14.7 shows them. You have now seen what
# happens inside: what Prometheus does for a restart and a gap, and why an alert waits.

# %% [markdown]
# ## Recap of part B: the facts
#
# - The Spark UI shows rates, durations, the watermark gap and the state of a query. It does not show the lag.
# - Spark exports metrics of queries only with `spark.sql.streaming.metricsEnabled`, one set per query name.
# - A query without a name is exported under its id, which changes with every new checkpoint.
# - A page for Prometheus has one `# TYPE` line per metric, base units, escaped labels and no timestamps.
# - A value that is not known has no sample: leave it out. To Prometheus, NaN and 0 are values.
# - A counter that decreases has restarted. A failed scrape is a gap, not a 0.
# - An alert that waits ignores a single bad sample, and comes later by the time that it waits.
#
# | question | metric, or expression in Prometheus |
# | --- | --- |
# | How many rows per second? | `rate(shop_query_input_rows_total[1m])` |
# | How far behind is the query? | `sum by (query) (shop_query_lag_records)` |
# | Which partition is stuck? | `topk(3, shop_query_lag_records)` |
# | How old is the watermark? | `time() - shop_query_watermark_timestamp_seconds` |
# | Does the driver answer? | `up` |

# %% [markdown]
# ## What you can now do after part B
#
# - find in the Spark UI where the time of a batch goes, and whether the watermark moves;
# - scrape Spark's metrics, and say why a query needs a name;
# - write a page that Prometheus reads as you mean it;
# - write an alert with a rate, a restart, a gap and a time to wait, and test it with recorded samples.
#
# ## Read more
#
# - Spark guide: [monitoring streaming queries](https://spark.apache.org/docs/latest/streaming/apis-on-dataframes-and-datasets.html#monitoring-streaming-queries)
# - Spark guide: [Kafka integration](https://spark.apache.org/docs/latest/streaming/structured-streaming-kafka-integration.html), for `maxOffsetsPerTrigger`
# - Spark: [monitoring](https://spark.apache.org/docs/latest/monitoring.html), for metric sinks and Prometheus
# - PySpark: [`StreamingQueryListener`](https://spark.apache.org/docs/latest/api/python/reference/pyspark.ss/api/pyspark.sql.streaming.StreamingQueryListener.html)
# - Prometheus: [text format](https://prometheus.io/docs/instrumenting/exposition_formats/), [names and units](https://prometheus.io/docs/practices/naming/) and [alerting rules](https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/)

# %%
grader.progress()

# %% [markdown]
# Next: **15 Connectors**, for data that is not in Kafka.
