# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 08 · Session windows
#
# How long does a visit to the shop last? No clock in the shop knows. A visit begins when a visitor does something, and
# goes on while they keep doing things. It is over when they have been silent for a while. Five-minute windows cut a
# visit wherever five minutes happen to end.
#
# A **session window** grows with the events. Each event claims some time for itself: from its own moment on, for as
# long as the silence may last, the *gap*. If claims of one user overlap or touch, they are one session. So the edges of
# a session are known only when no further event can touch them.

# %% [markdown]
# **Objectives** · In this lesson you
#
# - watch sessions grow, merge and close, and calculate to the second when a session is emitted,
# - let each event choose its own gap,
# - make an out-of-order event that merges two sessions,
# - predict which event is late for a session window,
# - repair a pipeline that Spark rejects, and that would be wrong if Spark accepted it,
# - read the open sessions from the state of a query.
#
# **Prerequisites** · reading state (lesson 02), watermarks (lesson 03), time windows (lesson 04).
#
# **Time** · 110 minutes for an engineer, 180 minutes for a student. A puzzle that no later lesson needs is at the end,
# in *Going further*.
#
# **Fast path** · 25 minutes: run the cells up to exercise 08.1. Then do the exercise and read the recap.

# %% tags=["given"]
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

import grader

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## Worked example: a session window, live
#
# A gap of one minute, and a watermark two minutes behind the newest page view. The mode is *append*, as in lesson 03: a
# row is emitted once, when it is final.


# %% tags=["example"]
def sessions(pages: DataFrame) -> DataFrame:
    return (
        pages.withWatermark("time", "2 minutes")
        .groupBy(F.session_window("time", "1 minute"), "user")
        .agg(F.count("*").alias("pages"))
    )


# %% [markdown]
# We send the page views in four rounds, and run the query once after each, always on the same checkpoint:
#
# | step | page views |
# | --- | --- |
# | 1 | mia 10:00:00, mia 10:00:45, mia 10:02:20 |
# | 2 | mia 10:01:30, which was delayed in her phone |
# | 3 | noa 10:05:19 |
# | 4 | noa 10:05:20 |
#
# **Predict before you run.** `grader.predict("08.0", state=…, rows=…)` takes your answers.

# %%
grader.predict("08.0")

# %% [markdown]
# Two helpers for this lesson: `send` sends page views, and `run` processes what is in the topic and prints the result.


# %%
def send(topic: str, *views: tuple) -> None:
    """Send a page view for each (user, time of day); a third item is its gap."""
    kafka.send(
        topic,
        [
            {"user": user, "time": f"2026-03-01T{time}Z", "gap": gap[0] if gap else None}
            for user, time, *gap in views
        ],
    )


def run(visits: DataFrame, checkpoint: str, mode: str = "append") -> None:
    """Run a query over what is in its topic now; print what it dropped, keeps in state, and emitted."""
    out = kafka.unique_topic("visits")
    query = (
        visits.select(F.to_json(F.struct("*")).alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", out)
        .option("checkpointLocation", checkpoint)
        .outputMode(mode)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    for batch in query.recentProgress:
        if batch["stateOperators"]:
            state = batch["stateOperators"][0]
            watermark = batch["eventTime"].get("watermark", "1970")
            watermark = "none yet" if watermark.startswith("1970") else watermark[11:19]
            print(
                f"batch {batch['batchId']}: in {batch['numInputRows']}, watermark {watermark}, "
                f"dropped {state['numRowsDroppedByWatermark']}, sessions in state {state['numRowsTotal']}"
            )
    for row in kafka.read(out):
        start, end = row["session_window"]["start"][11:19], row["session_window"]["end"][11:19]
        print(f"  → {row['user']} from {start} to {end}: pages {row['pages']}")


# %%
pages_topic = kafka.unique_topic("pages")
pages = grader.read_topic(pages_topic, "user STRING, time TIMESTAMP")
checkpoint = grader.fresh_checkpoint()

send(pages_topic, ("mia", "10:00:00"), ("mia", "10:00:45"), ("mia", "10:02:20"))
run(sessions(pages), checkpoint)

# %% [markdown]
# Two sessions: 10:00:00 to 10:01:45 with two pages, and 10:02:20 to 10:03:20 with one. Both are in state, because the
# watermark is 10:00:20 and things can still change. They do:

# %%
send(pages_topic, ("mia", "10:01:30"))
run(sessions(pages), checkpoint)

# %% [markdown]
# The page view claims 10:01:30 to 10:02:30 and overlaps both sessions. Two sessions became one. An out-of-order event
# does not merely add to a count here: it can **merge** what had been apart. Now another visitor, at 10:05:19, and again
# a second later:

# %%
send(pages_topic, ("noa", "10:05:19"))
run(sessions(pages), checkpoint)

# %%
send(pages_topic, ("noa", "10:05:20"))
run(sessions(pages), checkpoint)

# %% [markdown]
# ## When does a session close?
#
# Mia's last page view was at 10:02:20, so after a minute of silence her session *ends* at 10:03:20. But it *closed*,
# and was emitted, only when the watermark had reached that end. Two things must happen, in this order:
#
# 1. A gap passes after the session's last event, in **event time**. That is the session's end.
# 2. The **watermark** reaches this end. For that, any user must send an event that is newer than the end by the delay.
#
# > A session closes when newest event time − delay ≥ its end. With one gap for all, its end is the last event + gap.
#
# Here: 10:05:20 − 2 minutes = 10:03:20. At 10:05:19 the watermark was one second short. It could have stayed there for
# a week, because the clock on the wall does not matter. And noa's events close mia's session, because there is one
# watermark for the whole query, not one per user.
#
# What if one more page view of mia had arrived in step 3, before the close? A page view of 10:03:20, exactly one
# minute after her last one, touches and extends her session. A page view of 10:03:21 opens another session. If it
# arrives after step 4, either one opens a new session: a closed session is not opened again.

# %% [markdown]
# The picture shows the same run with two more steps. A bar is a session as it was kept after the step. Look at step 2:
# its dot falls between those of step 1, and two bars become one.
#
# ![Page views in six steps. Step 1 has three of mia, and step 2 one that falls between them and merges two sessions. In step 3, noa's page view of 10:05:19 closes nothing. In step 4, that of 10:05:20 closes mia's session, which is emitted with 4 pages. In step 5 a late page view of mia is crossed out. Step 6 emits noa's session with 3 pages.](08.0.svg)

# %% [markdown]
# Try other values: make the gap two minutes, and see whose sessions merge. Remove a page view, and see one session
# split in two. *Ask Spark* runs the same page views on the broker.

# %%
grader.explore("08.0")

# %% [markdown]
# ## Dynamic gap durations
#
# One gap for everything is crude. A page that sends "still open" every three seconds is gone after five seconds of
# silence. A visitor who scrolls may rest for twenty seconds. A visitor who began to read an article may be silent for
# minutes.
#
# `F.session_window` takes a *column* for the gap, say `F.col("gap")`, computed from each event. Its values are strings
# such as `"5 seconds"`. A plain Python string is a duration, the same for all events, not the name of a column.
#
# Each event then claims time by its own measure. The session ends where the *longest* of these claims ends: a short
# claim never cuts a longer one.

# %% [markdown]
# ## Exercise 08.1: Visits with a dynamic gap
#
# The shop wants to know its visits. How long a visitor may be silent depends on what they did: each event has its own
# gap, and the longest claim ends the visit. Write `visits(events)`.
#
# **Input** · `events`: `user_id STRING`, `event_type INT`, `event_time TIMESTAMP`. Every event has a user and a time.
#
# **Output** · one row per visit and user: `session_window`, `user_id`, `events` (the number of events); append mode.
#
# **Rules**
#
# 1. An event of type 1 (still open) has a gap of 5 seconds, an event of type 2 (scrolled) a gap of 20 seconds.
# 2. An event of any other type, known or unknown, has a gap of 5 minutes.
# 3. An event without a type has a gap of 5 minutes, too.
# 4. A visit belongs to one user and contains events of all types.
# 5. Events may arrive **10 minutes** late: this is the delay of the watermark.
#
# **Checked** · rows, which count half; the step of each row, the watermark after each step, dropped rows, rows in
# state. The check also splits the events into other micro-batches, and compares all rows again.

# %% [markdown]
# First a prediction. After step 1 of the check there are
#
# - two visits of ana and two of ben, which all end by 12:00:41,
# - one visit of cleo, until 12:06:00,
# - two visits of dora, 12:02:00 to 12:02:20 and 12:02:30 to 12:02:50.
#
# In step 2 three events arrive: 12:02:15 of dora with type 2, and two new events of ana, 12:10:00 and 12:15:03. How
# many rows does step 2 emit?

# %%
grader.predict("08.1")


# %% nbgrader={"grade": false, "grade_id": "visits", "locked": false, "solution": true}
def visits(events: DataFrame) -> DataFrame:
    """Visits of each user, with a gap duration that depends on the type of the event.

    events: user_id STRING, event_type INT, event_time TIMESTAMP; up to 10 minutes late.
    Returns session_window STRUCT<start, end>, user_id, events.
    """
    ### BEGIN SOLUTION
    gap = (
        F.when(F.col("event_type") == 1, "5 seconds")
        .when(F.col("event_type") == 2, "20 seconds")
        .otherwise("5 minutes")
    )
    return (
        events.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", gap), "user_id")
        .agg(F.count("*").alias("events"))
    )
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-visits", "locked": true, "points": 3, "solution": false}
grader.check("08.1", visits)

# %% [markdown]
# Hints: `grader.hint("08.1")`. Your visits as they grow and merge:

# %%
grader.lens("08.1", visits)

# %% [markdown]
# Did you see step 4? Two events arrive there that are both older than the watermark, and only the *newer* one is
# dropped. Keep that in mind; the reason comes below.
#
# ## Invalid gaps: null, zero and negative durations
#
# A computed gap can have any value. What happens to an event whose gap is null, zero, negative, or no duration at all?
# The next cell sends these four and one with a valid gap. Predict which of the five are in state afterward, and what the
# watermark is. Write it down, then run.

# %%
odd_topic = kafka.unique_topic("odd-gaps")
odd = grader.read_topic(odd_topic, "user STRING, time TIMESTAMP, gap STRING")


def by_own_gap(pages: DataFrame) -> DataFrame:
    return (
        pages.withWatermark("time", "2 minutes")
        .groupBy(F.session_window("time", F.col("gap")), "user")
        .agg(F.count("*").alias("pages"))
    )


odd_checkpoint = grader.fresh_checkpoint()
send(
    odd_topic,
    ("one minute", "10:00:00", "1 minute"),
    ("zero", "10:00:00", "0 seconds"),
    ("less than zero", "10:00:00", "-5 seconds"),
    ("null", "10:00:00", None),
    ("no duration", "10:02:30", "soon"),
)
run(by_own_gap(odd), odd_checkpoint)

# %% [markdown]
# Five events arrived, one session is in state, and none counts as dropped. An event that claims no time belongs to no
# session. It vanishes without an error, a warning or a metric. Yet it advanced the watermark, to two minutes behind
# 10:02:30. So close every chain of `when` with an `otherwise`, and count the events without a gap before you group.
#
# Spark does not check a constant gap either. With `F.session_window("time", "0 seconds")` the query runs and never
# emits a row.
#
# ## Late for what? The claim of the event decides
#
# A windowed count accepts an old event as long as its window is open (lesson 03: 12:03:00 was older than the watermark
# and counted). Is it the same with sessions? Here is a query with a shorter delay of 30 seconds and the same gap of a
# minute. Paul looks at a page every 50 seconds, and one of his page views is late.


# %%
def impatient_sessions(pages: DataFrame) -> DataFrame:
    return (
        pages.withWatermark("time", "30 seconds")
        .groupBy(F.session_window("time", "1 minute"), "user")
        .agg(F.count("*").alias("pages"))
    )


paul_topic = kafka.unique_topic("paul")
paul = grader.read_topic(paul_topic, "user STRING, time TIMESTAMP")
paul_checkpoint = grader.fresh_checkpoint()

send(paul_topic, *[("paul", t) for t in ("11:00:00", "11:00:50", "11:01:40", "11:02:30")])
run(impatient_sessions(paul), paul_checkpoint)

# %% [markdown]
# His session runs from 11:00:00 to 11:03:30. The watermark is 11:02:00, so the session is still open. Now a page view of
# 11:00:30 arrives, from the middle of this very session. Will it count? Predict, then run.

# %%
send(paul_topic, ("paul", "11:00:30"))
run(impatient_sessions(paul), paul_checkpoint)

# %% [markdown]
# Dropped, although the session that contains it is open! Before Spark looks for sessions to merge, it looks at the event
# alone: 11:00:30 claims a minute, until 11:01:30, and the watermark was later than that. So
#
# > An event is late for a session window if event time + its gap ≤ the watermark of the previous micro-batch.
#
# In this course a step that advances the watermark ends with a no-data batch. So this is the watermark after the
# previous step.
#
# An open session saves no one. With a tumbling window, the interval that decides is the window itself, which is the same
# for all its events. That is why the question did not come up in lesson 03.
#
# ## Exercise 08.2: A late event that merges two sessions
#
# Now you make the events. This is the query, with the short delay:


# %% nbgrader={"grade": false, "grade_id": "given-join_two", "locked": true, "solution": false}
def query_of_08_2(pages: DataFrame) -> DataFrame:
    return (
        pages.withWatermark("time", "30 seconds")
        .groupBy(F.session_window("time", "1 minute"), "user")
        .agg(F.count("*").alias("pages"))
    )


# %% [markdown]
# Make two sessions become one. Write `join_two()`.
#
# **Input** · none.
#
# **Output** · a list of steps. A step is the list of the page views that arrive before one run of the query. A page view
# is a dict with a user and a time such as `"12:00:00"`. These are two steps with one page view each:
#
#     [[{"user": "mia", "time": "12:00:00"}],
#      [{"user": "noa", "time": "12:00:40"}]]
#
# **Rules**
#
# 1. After step 1, **two** sessions are in state.
# 2. A page view of step 2 merges them. After step 2, **one** session is in state: the merged session, or the session
#    of the page view that has closed it.
# 3. The whole run emits exactly **one** row, and it counts **3** pages.
# 4. No page view is dropped.
# 5. The emitted row has a user.
# 6. There are at most **four** page views.
#
# **Checked** · the check runs the query once per step on real Spark. It counts the sessions in state after steps 1 and
# 2, the emitted rows, the dropped rows and the page views.
#
# Take a sheet of paper first, and draw the claims as bars. The lens takes your page views, too:
# `grader.lens("08.2", join_two)`.


# %% nbgrader={"grade": false, "grade_id": "join_two", "locked": false, "solution": true}
def join_two() -> list[list[dict]]:
    """Page views by step, so that two sessions become one."""
    ### BEGIN SOLUTION
    return [
        [{"user": "mia", "time": "12:00:00"}, {"user": "mia", "time": "12:01:20"}],
        [{"user": "mia", "time": "12:00:40"}],
        [{"user": "noa", "time": "12:10:00"}],
    ]
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-join_two", "locked": true, "points": 3, "solution": false}
grader.check("08.2", join_two)

# %%
grader.lens("08.2", join_two)

# %% [markdown]
# ## Output modes for session windows
#
# Append waits. The people at the front desk would rather see a session as it grows. That is what *update mode* is for:
# each micro-batch emits the rows that changed, and a sink replaces the old rows. Try it:

# %%
try:
    run(sessions(pages), grader.fresh_checkpoint(), mode="update")
except Exception as error:
    print(str(error).splitlines()[0])

# %% [markdown]
# Rejected. *Which* old row would the new row replace? After step 1 mia had a row that begins at 10:00:00 and another
# that begins at 10:02:20. After step 2 one of them is longer, and the other must be removed. Update mode has no way to
# say "remove that row". And *complete* mode, which writes the whole result each time?

# %%
again_topic, again = kafka.unique_topic("again"), grader.fresh_checkpoint()
again_pages = grader.read_topic(again_topic, "user STRING, time TIMESTAMP")
for views in ([("mia", "10:00:00")], [("noa", "10:30:00")], [("kim", "11:00:00")]):
    send(again_topic, *views)
    run(sessions(again_pages), again, mode="complete")

# %% [markdown]
# | mode | session windows |
# | --- | --- |
# | `append` (the default) | runs, and needs a watermark; emits each session once, when it has closed |
# | `update` | rejected before the query starts |
# | `complete` | runs, emits every session in every micro-batch, and never evicts one |
#
# Complete mode must emit mia's session forever, so it keeps the session forever, whatever the watermark is. It still
# drops late rows, which it does not do with the windows of lesson 04. Complete mode has no no-data batches, so
# everything happens one step later than in append mode. In step 3 the watermark was that of the events up to step 2,
# and a row would be late by that of step 1. Complete mode is for small streams that end.

# %% [markdown]
# ## Exercise 08.3: Repair sessions per device and user: whose tablet is it?
#
# A session always has an owner: on a stream Spark requires at least one grouping key besides `session_window`, and there
# may be more. Two tablets are in the shop's café, and guests tap on them without signing in. This is the pipeline:


# %% tags=["given"]
def to_sessions_topic(sessions: DataFrame, kafka) -> DataStreamWriter:
    """A writer to the topic `sessions`, not started: the key is the device, the value JSON."""
    columns = F.struct("device", "user", "began", "last_tap", "taps")
    value = F.to_json(columns, {"ignoreNullFields": "false"})
    return (
        sessions.select(F.col("device").alias("key"), value.alias("value"))
        .writeStream.format("kafka")
        .option("kafka.bootstrap.servers", kafka.bootstrap_servers)
        .option("topic", kafka.topic("sessions"))
    )


# %%
def device_sessions_as_it_is(taps: DataFrame, kafka) -> DataStreamWriter:
    sessions = (
        taps.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", "30 minutes"), "device")
        .agg(F.min_by("user", "event_time").alias("user"), F.count("*").alias("taps"))
        .withColumn("began", F.col("session_window.start"))
        .withColumn("last_tap", F.col("session_window.end"))
    )
    return to_sessions_topic(sessions, kafka).outputMode("update")


grader.lens("08.3", device_sessions_as_it_is)

# %% [markdown]
# There are three complaints. Since the mode was set to update, Spark does not start the query. Before that, people in
# the café said that ben's taps appeared under ana's name, because she had used the tablet before him. And everyone
# seemed to stay half an hour longer than they did.
#
# Repair the pipeline. Write `device_sessions(taps, kafka)`.
#
# **Input** · `taps`: `device STRING`, `user STRING`, `event_time TIMESTAMP`; `kafka`, for `to_sessions_topic`. `user` is
# null for guests. No other column is null.
#
# **Output** · the writer of `to_sessions_topic`, with your output mode, that has not been started. It takes the columns
# `device`, `user` (null for guests), `began` and `last_tap` (the times of the first and the last tap), and `taps` (their
# number).
#
# **Rules**
#
# 1. A session belongs to **one device and one user**.
# 2. All guests on one device count as one user. Guests on two devices are two users.
# 3. A tap up to **30 minutes** after the previous one, exactly 30 included, belongs to the same session.
# 4. `last_tap` is the time of the last tap, not the end of the session.
# 5. Taps may be **10 minutes** late: this is the delay of the watermark.
# 6. Emit each session once, as soon as it is final: when the watermark reaches the last tap plus 30 minutes.
#
# **You can assume** · no user is named `guest`, and no name is empty.
#
# **Checked** · rows, which count more than half; the step of each row, the watermark after each step, dropped rows, rows
# in state.

# %%
grader.predict("08.3")


# %% nbgrader={"grade": false, "grade_id": "device_sessions", "locked": false, "solution": true}
def device_sessions(taps: DataFrame, kafka) -> DataStreamWriter:
    """Sessions of a device and a user, each written once to the topic sessions. Not started."""
    ### BEGIN SOLUTION
    sessions = (
        taps.withWatermark("event_time", "10 minutes")
        .groupBy(F.session_window("event_time", "30 minutes"), "device", "user")
        .agg(
            F.min("event_time").alias("began"),
            F.max("event_time").alias("last_tap"),
            F.count("*").alias("taps"),
        )
    )
    return to_sessions_topic(sessions, kafka).outputMode("append")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-device_sessions", "locked": true, "points": 5, "solution": false}
grader.check("08.3", device_sessions)

# %%
grader.lens("08.3", device_sessions)

# %% [markdown]
# ## Read open sessions from the state store
#
# The front desk still wants to know who is in the shop *now*. The query does not emit that, but it knows: the open
# sessions are its state. You can read state with the `statestore` source (Spark 4.0+), as in lesson 02. Here is a query
# with a gap of five minutes and a delay of ten:


# %%
def shop_visits(pages: DataFrame) -> DataFrame:
    return (
        pages.withWatermark("time", "10 minutes")
        .groupBy(F.session_window("time", "5 minutes"), "user")
        .agg(F.count("*").alias("pages"))
    )


shop_topic, shop_checkpoint = kafka.unique_topic("shop"), grader.fresh_checkpoint()
shop_pages = grader.read_topic(shop_topic, "user STRING, time TIMESTAMP")
send(shop_topic, ("mia", "10:00:00"), ("mia", "10:03:00"), ("noa", "10:04:00"), ("mia", "10:08:30"))
run(shop_visits(shop_pages), shop_checkpoint)

state = spark.read.format("statestore").load(shop_checkpoint)
state.printSchema()
state.select("key.*", "value.*").show(truncate=False)

# %% [markdown]
# One row per session. The key is the user and the session's start, so one user can have several sessions. When two
# sessions merge, Spark removes one row and writes the other again. The key and the value both have a `user`, so the
# table has two columns of that name: write `key.user`.

# %% [markdown]
# ## Exercise 08.4: Who is in the shop?
#
# Tell the front desk who is in the shop, from a checkpoint of the query `shop_visits`. Write
# `open_visits(spark, checkpoint)`.
#
# **Input** · `spark`; `checkpoint`, the path of a checkpoint of `shop_visits`. The `user` of guests is null, and all
# guests are one user. Try your function on `shop_checkpoint`; the check uses other checkpoints.
#
# **Output** · a batch DataFrame with one row per visit that goes on. Its columns are `user`, `began`, `last_seen` and
# `pages`: the times of the first and the last page view, and their number.
#
# **Rules**
#
# 1. *Now* is the time of the newest page view of all users.
# 2. A visitor is in the shop if they were last seen at most five minutes before *now* (exactly five included).
#    A visitor who was last seen earlier has left, even if their visit is still in state.
# 3. `last_seen` is the time of the last page view, not the end of the session.
# 4. Do not merge two visits of a user: an earlier visit that is still in state changes neither `began` nor `pages`.
# 5. `pages` counts the page views of the visit.
# 6. Read the newest version of the state, in all partitions.
# 7. Guests count like any other user.
#
# **Checked** · the check calls your function after each step of a run, and compares the rows.

# %%
grader.predict("08.4")


# %% nbgrader={"grade": false, "grade_id": "open_visits", "locked": false, "solution": true}
def open_visits(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Visits that go on, from the state of shop_visits: user, began, last_seen, pages."""
    ### BEGIN SOLUTION
    state = spark.read.format("statestore").load(checkpoint)
    visits = state.select(
        F.col("key.user").alias("user"),
        F.col("value.session_window.start").alias("began"),
        F.expr("value.session_window.end - INTERVAL 5 MINUTES").alias("last_seen"),
        F.col("value.count").alias("pages"),
    )
    newest = visits.agg(F.max("last_seen").alias("newest"))
    return visits.crossJoin(newest).where("last_seen >= newest - INTERVAL 5 MINUTES").drop("newest")
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-open_visits", "locked": true, "points": 4, "solution": false}
grader.check("08.4", open_visits)

# %% [markdown]
# ## Fresh questions: drill session windows
#
# New small streams, and questions about them: what merges, and when does it close? A wrong choice is answered with the
# idea behind it. The questions become harder as you improve, and come back after some days.

# %%
grader.drill("sessions")

# %% [markdown]
# ## Recap: the facts
#
# Each event claims the interval from its time to its time plus its gap, and overlapping or touching claims of one key
# are one session. A session ends where its longest claim ends, and closes when the watermark reaches that end. An
# out-of-order event can merge two sessions. An event is late if its own claim ended at or before the watermark, even
# if the session that contains it is open. An event with a null, zero or invalid gap belongs to no session, and
# vanishes silently. The end of a session includes the gap, so it is not the time of the last event. A closed session
# is never opened again. So an event that is behind by more than the delay, and still not late, can begin a second,
# overlapping row. The state has one row per open session: the key and the start, with both edges and the aggregates.
#
# | output mode | session windows | state |
# | --- | --- | --- |
# | append | each session once, when it has closed | evicted by the watermark |
# | update | rejected | |
# | complete | all sessions in each micro-batch | never evicted |

# %% [markdown]
# ## What you can now do
#
# - group events into sessions that end with silence, per user, or per device and user;
# - calculate to the second when a session closes;
# - let each event choose its gap, and say what happens to an event without a gap;
# - explain how an event merges sessions, and which event is late;
# - say why update mode is rejected and what complete mode costs;
# - find open sessions in the state, and say which of them still go on.
#
# ## Read more
#
# - [Types of time windows](https://spark.apache.org/docs/latest/streaming/apis-on-dataframes-and-datasets.html#types-of-time-windows)
#   in Spark's Structured Streaming guide
# - [`session_window`](https://spark.apache.org/docs/latest/api/python/reference/pyspark.sql/api/pyspark.sql.functions.session_window.html)
#   in the PySpark reference
# - [State data source](https://spark.apache.org/docs/latest/streaming/structured-streaming-state-data-source.html), which
#   reads the state of a checkpoint
# - [SPARK-10816](https://issues.apache.org/jira/browse/SPARK-10816), which introduced session windows

# %%
grader.progress()

# %% [markdown]
# Next: **09 Arbitrary state**, for what no window can say.
#
# ---
#
# # Going further
#
# ## Exercise 08.5: One visit emitted as two overlapping sessions
#
# The team that reads the sessions complains: for one user there were two rows whose times *overlap*, and they think that
# is impossible. Show them that it is possible, with the query of 08.2:


# %% nbgrader={"grade": false, "grade_id": "given-visit_twice", "locked": true, "solution": false}
def query_of_08_5(pages: DataFrame) -> DataFrame:
    return (
        pages.withWatermark("time", "30 seconds")
        .groupBy(F.session_window("time", "1 minute"), "user")
        .agg(F.count("*").alias("pages"))
    )


# %% [markdown]
# Mia looks at pages at **12:00:00** and at **12:00:40** of the same day. Make her visit appear in two rows. Write
# `visit_twice()`.
#
# **Input** · none.
#
# **Output** · a list of steps, each a list of page views of that day, as in 08.2.
#
# **Rules**
#
# 1. A row of mia that **ends at 12:01:00** is emitted.
# 2. A row of mia that **begins at 12:00:40** is emitted.
# 3. No other row is emitted.
# 4. No page view is dropped.
# 5. There are exactly four page views. Fewer cannot do it.
#
# **Checked** · the check runs the query once per step on real Spark. It counts the rows of rules 1 and 2, all rows, the
# dropped rows and the page views.
#
# When is a page view not late, although its session has closed? You have seen the rule.


# %% nbgrader={"grade": false, "grade_id": "visit_twice", "locked": false, "solution": true}
def visit_twice() -> list[list[dict]]:
    """Page views by step, so that a visit of mia is emitted as two rows that overlap."""
    ### BEGIN SOLUTION
    return [
        [{"user": "mia", "time": "12:00:00"}],
        [{"user": "noa", "time": "12:01:45"}],
        [{"user": "mia", "time": "12:00:40"}],
        [{"user": "noa", "time": "12:02:30"}],
    ]
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "check-visit_twice", "locked": true, "points": 3, "solution": false}
grader.check("08.5", visit_twice)

# %%
grader.lens("08.5", visit_twice)

# %%
grader.progress()
