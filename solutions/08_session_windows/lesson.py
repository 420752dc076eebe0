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
# moment on, as long as the silence may last, the *gap*. Where claims of one user overlap, they are
# one session. So a session's edges are known only when no further event can touch them.

# %% tags=["given"]
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import grader

# %% tags=["start"]
spark, kafka = grader.start()

# %% [markdown]
# ## One visitor, live
#
# A gap of one minute, a watermark of two. `grader.run_once` lets the query take in what the topic holds
# now, and prints what it keeps.


# %% tags=["example"]
def sessions(pages: DataFrame) -> DataFrame:
    return (
        pages.withWatermark("time", "2 minutes")
        .groupBy(F.session_window("time", "1 minute"), "user")
        .agg(F.count("*").alias("pages"))
    )


# %%
pages_topic = kafka.create_topic("lesson08-pages")
visits_topic = kafka.create_topic("lesson08-visits")
checkpoint = grader.fresh_checkpoint()

pages = grader.read_topic(pages_topic, "user STRING, time TIMESTAMP")

kafka.send(
    pages_topic,
    [
        {"user": "mia", "time": "2026-03-01T10:00:00Z"},
        {"user": "mia", "time": "2026-03-01T10:00:45Z"},
        {"user": "mia", "time": "2026-03-01T10:02:20Z"},
    ],
)
grader.run_once(sessions(pages), visits_topic, checkpoint)

# %% [markdown]
# Two sessions: 10:00:00 to 10:01:45 with two pages, and 10:02:20 to 10:03:20 with one. Both are
# kept, for the watermark stands at 10:00:20 and things can still change. Things do. A page view
# that was stuck in mia's phone arrives:

# %%
kafka.send(pages_topic, [{"user": "mia", "time": "2026-03-01T10:01:30Z"}])
grader.run_once(sessions(pages), visits_topic, checkpoint)

# %% [markdown]
# It claims 10:01:30 to 10:02:30 and overlaps both. Three became one: a late event does not merely
# add to a count here, it can **merge** what had been apart. That is why a session in append mode
# waits for the watermark to pass its end, and why the delay must be what your data needs. Now
# somebody else, five minutes on:

# %%
kafka.send(pages_topic, [{"user": "noa", "time": "2026-03-01T10:07:00Z"}])
grader.run_once(sessions(pages), visits_topic, checkpoint)
kafka.read(visits_topic)

# %% [markdown]
# One visit with four pages, from 10:00:00 to 10:03:20.
#
# Here is the run as a picture, with two steps more; a bar shows a session as it was in the end. Look at
# step 2: its dot falls between those of step 1, and the state goes from two rows to one.
#
# ![Page views in five steps: three of mia, then one that falls between them and makes one session of two; it comes out in step 3 with 4 pages, when the watermark reaches 10:05:00, noa's in step 5 with 2, and a late page view of mia is crossed out in step 4.](08.0.svg)
#
# ## A silence that depends
#
# One gap for everything is crude. A page that says "still open" every three seconds is gone after
# five seconds of silence. Someone who scrolls may rest for twenty. Someone who began to read an
# article may be quiet for minutes. `F.session_window` takes a *column* for the gap, computed from
# each event, and each event then claims time by its own measure.
#
# ## Your turn: visits
#
# `events` has `user_id`, `event_type` and `event_time`. The silence after an event may last
#
# | event type | gap |
# | --- | --- |
# | 1 (still open) | 5 seconds |
# | 2 (scrolled) | 20 seconds |
# | anything else, a missing type included | 5 minutes |
#
# Events may arrive **10 minutes** late. Write `visits`: one row for each visit of each user, with
# the columns `session_window`, `user_id` and `events` (how many).
#
# A question first. After step 1 of the check there are
#
# - two visits of ana and two of ben, all over by 12:00:41,
# - one of cleo, until 12:06:00,
# - two of dora, 12:02:00 to 12:02:20 and 12:02:30 to 12:02:50.
#
# Step 2 brings dora's event of 12:02:15, of type 2, and two new ones of ana, the newest of 12:15:03.
# How many rows come out in step 2?

# %%
grader.predict("08.1", rows=7)

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
# that is *less* old is dropped. What Spark compares with the watermark is the end of the time that
# an event claims. Five seconds were over, five minutes were not.
#
# ## What you can now do
#
# - group events into sessions that end with silence, for each user;
# - let each event choose its gap;
# - explain how a late event merges sessions, and why a session waits for the watermark;
# - say which old event is late and which is not.
