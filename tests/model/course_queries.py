"""The course's answers, right and wrong, as queries for the model."""

from __future__ import annotations

from grader.model.expressions import Column, Expression, call, col
from grader.model.query import (
    Aggregate,
    Deduplicate,
    Filter,
    Fold,
    Interval,
    Join,
    Key,
    Node,
    Project,
    Query,
    SessionWindow,
    Source,
    TimeWindow,
    Union,
    Watermark,
)
from grader.scenario import Exercise

COUNT = Fold("count")


def source(exercise: Exercise, input: str) -> Source:
    """An input of an exercise, as the answer gets it."""
    parts = exercise.inputs[input].schema.lower().split(", ")
    return Source(input, dict(part.split(" ") for part in parts))  # type: ignore[misc]


def columns(*names: str, **more: Expression) -> dict[str, Expression]:
    return {name: Column(name) for name in names} | more


def counted(rows: Node, name: str, **keys: Key) -> Aggregate:
    return Aggregate(rows, keys, {name: COUNT})


def by_window(rows: Node, duration: str, *keys: str, delay: str | None) -> Aggregate:
    timed = rows if delay is None else Watermark(rows, "event_time", delay)
    window: dict[str, Key] = {"window": TimeWindow("event_time", duration)}
    return Aggregate(timed, {**window, **columns(*keys)}, {"clicks": COUNT})


def both(left: Node, right: Node, left_delay: str, right_delay: str) -> Union:
    return Union(
        Watermark(left, "event_time", left_delay), Watermark(right, "event_time", right_delay)
    )


def dated(rows: Source, time: Expression) -> Project:
    return Project(rows, columns("page", event_time=time))


def dated_both(app: Source, kiosk: Source, of_app: Expression, of_kiosk: Expression) -> Node:
    return both(dated(app, of_app), dated(kiosk, of_kiosk), "10 seconds", "1 minute")


def fives(rows: Node) -> Node:
    return counted(rows, "clicks", window=TimeWindow("event_time", "5 minutes"))


MILLIS = call("timestamp_millis", col("sent"))
SECONDS = call("timestamp_seconds", col("sent"))


def hourly(
    clicks: Node,
    *,
    delay: str = "10 minutes",
    within: bool = True,
    by: str = "window",
    once: tuple[str, ...] = ("event_id",),
) -> Node:
    """The clicks by hour and page of 02.4."""
    timed: Node = Watermark(clicks, "event_time", delay)
    if once:
        timed = Deduplicate(timed, once, within)
    if by == "hour":
        hour = call("date_trunc", "hour", col("event_time"))
        return Aggregate(timed, {"hour": hour, "page": col("page")}, {"clicks": COUNT})
    groups = Aggregate(
        timed,
        {"window": TimeWindow("event_time", "1 hour"), "page": col("page")},
        {"clicks": COUNT},
    )
    return Project(groups, columns("page", "clicks", hour=col("window.start")))


def averages(events: Node, delay: str) -> Node:
    """05.1: the average of each user's ten-minute counts, by hour."""
    tens: dict[str, Key] = {"window": TimeWindow("event_time", "10 minutes")}
    counts = counted(Watermark(events, "event_time", delay), "count", **tens, **columns("user_id"))
    hours: dict[str, Key] = {"window": TimeWindow("window", "1 hour")}
    return Aggregate(
        counts, {**hours, **columns("user_id")}, {"average": Fold("avg", col("count"))}
    )


def hours(events: Node, duration: str, slide: str | None, result: Expression) -> Node:
    """05.1 with one window only."""
    window: dict[str, Key] = {"window": TimeWindow("event_time", duration, slide)}
    groups = counted(
        Watermark(events, "event_time", "1 minute"), "n", **window, **columns("user_id")
    )
    return Project(groups, columns("window", "user_id", average=result))


def ads(
    shown: Node,
    clicked: Node,
    *,
    kind: str = "left",
    delays: tuple[str, str] = ("2 hours", "3 hours"),
    window: str = "impression_time",
    count: str | None = "click_time",
    lower: str = "0 seconds",
) -> Node:
    """06.1: clicks by ad and hour of the impression."""
    joined = Join(
        Watermark(shown, "impression_time", delays[0]),
        Watermark(clicked, "click_time", delays[1]),
        kind,
        {"ad_id": "clicked_ad_id"},
        Interval("impression_time", "click_time", lower, "1 hour"),
    )
    keys: dict[str, Key] = {"window": TimeWindow(window, "1 hour"), "ad_id": col("ad_id")}
    return Aggregate(joined, keys, {"clicks": Fold("count", col(count) if count else None)})


GAP = call(
    "case",
    call("=", col("event_type"), 1), "5 seconds",
    call("=", col("event_type"), 2), "20 seconds",
    "5 minutes",
)  # fmt: skip
NO_GAP_FOR_THE_REST = call("case", *GAP.arguments[:4])


def visits(
    events: Node, gap: str | Expression, *, delay: str = "10 minutes", also: tuple[str, ...] = ()
) -> Node:
    """08.1: the visits of each user."""
    session: dict[str, Key] = {"session_window": SessionWindow("event_time", gap)}
    timed = Watermark(events, "event_time", delay)
    groups = counted(timed, "events", **session, **columns("user_id", *also))
    return Project(groups, columns("session_window", "user_id", "events")) if also else groups


def plan_of(exercise: Exercise, answer: str) -> tuple[Node, dict[str, str]] | None:
    """A plan, and what it sets beside; None where the model does not play such an answer."""
    known = PLANS.get(exercise.id, {})
    if answer not in known:
        return None
    inputs = [source(exercise, name) for name in exercise.inputs]
    made = known[answer](*inputs)
    return made if isinstance(made, tuple) else (made, {})


def query_of(exercise: Exercise, answer: str = "solution") -> Query | None:
    """An answer of an exercise as a query: the solution, or a misconception by its name."""
    found = plan_of(exercise, answer)
    return None if found is None else Query(found[0], **{"mode": exercise.output_mode, **found[1]})


def _page_looks(c: Source, *where: Expression) -> Node:
    return Project(Filter(c, call("and", *where)), columns("event_id", "page", "ms_on_page"))


def _five(
    c: Node, *keys: str, delay: str | None = "10 seconds", duration: str = "5 minutes"
) -> Node:
    return by_window(c, duration, *keys, delay=delay)


PLANS = {
    "00.0": {
        "solution": lambda c: Project(
            Filter(c, call("starts_with", col("page"), "/fruit/")), columns("event_id", "page")
        ),
    },
    "00.1": {
        "solution": lambda c: _page_looks(
            c, call("=", col("page"), "/checkout"), call(">=", col("ms_on_page"), 30_000)
        ),
    },
    "00.2": {
        "solution": lambda c: Project(
            Filter(
                c,
                call(
                    "or",
                    call("is_null", col("user_id")),
                    call("not", call("starts_with", col("user_id"), "robot-")),
                ),
            ),
            columns("event_id", "user_id", "page"),
        ),
    },
    "00.3": {
        "solution": lambda c: Project(
            Filter(c, call("<", col("ms_on_page"), 2000)),
            columns("event_id", "page", seconds=call("/", col("ms_on_page"), 1000)),
        ),
    },
    "02.0": {
        "solution": lambda c: Aggregate(c, columns("method"), {"orders": COUNT}),
    },
    "02.1": {
        "solution": lambda c: Aggregate(
            c, columns("page"), {"clicks": COUNT, "last_click": Fold("max", col("event_time"))}
        ),
        "counts_members_only": lambda c: Aggregate(
            c,
            columns("page"),
            {"clicks": Fold("count", col("visitor")), "last_click": Fold("max", col("event_time"))},
        ),
        "one_count_a_visitor": lambda c: Project(
            Aggregate(
                c,
                columns("page", "visitor"),
                {"clicks": COUNT, "last_click": Fold("max", col("event_time"))},
            ),
            columns("page", "clicks", "last_click"),
        ),
        "starts_again_every_hour": lambda c: Project(
            Aggregate(
                c,
                {"page": col("page"), "window": TimeWindow("event_time", "1 hour")},
                {"clicks": COUNT, "last_click": Fold("max", col("event_time"))},
            ),
            columns("page", "clicks", "last_click"),
        ),
    },
    "02.4": {
        "solution": hourly,
        "leaks_as_before": lambda c: hourly(c, within=False, by="hour"),
        "remembers_every_id": lambda c: hourly(c, within=False),
        "remembers_every_hour": lambda c: hourly(c, by="hour"),
        "counts_clicks_twice": lambda c: hourly(c, once=()),
        "forgets_too_soon": lambda c: hourly(c, delay="0 seconds"),
        "takes_neighbours_for_copies": lambda c: hourly(
            c, within=False, once=("page", "event_time")
        ),
    },
    "03.0": {"solution": lambda c: _five(c, delay="2 minutes")},
    "03.1": {
        answer: lambda c, delay=delay: _five(c, duration="1 minute", delay=delay)
        for answer, delay in {
            "solution": "10 seconds",
            "no_patience": "0 seconds",
            "average_click": "2 seconds",
            "average_with_the_stray": "82 seconds",
            "waits_for_the_slowest": "40 minutes",
            "travel_time": "200 seconds",
        }.items()
    },
    "03.2": {
        "solution": lambda c: _five(c, "page"),
        "window_length_as_delay": lambda c: _five(c, "page", delay="5 minutes"),
        "minutes_for_seconds": lambda c: _five(c, "page", delay="10 minutes"),
        "no_patience": lambda c: _five(c, "page", delay="0 seconds"),
        "a_minute_to_be_safe": lambda c: _five(c, "page", delay="1 minute"),
        "windows_that_overlap": lambda c: Aggregate(
            Watermark(c, "event_time", "10 seconds"),
            {"window": TimeWindow("event_time", "5 minutes", "1 minute"), "page": col("page")},
            {"clicks": COUNT},
        ),
    },
    "03.3": {
        "solution": lambda w, k: (fives(both(w, k, "10 seconds", "1 minute")), {"policy": "max"}),
        "waits_for_the_silent_one": lambda w, k: fives(both(w, k, "10 seconds", "1 minute")),
        "ten_seconds_for_both": lambda w, k: _five(Union(w, k)),
        "a_minute_for_both": lambda w, k: _five(Union(w, k), delay="1 minute"),
        "only_the_web_tells_time": lambda w, k: (
            fives(Union(Watermark(w, "event_time", "10 seconds"), k)),
            {"policy": "max"},
        ),
        "kiosk_left_out": lambda w, k: _five(w),
        "delays_swapped": lambda w, k: (
            fives(both(w, k, "1 minute", "10 seconds")),
            {"policy": "max"},
        ),
        "counted_before_the_union": lambda w, k: (
            Union(_five(w), _five(k, delay="1 minute")),
            {"policy": "max"},
        ),
    },
    "03.4": {
        "solution": lambda a, k: fives(dated_both(a, k, MILLIS, SECONDS)),
        "still_in_1970": lambda a, k: fives(dated_both(a, k, MILLIS, MILLIS)),
        "silences_the_symptom": lambda a, k: (
            fives(dated_both(a, k, MILLIS, MILLIS)),
            {"policy": "max"},
        ),
        "by_time_of_arrival": lambda a, k: fives(
            dated_both(a, k, col("received"), col("received"))
        ),
        "kiosk_left_out": lambda a, k: _five(dated(a, MILLIS)),
    },
    "03.5": {"solution": lambda c: _five(c, "page")},
    "05.0": {
        "solution": lambda o: Aggregate(
            Aggregate(
                Watermark(o, "order_time", "10 seconds"),
                {"window": TimeWindow("order_time", "1 minute")},
                {"revenue": Fold("sum", col("price"))},
            ),
            {"window": TimeWindow("window", "5 minutes")},
            {"best": Fold("max", col("revenue"))},
        ),
    },
    "05.1": {
        "solution": lambda e: averages(e, "1 minute"),
        "dividing_by_six": lambda e: hours(e, "1 hour", None, call("/", col("n"), 6)),
        "counting_the_hour": lambda e: hours(e, "1 hour", None, call("double", col("n"))),
        "watermark_as_long_as_the_hour": lambda e: averages(e, "1 hour"),
        "sliding_every_ten_minutes": lambda e: hours(
            e, "1 hour", "10 minutes", call("/", col("n"), 6)
        ),
        "ten_minutes_to_be_safe": lambda e: averages(e, "10 minutes"),
    },
    "06.0": {
        "solution": lambda o, p: Join(
            Watermark(o, "order_time", "1 minute"),
            Watermark(p, "paid_time", "2 minutes"),
            "left",
            {"order_id": "paid_order_id"},
            Interval("order_time", "paid_time", "0 seconds", "15 minutes"),
        ),
    },
    "06.1": {
        "solution": ads,
        "inner_join": lambda i, c: ads(i, c, kind="inner"),
        "counting_rows": lambda i, c: ads(i, c, count=None),
        "window_of_the_click": lambda i, c: ads(i, c, window="click_time"),
        "either_side": lambda i, c: ads(i, c, lower="-1 hour"),
        "one_delay_for_both": lambda i, c: ads(i, c, delays=("2 hours", "2 hours")),
        "delays_swapped": lambda i, c: ads(i, c, delays=("3 hours", "2 hours")),
    },
    "08.0": {
        "solution": lambda p: counted(
            Watermark(p, "time", "2 minutes"),
            "pages",
            session_window=SessionWindow("time", "1 minute"),
            user=col("user"),
        ),
    },
    "08.1": {
        "solution": lambda e: visits(e, GAP),
        "longest_gap_for_all": lambda e: visits(e, "5 minutes"),
        "no_gap_for_the_rest": lambda e: visits(e, NO_GAP_FOR_THE_REST),
        "one_visit_per_type": lambda e: visits(e, GAP, also=("event_type",)),
        "windows_of_the_clock": lambda e: counted(
            Watermark(e, "event_time", "10 minutes"),
            "events",
            session_window=TimeWindow("event_time", "5 minutes"),
            user_id=col("user_id"),
        ),
        "watermark_as_long_as_the_gap": lambda e: visits(e, GAP, delay="5 minutes"),
    },
}
