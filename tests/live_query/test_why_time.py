"""grader.why() on planted queries whose watermark decides: where it stands, who holds it, what moves it."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from testkit.planting import HOURS, Shop, await_idle, by_minute, click, clock, told

import grader

pytestmark = pytest.mark.slow
SOON = "50 milliseconds"
POLICY = "spark.sql.streaming.multipleWatermarkPolicy"


def window_open(shop: Shop) -> StreamingQuery:
    return shop.run(by_minute(shop.timed(shop.topic(click(5), click(65)))), every=SOON)


def last_window_open(shop: Shop) -> StreamingQuery:
    """The commonest question: rows are out, and the last window is not."""
    return shop.run(by_minute(shop.timed(shop.topic(click(5), click(75)))), "kafka")


def late_rows_beside_others(shop: Shop) -> StreamingQuery:
    topic = shop.topic(click(5), click(200))
    query = shop.run(by_minute(shop.timed(topic)), "kafka", every=SOON)
    shop.send(topic, click(6), click(7))
    query.processAllAvailable()
    return query


def all_late(shop: Shop) -> StreamingQuery:
    topic, checkpoint = shop.topic(click(5), click(3000)), grader.fresh_checkpoint()
    shop.run(by_minute(shop.timed(topic)), "kafka", checkpoint=checkpoint)
    shop.send(topic, click(5), click(6), click(7, "shoes"))
    return shop.run(by_minute(shop.timed(topic)), "kafka", checkpoint=checkpoint)


def one_event_a_day_ahead(shop: Shop) -> StreamingQuery:
    tomorrow = {"page": "home", "event_time": "2026-03-02T11:00:00Z"}
    topic, checkpoint = shop.topic(tomorrow), grader.fresh_checkpoint()
    shop.run(by_minute(shop.timed(topic)), "kafka", checkpoint=checkpoint)
    shop.send(topic, click(5))
    return shop.run(by_minute(shop.timed(topic)), "kafka", checkpoint=checkpoint)


def session_open(shop: Shop) -> StreamingQuery:
    clicks = shop.timed(shop.topic(click(5), click(30)))
    visits = clicks.groupBy(F.session_window("event_time", "1 minute"), "page").count()
    return shop.run(visits)


def chained_windows_open(shop: Shop) -> StreamingQuery:
    minutes = by_minute(shop.timed(shop.topic(click(5), click(75))))
    return shop.run(minutes.groupBy(F.window("window", "5 minutes")).count())


def function_given_no_window(shop: Shop) -> StreamingQuery:
    counts = by_minute(shop.timed(shop.topic(click(5))))
    return shop.run(counts, "", function=lambda batch, _: batch.count() and None)


def no_event_time(shop: Shop) -> StreamingQuery:
    wrong = {"page": "home", "event_time": "yesterday at noon"}
    return shop.run(by_minute(shop.timed(shop.topic(wrong, wrong))))


def sent(shop: Shop, topic: str, unit: Callable[[str], Any]) -> DataFrame:
    clicks = shop.clicks(topic, schema="page STRING, sent BIGINT")
    return clicks.withColumn("event_time", unit("sent")).withWatermark("event_time", "10 seconds")


def seconds_for_milliseconds(shop: Shop) -> StreamingQuery:
    topic = shop.topic({"page": "home", "sent": 1772366460}, {"page": "home", "sent": 1772366580})
    return shop.run(by_minute(sent(shop, topic, F.timestamp_millis)))


def milliseconds_for_seconds(shop: Shop) -> StreamingQuery:
    topic = shop.topic(
        {"page": "home", "sent": 1772366460000}, {"page": "home", "sent": 1772366580000}
    )
    return shop.run(by_minute(sent(shop, topic, F.timestamp_seconds)))


def next_trigger_closes(shop: Shop) -> StreamingQuery:
    query = shop.start(by_minute(shop.timed(shop.topic(click(5), click(75)))), every=HOURS)
    await_idle(query)
    return query


def closing_batch_missing(shop: Shop) -> StreamingQuery:
    """A trigger once runs no micro-batch after the one with the data."""
    counts = by_minute(shop.timed(shop.topic(click(5), click(75))))
    writer = counts.select(F.to_json(F.struct("*")).alias("value")).writeStream.format("kafka")
    writer = writer.option("kafka.bootstrap.servers", shop.running.kafka.bootstrap_servers)
    writer = writer.option("topic", shop.topic()).trigger(once=True)
    query = writer.option("checkpointLocation", grader.fresh_checkpoint()).start()
    shop.queries.append(query)
    query.awaitTermination()
    return query


def ended_without_a_checkpoint(shop: Shop) -> StreamingQuery:
    counts = by_minute(shop.timed(shop.topic(click(5))))
    writer = counts.writeStream.format("memory").queryName("no_checkpoint")
    query = writer.trigger(availableNow=True).start()
    shop.queries.append(query)
    query.awaitTermination()
    return query


def window_by_another_name(shop: Shop) -> StreamingQuery:
    clicks = shop.timed(shop.topic(click(5)))
    return shop.run(clicks.groupBy(F.window("event_time", "1 minute").alias("minute")).count())


def two(shop: Shop, web: str, kiosk: str) -> DataFrame:
    """Clicks of the web (10 seconds) and of a kiosk (a minute), counted by five minutes."""
    both = shop.timed(web).unionByName(shop.timed(kiosk, "1 minute"))
    return both.groupBy(F.window("event_time", "5 minutes")).count()


def topics(shop: Shop, web: list[int], kiosk: list[int]) -> tuple[str, str]:
    return (
        shop.topic(*map(click, web), name="web"),
        shop.topic(*map(click, kiosk), name="kiosk"),
    )


def kiosk_never_spoke(shop: Shop) -> StreamingQuery:
    return shop.run(two(shop, *topics(shop, [180, 1200], [])), "kafka", every=SOON)


def kiosk_fell_silent(shop: Shop) -> StreamingQuery:
    web, kiosk = topics(shop, [180], [120])
    query = shop.run(two(shop, web, kiosk), "kafka", every=SOON)
    shop.send(web, click(1200))
    query.processAllAvailable()
    return query


def kiosk_silent_since_the_start(shop: Shop) -> StreamingQuery:
    (web, kiosk), checkpoint = topics(shop, [180], [120]), grader.fresh_checkpoint()
    shop.run(two(shop, web, kiosk), "kafka", checkpoint=checkpoint)
    shop.send(web, click(1200))
    return shop.run(two(shop, web, kiosk), "kafka", checkpoint=checkpoint)


def both_move(shop: Shop) -> StreamingQuery:
    return shop.run(two(shop, *topics(shop, [660], [355])), "kafka", every=SOON)


def kiosk_filtered_before_its_watermark(shop: Shop) -> StreamingQuery:
    web, kiosk = topics(shop, [180], [120, 130])
    taps = shop.clicks(kiosk).where("page = 'Home'").withWatermark("event_time", "1 minute")
    both = shop.timed(web).unionByName(taps)
    return shop.run(both.groupBy(F.window("event_time", "5 minutes")).count(), "kafka")


def kiosk_without_times(shop: Shop) -> StreamingQuery:
    web = shop.topic(click(180), name="web")
    kiosk = shop.topic({"page": "home", "event_time": "noon"}, name="kiosk")
    return shop.run(two(shop, web, kiosk), "kafka")


def kiosk_in_another_unit(shop: Shop) -> StreamingQuery:
    """Lesson 03's watermark that never moves."""
    app = shop.topic({"page": "home", "sent": 1772366410000}, name="app")
    kiosk = shop.topic({"page": "home", "sent": 1772366460}, name="kiosk")
    both = sent(shop, app, F.timestamp_millis).unionByName(sent(shop, kiosk, F.timestamp_millis))
    return shop.run(both.groupBy(F.window("event_time", "5 minutes")).count(), "kafka")


def policy_max(shop: Shop) -> StreamingQuery:
    """The query keeps the policy with which it was started."""
    conf = shop.running.spark.conf
    conf.set(POLICY, "max")
    try:
        return shop.run(two(shop, *topics(shop, [180, 420], [])), "kafka", every=SOON)
    finally:
        conf.unset(POLICY)


def joined(shop: Shop, web: str, kiosk: str, kind: str = "inner") -> DataFrame:
    taps = shop.timed(kiosk).select(F.col("page").alias("tapped"), F.col("event_time").alias("at"))
    near = F.expr("page = tapped AND at BETWEEN event_time AND event_time + INTERVAL 1 HOUR")
    return shop.timed(web).join(taps, near, kind)


def join_without_match(shop: Shop) -> StreamingQuery:
    web, kiosk = shop.topic(click(5), name="web"), shop.topic(click(7, "hats"), name="kiosk")
    return shop.run(joined(shop, web, kiosk), "kafka")


def outer_join_waits(shop: Shop) -> StreamingQuery:
    web, kiosk = shop.topic(click(5), name="web"), shop.topic(click(7, "hats"), name="kiosk")
    return shop.run(joined(shop, web, kiosk, "left_outer"), "kafka")


def join_with_one_side(shop: Shop) -> StreamingQuery:
    return shop.run(joined(shop, *topics(shop, [5, 6], [])), "kafka", every=SOON)


Planted = Callable[[Shop], StreamingQuery]
# planted query → its cause, what the message says, what it does not say
CASES: dict[Planted, tuple[str, list[str], list[str]]] = {
    window_open: (
        "window_open",
        [
            "no row",
            "first of their windows ends at 12:01:00",
            "watermark is 12:00:55",
            "12:01:10 or later",
        ],
        ["policy", "again"],
    ),
    last_window_open: (
        "window_open",
        [
            "emitted 1 row (kafka.read",
            "1 row waits",
            "ends at 12:02:00",
            "12:02:10 or later",
            "again",
        ],
        ["policy"],
    ),
    late_rows_beside_others: (
        "window_open",
        ["emitted 1 row", "1 row dropped as late", "12:04:10 or later"],
        [],
    ),
    all_late: (
        "all_late",
        ["3 records", "2 rows", "groups, not events", "12:49:50", "of 12:00:07"],
        ["emitted 1"],
    ),
    one_event_a_day_ahead: (
        "all_late",
        ["watermark is 2026-03-02 10:59:50", "was of 2026-03-01 12:00:05"],
        [],
    ),
    session_open: ("window_open", ["ends at 12:01:30", "12:01:40 or later"], []),
    chained_windows_open: ("window_open", ["12:02:00", "12:02:10 or later"], []),
    function_given_no_window: (
        "window_open",
        ["1 record", "No window has left", "12:01:10 or later"],
        ["no row"],
    ),
    no_event_time: ("no_event_time", ["2 records", "`event_time`", "all are null"], ["policy"]),
    seconds_for_milliseconds: (
        "wrong_unit",
        ["1970-01-21", "seconds taken for milliseconds", "timestamp_seconds"],
        ["none yet"],
    ),
    milliseconds_for_seconds: (
        "wrong_unit",
        ["the year 58134", "milliseconds taken for seconds", "emitted 1 row"],
        [],
    ),
    next_trigger_closes: ("waiting_for_trigger", ["12:01:00", "12:01:05", "next trigger"], []),
    closing_batch_missing: (
        "ended",
        ["12:01:05", "12:01:00", "there was none", "same checkpoint"],
        ["availableNow"],
    ),
    ended_without_a_checkpoint: (
        "window_open",
        ["1 row waits in state", "11:59:55", "checkpointLocation"],
        ["condition", "ends at", "same checkpoint"],
    ),
    window_by_another_name: ("window_open", ["its window ends at 12:01:00"], []),
    kiosk_never_spoke: (
        "idle_source",
        [
            "kiosk-",
            "there is no watermark yet",
            "newest event 12:20:00",
            "12:06:00 or later to kiosk",
            "max",
        ],
        ["1140", "or later to web", "started again"],
    ),
    kiosk_fell_silent: (
        "window_open",
        ["that of kiosk-", "watermark is 12:01:00", "12:06:00 or later to kiosk", "12:19:50"],
        ["1140", "or later to web"],
    ),
    kiosk_silent_since_the_start: (
        "idle_source",
        [
            "watermark is 12:01:00",
            "12:05:10 or later to web",
            "12:06:00 or later to kiosk",
            "started again",
            "in one run",
        ],
        ["1140"],
    ),
    both_move: (
        "window_open",
        ["that of kiosk-", "12:04:55", "12:10:50", "12:11:00 or later to kiosk"],
        ["or later to web"],
    ),
    kiosk_filtered_before_its_watermark: (
        "idle_source",
        ["2 records came in from it, and none got as far as its withWatermark"],
        [],
    ),
    kiosk_without_times: ("no_event_time", ["No row of kiosk-", "holds back web-"], []),
    kiosk_in_another_unit: ("wrong_unit", ["newest event of kiosk-", "1970-01-21"], ["of app-"]),
    policy_max: (
        "window_open",
        [
            "emitted 1 row",
            "policy `max`",
            "12:10:10 or later to web",
            " or an event of 12:11:00 or later to kiosk",
        ],
        ["smallest"],
    ),
    join_without_match: ("no_match", ["2 rows wait in the state of the inner join", "keys"], []),
    outer_join_waits: ("no_match", ["left outer join", "without a partner"], []),
    join_with_one_side: ("idle_source", ["kiosk-", "an input of the join"], ["policy"]),
}


@pytest.mark.parametrize("planted", CASES, ids=lambda planted: planted.__name__)
def test_the_cause_is_named_with_the_times_of_the_run(planted: Planted, shop: Shop) -> None:
    reason, text = told(planted(shop))
    cause, said, unsaid = CASES[planted]
    assert reason.cause == cause
    for words in said:
        assert words in text
    for words in unsaid:
        assert words not in text


def asked(text: str) -> Iterator[tuple[str, int]]:
    """The events that a message asks for: topic, and second after 12 o'clock."""
    for minute, second, topic in re.findall(r"12:(\d\d):(\d\d) or later to ([\w-]+)", text):
        yield topic, int(minute) * 60 + int(second)


@pytest.mark.parametrize(
    "planted", [window_open, kiosk_never_spoke, kiosk_fell_silent, both_move, policy_max]
)
def test_the_event_that_is_asked_for_lets_the_window_out_and_none_before_it(
    planted: Planted, shop: Shop
) -> None:
    query = planted(shop)
    before = out(query)
    topic, second = next(asked(told(query)[0].do))
    shop.send(topic, click(second - 1))
    query.processAllAvailable()
    assert out(query) == before, clock(second - 1)
    shop.send(topic, click(second))
    query.processAllAvailable()
    assert out(query) > before, clock(second)


def test_a_session_comes_out_with_the_event_that_is_asked_for(shop: Shop) -> None:
    topic = shop.topic(click(5), click(30))
    clicks = shop.timed(topic)
    visits = clicks.groupBy(F.session_window("event_time", "1 minute"), "page").count()
    query = shop.run(visits, every=SOON)
    ((_, second),) = asked(told(query)[0].do)
    shop.send(topic, click(second - 1, "shoes"))
    query.processAllAvailable()
    assert out(query) == 0
    shop.send(topic, click(second, "shoes"))
    query.processAllAvailable()
    assert out(query) == 1


def test_after_a_restart_both_streams_must_speak_in_one_run(shop: Shop) -> None:
    (web, kiosk), checkpoint = topics(shop, [180], [120]), grader.fresh_checkpoint()
    shop.run(two(shop, web, kiosk), "kafka", checkpoint=checkpoint)
    shop.send(web, click(1200))
    query = shop.run(two(shop, web, kiosk), "kafka", checkpoint=checkpoint)
    wanted = dict(asked(told(query)[0].do))
    assert wanted.keys() == {web, kiosk}
    shop.send(kiosk, click(wanted[kiosk]))  # the kiosk alone does not move it
    assert out(shop.run(two(shop, web, kiosk), "kafka", checkpoint=checkpoint)) == 0
    for topic, second in wanted.items():
        shop.send(topic, click(second))
    assert out(shop.run(two(shop, web, kiosk), "kafka", checkpoint=checkpoint)) == 1


def out(query: StreamingQuery) -> int:
    return sum(progress["sink"]["numOutputRows"] for progress in query.recentProgress)
