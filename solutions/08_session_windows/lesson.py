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
# How long does a visit to the shop last? No clock in the shop knows. A visit begins when somebody
# does something, goes on while they keep doing things, and is over when they have been silent for
# a while. Windows of five minutes cut through it wherever five minutes happen to end.
#
# A **session window** grows with the events. Each event claims some time for itself: from its own
# moment on, as long as the silence may last, the *gap*. Where claims of one user overlap or touch,
# they are one session. So a session's edges are known only when no further event can touch them.
#
# In this lesson you
#
# - see sessions grow, merge and close, and say to the second when one comes out,
# - let each event choose its own gap,
# - make an event that comes out of order join two sessions into one,
# - repair a pipeline that Spark refuses, and that would be wrong if it did not,
# - find the visits that are still going on in the state of a query.
#
# Plan an hour and forty minutes. At the end, in *Going further*, stands a puzzle that nothing later needs.

# %% tags=["given"]
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

import grader

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## One visitor, live
#
# A gap of one minute, a watermark two minutes behind the newest page view. The mode is *append*, as
# in lesson 03: a row comes out once, when it is final.


# %% tags=["example"]
def sessions(pages: DataFrame) -> DataFrame:
    return (
        pages.withWatermark("time", "2 minutes")
        .groupBy(F.session_window("time", "1 minute"), "user")
        .agg(F.count("*").alias("pages"))
    )


# %% [markdown]
# We send page views in a few goes, and run the query once after each, always on the same checkpoint:
#
# | run | page views |
# | --- | --- |
# | 1 | mia 10:00:00, mia 10:00:45, mia 10:02:20 |
# | 2 | mia 10:01:30 (it was stuck in her phone) |
# | 3 | noa 10:05:19 |
# | 4 | noa 10:05:20 |
#
# **Bet before you run.** `grader.predict("08.0", state=…, rows=…)` takes your answers.

# %%
grader.predict("08.0")

# %% [markdown]
# Two helpers for this lesson: `send` sends page views, `run` takes in what is there and tells what
# came of it.


# %%
def send(topic: str, *views: tuple) -> None:
    """Send a page view for each (user, time of day); what a third place holds is its gap."""
    kafka.send(
        topic,
        [
            {"user": user, "time": f"2026-03-01T{time}Z", "gap": gap[0] if gap else None}
            for user, time, *gap in views
        ],
    )


def run(visits: DataFrame, checkpoint: str, mode: str = "append") -> None:
    """Run a query over what is in its topic now; say what was dropped and kept, and what came out."""
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
# Two sessions: 10:00:00 to 10:01:45 with two pages, and 10:02:20 to 10:03:20 with one. Both are
# kept, for the watermark stands at 10:00:20 and things can still change. Things do:

# %%
send(pages_topic, ("mia", "10:01:30"))
run(sessions(pages), checkpoint)

# %% [markdown]
# It claims 10:01:30 to 10:02:30 and overlaps both. Two sessions became one: an event that comes out of order does not
# merely add to a count here, it can **merge** what had been apart. Now somebody else, at 10:05:19, and again a second
# later:

# %%
send(pages_topic, ("noa", "10:05:19"))
run(sessions(pages), checkpoint)

# %%
send(pages_topic, ("noa", "10:05:20"))
run(sessions(pages), checkpoint)

# %% [markdown]
# ## When does a session close?
#
# Mia's last page view was at 10:02:20, so nothing more than a minute of silence was needed: her session
# *ends* at 10:03:20. But it *closed*, and came out, only when the watermark had reached that end. Two things
# must happen, in this order:
#
# 1. a gap goes by after the session's last event, in **event time**: that is the session's end;
# 2. the **watermark** reaches this end. Somebody, anybody, must send an event that is newer than the end by the
#    delay.
#
# > a session closes when newest event time − delay ≥ its end (with one gap for all: last event + gap)
#
# Here: 10:05:20 − 2 minutes = 10:03:20. At 10:05:19 a second was lacking, and it might have lacked for a
# week: the clock on the wall does not matter. And noa's events close mia's session. There is one watermark for
# the whole query, not one for each user.
#
# Had a page view of mia of 10:03:20, exactly a minute after her last one, come before that, it would still have touched
# her session and lengthened it; one of 10:03:21 would have opened another. Now both would open one: what is closed is
# not opened again.
#
# The same run as a picture, with two steps more; a bar is a session as it was kept after the step.
# Look at step 2: its dot falls between those of step 1, and two bars become one.
#
# ![Page views in six steps: three of mia, then one that falls between them and makes one session of two; noa's of 10:05:19 closes nothing, that of 10:05:20 lets mia's session out with 4 pages in step 4; a late page view of mia is crossed out in step 5, and noa's session comes out in step 6 with 3.](08.0.svg)

# %% [markdown]
# Play with it: make the gap two minutes, and see whose sessions grow together; take a page view away, and see one
# fall into two. *Ask Spark* plays the same on the broker.

# %%
grader.explore("08.0")

# %% [markdown]
# ## A silence that depends
#
# One gap for everything is crude. A page that says "still open" every three seconds is gone after
# five seconds of silence. Someone who scrolls may rest for twenty. Someone who began to read an
# article may be quiet for minutes. `F.session_window` takes a *column* for the gap, say `F.col("gap")`, computed from each
# event; its values are texts such as `"5 seconds"`. (A plain string is a duration, the same for all, and not a column's
# name.) Each event then claims time by its own measure. The session ends where the *longest* of these claims ends: a
# short one never cuts a longer one.
#
# ## Exercise 08.1: visits
#
# `events` has `user_id`, `event_type` and `event_time`; every event has a user. The silence after it may last
#
# | event type | gap |
# | --- | --- |
# | 1 (still open) | 5 seconds |
# | 2 (scrolled) | 20 seconds |
# | anything else, a missing type included | 5 minutes |
#
# Events may arrive **10 minutes** late. Write `visits`: one row for each visit of each user, with
# the columns `session_window`, `user_id` and `events` (how many). The check runs it in append mode.
#
# A question first. After step 1 of the check there are
#
# - two visits of ana and two of ben, all over by 12:00:41,
# - one of cleo, until 12:06:00,
# - two of dora, 12:02:00 to 12:02:20 and 12:02:30 to 12:02:50.
#
# Step 2 brings dora's event of 12:02:15, of type 2, and two new ones of ana, of 12:10:00 and 12:15:03.
# How many rows come out in step 2?

# %%
grader.predict("08.1")


# %% nbgrader={"grade": false, "grade_id": "visits", "locked": false, "solution": true}
def visits(events: DataFrame) -> DataFrame:
    """Visits of each user, ended by a silence that depends on the type of the event.

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
# Did you see step 4? Two events arrive there that are both behind the watermark, and only the one
# that is *less* old is dropped. Keep that in mind; the reason comes below.
#
# ## Gaps that are no gaps
#
# A gap that is computed can come out as anything. What becomes of an event whose gap is null, zero, less
# than zero, or no duration at all? The next cell sends these four and one with a good gap. Read it, and write down which
# of the five you expect to see again, and where the watermark will stand. Then run it.

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
# Five came in, one session is kept, and none counts as dropped. An event that claims no time belongs to
# no session, and it vanishes without an error, a warning or a number. Yet it moved the watermark, to two
# minutes behind 10:02:30. So close every chain of `when` with an `otherwise`, and count what has no gap
# before you group. Spark does not look at a constant gap any closer: with `F.session_window("time", "0 seconds")`
# the query runs, and nothing ever comes out.
#
# ## Too late for what?
#
# A windowed count takes an old event as long as its window is open (lesson 03: 12:03:00 was older than the
# watermark and counted). Is it the same with sessions? Here is a more impatient query, with a delay of 30 seconds
# and the same gap of a minute. Paul looks at a page every 50 seconds, and one of his page views is late.


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
# His session runs from 11:00:00 to 11:03:30; the watermark stands at 11:02:00, so it is kept, and open. Now comes
# a page view of 11:00:30, from the middle of this very session. Will it count? Bet, then run.

# %%
send(paul_topic, ("paul", "11:00:30"))
run(impatient_sessions(paul), paul_checkpoint)

# %% [markdown]
# Dropped, though the session that it falls into is open! Before Spark looks for sessions to join, it looks at the
# event alone: 11:00:30 claims a minute, until 11:01:30, and the watermark was past that. So
#
# > an event is too late for a session window when event time + its gap ≤ the watermark of the batch before
# > (here: as it stood when the step before was done, as a step that moves it ends with a batch without data).
#
# An open session saves nobody. With a window of fixed length, the event's claim and the window are the same
# thing, and that is why the question did not come up in lesson 03.
#
# ## Exercise 08.2: the late row that joins two sessions
#
# Now you make the events. The query is the impatient one:


# %% nbgrader={"grade": false, "grade_id": "given-join_two", "locked": true, "solution": false}
def query_of_08_2(pages: DataFrame) -> DataFrame:
    return (
        pages.withWatermark("time", "30 seconds")
        .groupBy(F.session_window("time", "1 minute"), "user")
        .agg(F.count("*").alias("pages"))
    )


# %% [markdown]
# Write page views, by step, with which
#
# - **two** sessions are kept after step 1,
# - a page view in step 2 joins them, and **one** session is kept after step 2,
# - exactly **one** row comes out in the whole run, with **3** pages,
# - nothing is dropped, and there are no more than four page views.
#
# Return a list of steps; a step is the list of the page views that come before one run of the query. A page view is a
# dict with a user and a time; a time such as `"12:00:00"` is enough. This, say, are two steps with a page view each:
#
#     [[{"user": "mia", "time": "12:00:00"}],
#      [{"user": "noa", "time": "12:00:40"}]]
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
# ## Why not tell sooner?
#
# Append waits. The people at the front desk would rather see a session as it grows. That is what *update mode* is
# for: each batch tells the rows that changed, and a sink puts them in place of the old ones. Try it:

# %%
try:
    run(sessions(pages), grader.fresh_checkpoint(), mode="update")
except Exception as error:
    print(str(error).splitlines()[0])

# %% [markdown]
# Refused. In place of *which* old row would the new one go? After run 1 mia had a row that begins at 10:00:00 and
# one that begins at 10:02:20; after run 2 one of them is longer and the other one must go. Update mode has no way to
# say "forget that one". And *complete* mode, which writes the whole result each time?

# %%
again_topic, again = kafka.unique_topic("again"), grader.fresh_checkpoint()
again_pages = grader.read_topic(again_topic, "user STRING, time TIMESTAMP")
for views in ([("mia", "10:00:00")], [("noa", "10:30:00")], [("kim", "11:00:00")]):
    send(again_topic, *views)
    run(sessions(again_pages), again, mode="complete")

# %% [markdown]
# | mode | session windows |
# | --- | --- |
# | `append` (where none is set) | runs, and needs a watermark; each session once, when it is closed |
# | `update` | refused before it starts |
# | `complete` | runs, tells every session in every batch, and never forgets one |
#
# Complete has to tell mia's session for ever, so it keeps it for ever, whatever the watermark says. What comes too late it
# drops all the same, which it does not with the windows of lesson 04. And it runs no batch without data, so all this is a
# run later than in append mode: each run showed the watermark of the events before it, and dropped by the one before
# that. Complete is for small streams that end.
#
# ## Exercise 08.3: whose tablet is it?
#
# Sessions are always somebody's: on a stream Spark wants at least one key beside `session_window`. It may be more than one.
# Two tablets lie in the shop's café, and guests tap on them without signing in. A session there belongs to **one
# device and one user**. This is the pipeline:


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
# Three complaints have come in. Since somebody set the mode to update, Spark will not start it. As long as it ran, the
# people in the café said that ben's taps came out under ana's name, when she had the tablet before him. And everybody
# seemed to stay half an hour longer than they did.
#
# Repair it. **In:** the stream `taps` with `device` (every tap has one), `user` (null for guests) and `event_time`, and
# `kafka` for `to_sessions_topic`. Taps may be **10 minutes** late. A tap up to **30 minutes** after the one before, exactly
# 30 included, belongs to the same session, as `session_window` has it. All guests on one device count as one user.
# **Out:** the writer that `to_sessions_topic` makes, with the output mode that is right, not started. It takes the columns
#
# - `device`, `user` (null for guests),
# - `began` and `last_tap`, the times of the first and of the last tap,
# - `taps`, how many there were.
#
# Each session is told once, as soon as it is final.

# %%
grader.predict("08.3")


# %% nbgrader={"grade": false, "grade_id": "device_sessions", "locked": false, "solution": true}
def device_sessions(taps: DataFrame, kafka) -> DataStreamWriter:
    """Sessions of a device and a user, each told once to the topic sessions. Not started."""
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
# ## Where the open sessions are
#
# The front desk still wants to know who is in the shop *now*. The query will not tell, but it knows: open sessions are
# its state, and you can read that (lesson 02). Here is a query with a gap of five minutes and a delay of ten:


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
# A row for each session. The key is the user and the session's start, so that one user can have several; when two merge,
# one of the rows goes and the other is written anew. (`user` stands in the key and in the value, so the table has two columns
# of that name: say `key.user`.)
#
# ## Exercise 08.4: who is in the shop?
#
# Write a function that reads from a checkpoint of this query who is in the shop. `shop_checkpoint` is one for you to
# look around in; the check brings others, and calls your function after each step.
#
# **Now** is the newest page view of all. In the shop is who was *last* seen no more than five minutes before now (exactly
# five still count: a page view of this very moment would still go into that visit). Who was last seen earlier has left,
# though the state may still hold the visit.
#
# **In:** `spark`, and `checkpoint`, a path. **Out:** for each visit that goes on `user`, `began`, `last_seen` (the times of
# its first and its last page view) and `pages`, how many there were. A batch DataFrame of Spark, not a stream.

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
# ## Fresh questions
#
# Small streams that nobody has seen before, and questions about them: what grows together, and when does
# it close? A wrong choice is answered with the idea behind it. The questions grow harder with you, and
# come back after some days.

# %%
grader.drill("sessions")

# %% [markdown]
# ## What you can now do
#
# - group events into sessions that end with silence, for each user, or for each device and user;
# - say to the second when a session closes: the latest end of its events' claims is its end, and the watermark must reach it;
# - let each event choose its gap, and know what becomes of an event without one;
# - explain how an event merges sessions, and which event is too late: what counts is its own claim, not the session
#   that it falls into;
# - say why update mode is refused and what complete mode costs;
# - find open sessions in the state, and tell which of them still go on.

# %%
grader.progress()

# %% [markdown]
# Next: **09 Arbitrary state**, for what no window can say.
#
# ---
#
# # Going further
#
# ## Exercise 08.5: the visit that came out twice
#
# The team that reads the sessions complains: of one user there were two rows whose times *overlap*. That cannot be, they
# say. Show them that it can, with the impatient query of 08.2:


# %% nbgrader={"grade": false, "grade_id": "given-visit_twice", "locked": true, "solution": false}
def query_of_08_5(pages: DataFrame) -> DataFrame:
    return (
        pages.withWatermark("time", "30 seconds")
        .groupBy(F.session_window("time", "1 minute"), "user")
        .agg(F.count("*").alias("pages"))
    )


# %% [markdown]
# Mia looks at pages at **12:00:00** and at **12:00:40** of the same day. Write page views of that day, by step, with which
#
# - a row of mia comes out that **ends at 12:01:00**,
# - and a row of mia that **begins at 12:00:40**,
# - no other row comes out, and nothing is dropped,
# - there are four page views in all (fewer cannot do it).
#
# When is a page view not too late, although its session is gone? You have seen the rule.


# %% nbgrader={"grade": false, "grade_id": "visit_twice", "locked": false, "solution": true}
def visit_twice() -> list[list[dict]]:
    """Page views by step, so that a visit of mia comes out in two rows that overlap."""
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
