"""Each wrong idea does what its name says, on events made for it; beside it what Spark does."""

import pytest
from model.drill.catalogue import IDEAS

from grader.judging.wording.value_text import row_text
from grader.model import Played
from grader.model.drill.run_facts import dropped_by
from grader.model.drill.situation import Situation, truth
from grader.model.expressions import col
from grader.model.query import (
    Aggregate,
    Deduplicate,
    Fold,
    Interval,
    Join,
    Query,
    SessionWindow,
    Source,
    TimeWindow,
    Union,
    Watermark,
)
from grader.scenario import Event, Scenario

COLUMNS = {"id": "string", "at": "timestamp"}


def at(clock: str) -> str:
    return f"2026-03-02T{clock}:00Z"


def clicks(*told: str, input: str = "clicks") -> list[Event]:
    """Each as `1 a 12:03`: step, id, time."""
    parts = [one.split() for one in told]
    return [Event(int(step), input, {"id": id, "at": at(time)}) for step, id, time in parts]


def source(delay: str, input: str = "clicks") -> Watermark:
    return Watermark(Source(input, COLUMNS), "at", delay)


def windows(delay: str, *told: str, slide: str | None = None, mode: str = "append") -> Situation:
    """Clicks in windows of 10 minutes."""
    counts = Aggregate(
        source(delay), {"window": TimeWindow("at", "10 minutes", slide)}, {"clicks": Fold("count")}
    )
    return Situation(Query(counts, mode), _scenario(clicks(*told)))


def sessions(gap: str, delay: str, *told: str) -> Situation:
    visits = Aggregate(
        source(delay), {"id": col("id"), "s": SessionWindow("at", gap)}, {"clicks": Fold("count")}
    )
    return Situation(Query(visits), _scenario(clicks(*told)))


def duplicates(delay: str, *told: str) -> Situation:
    return Situation(Query(Deduplicate(source(delay), ("id",), True)), _scenario(clicks(*told)))


def joined(kind: str, *told: str) -> Situation:
    """Orders and payments (`o A`, `p A`) within 5 minutes, without a delay."""
    orders = Watermark(Source("orders", {"order": "string", "t": "timestamp"}), "t", "0 minutes")
    paid = Watermark(Source("payments", {"of": "string", "u": "timestamp"}), "u", "0 minutes")
    within = Interval("t", "u", "0 minutes", "5 minutes")
    events = []
    for one in told:
        step, input, name, time = one.split()
        value = {"order": name, "t": at(time)} if input == "o" else {"of": name, "u": at(time)}
        events.append(Event(int(step), "orders" if input == "o" else "payments", value))
    return Situation(Query(Join(orders, paid, kind, {"order": "of"}, within)), _scenario(events))


def _scenario(events: list[Event]) -> Scenario:
    return Scenario(events, max(event.step for event in events))


def watermark(played: Played, step: int) -> str:
    return str(played.recording.watermark_after(step))[11:16]


def ids(played: Played, step: int, column: str = "id") -> str:
    rows = [row for batch in played.recording.of_step(step) for row in batch.rows]
    return "".join(sorted(str(row[column]) for row in rows))


def rows(played: Played, step: int) -> list[str]:
    found = [row for batch in played.recording.of_step(step) for row in batch.rows]
    return [row_text(row).replace(":00–", "–").replace(":00 ", " ") for row in found]


def late(situation: Situation, played: Played) -> str:
    return "".join(situation.scenario.events[n].value["id"] for n in dropped_by(played))


@pytest.mark.parametrize(
    ("name", "step", "right", "wrong"),
    [
        ("no_delay", 1, "12:20", "12:25"),
        ("last_event", 1, "12:20", "12:05"),
        ("last_event", 2, "12:20", "12:07"),
        ("goes_back", 2, "12:20", "12:07"),
    ],
)
def test_ideas_of_where_the_watermark_stands(name: str, step: int, right: str, wrong: str):
    situation = windows("5 minutes", "1 a 12:25", "1 b 12:10", "2 c 12:12")
    assert watermark(truth(situation), step) == right
    assert watermark(IDEAS[name].plays(situation), step) == wrong


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("moves_with_each_event", "cd"),  # c comes after b, which moved the watermark; a before it
        ("own_step_counts", "acd"),
        ("behind_is_late", "de"),
        ("nothing_late", ""),
        ("beyond", ""),
        ("no_delay", "de"),
    ],
)
def test_ideas_of_what_is_late(name: str, wrong: str):
    """Step 1 brings the watermark to 12:20. d's window ends there, e's at 12:30."""
    situation = windows(
        "10 minutes", "1 a 12:01", "1 b 12:30", "1 c 12:02", "2 d 12:19", "2 e 12:20"
    )
    assert late(situation, truth(situation)) == "d"
    assert late(situation, IDEAS[name].plays(situation)) == wrong


def test_ideas_of_two_streams():
    both = Union(source("0 minutes"), source("0 minutes", "calls"))
    counts = Aggregate(both, {"window": TimeWindow("at", "10 minutes")}, {"n": Fold("count")})
    events = [
        *clicks("1 a 12:10"),
        *clicks("1 b 12:30", input="calls"),
        *clicks("2 c 12:20"),
    ]
    situation = Situation(Query(counts), _scenario(events))
    assert watermark(truth(situation), 2) == "12:10"
    assert watermark(IDEAS["faster_sets_it"].plays(situation), 1) == "12:30"
    assert watermark(IDEAS["silent_remembered"].plays(situation), 2) == "12:20"


def test_what_closes_in_the_next_step_does_not_drop_otherwise():
    situation = windows("0 minutes", "1 a 12:01", "1 b 12:11", "2 c 12:02", "2 d 12:12")
    right, wrong = truth(situation), IDEAS["closes_in_the_next_step"].plays(situation)
    assert (len(rows(right, 1)), len(rows(right, 2))) == (1, 0)
    assert (len(rows(wrong, 1)), len(rows(wrong, 2))) == (0, 1)
    assert late(situation, right) == late(situation, wrong) == "c"


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("end_belongs", "window=12:00–12:10 · clicks=2"),
        ("from_the_first_event", "window=12:04–12:14 · clicks=2"),
    ],
)
def test_ideas_of_windows(name: str, wrong: str):
    situation = windows("0 minutes", "1 a 12:04", "1 b 12:10", "2 c 12:30")
    assert "window=12:00–12:10 · clicks=1" in rows(truth(situation), 1)
    played = IDEAS[name].plays(situation)
    assert wrong in [row for step in (1, 2) for row in rows(played, step)]


def test_an_event_in_one_window_alone():
    situation = windows("0 minutes", "1 a 12:07", "2 b 12:50", slide="5 minutes")
    assert len(rows(truth(situation), 2)) == 2
    assert rows(IDEAS["one_window"].plays(situation), 2) == ["window=12:05–12:15 · clicks=1"]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        (
            "gap_from_the_first",
            ["id=x · s=12:00–12:05 · clicks=2", "id=x · s=12:08–12:13 · clicks=1"],
        ),
        ("ends_at_its_last", ["id=x · s=12:00–12:08 · clicks=3"]),
        ("stay_apart", ["id=x · s=12:00–12:09 · clicks=2", "id=x · s=12:08–12:13 · clicks=1"]),
    ],
)
def test_ideas_of_sessions(name: str, wrong: list[str]):
    """4 minutes lie between each click and the next, and the one in the middle comes last."""
    situation = sessions(
        "5 minutes", "9 minutes", "1 x 12:00", "1 x 12:08", "2 x 12:04", "3 y 12:50"
    )
    right = truth(situation)
    assert rows(right, 3) == ["id=x · s=12:00–12:13 · clicks=3"]
    assert sorted(rows(IDEAS[name].plays(situation), 3)) == sorted(wrong)


def test_sessions_that_touch():
    situation = sessions("5 minutes", "0 minutes", "1 x 12:00", "1 x 12:05", "2 y 12:50")
    assert rows(truth(situation), 2) == ["id=x · s=12:00–12:10 · clicks=2"]
    apart = IDEAS["touching_is_apart"].plays(situation)
    assert [*rows(apart, 1), *rows(apart, 2)] == [
        "id=x · s=12:00–12:05 · clicks=1",
        "id=x · s=12:05–12:10 · clicks=1",
    ]


@pytest.mark.parametrize(
    ("name", "passes"),
    [
        ("for_ever", {2: "", 4: ""}),
        ("until_its_time", {2: "x", 4: "x"}),
        ("renewed", {2: "", 4: ""}),
        ("of_one_step", {2: "x", 4: "x"}),
    ],
)
def test_ideas_of_duplicates(name: str, passes: dict[int, str]):
    """x of 12:00 is kept until the watermark has passed 12:05; its duplicate of 12:04 comes before."""
    situation = duplicates(
        "5 minutes", "1 x 12:00", "1 y 12:06", "2 x 12:04", "3 z 12:11", "4 x 12:08"
    )
    assert [ids(truth(situation), step) for step in (2, 4)] == ["", "x"]
    played = IDEAS[name].plays(situation)
    assert {step: ids(played, step) for step in (2, 4)} == passes


def test_rows_that_are_never_late():
    situation = duplicates("0 minutes", "1 x 12:10", "2 y 12:10", "2 z 12:11")
    assert ids(truth(situation), 2) == "z"
    assert ids(IDEAS["rows_never_late"].plays(situation), 2) == "yz"


@pytest.mark.parametrize(
    ("name", "told", "right", "wrong"),
    [
        ("same_step", ["1 o A 12:00", "2 p A 12:01"], "A", ""),
        ("no_interval", ["1 o A 12:00", "1 p A 12:09"], "", "A"),
        ("both_ways", ["1 o A 12:05", "1 p A 12:02"], "", "A"),
        ("open_interval", ["1 o A 12:00", "1 p A 12:05"], "A", ""),
        ("own_time", ["1 o A 12:00", "1 o B 12:03", "1 p C 12:03", "2 p A 12:04"], "A", ""),
    ],
)
def test_ideas_of_joins(name: str, told: list[str], right: str, wrong: str):
    situation = joined("inner", *told)
    last = situation.scenario.steps
    assert ids(truth(situation), last, "order") == right
    assert ids(IDEAS[name].plays(situation), last, "order") == wrong


def test_the_key_alone_decides_does_not_say_that_no_row_is_late():
    told = [
        "1 o B 12:10",
        "1 p C 12:10",
        "2 o A 12:09",
        "2 p A 12:12",
        "2 o D 12:11",
        "2 p D 12:20",
    ]
    situation = joined("inner", *told)
    wrong = {name: IDEAS[name].plays(situation) for name in ("no_interval", "rows_never_late")}
    assert ids(truth(situation), 2, "order") == ""
    assert {name: ids(played, 2, "order") for name, played in wrong.items()} == {
        "no_interval": "D",
        "rows_never_late": "A",
    }


def test_ideas_of_outer_joins():
    situation = joined("left", "1 o A 12:00", "1 p B 12:00", "2 o C 12:10", "2 p C 12:10")
    assert [ids(truth(situation), step, "order") for step in (1, 2)] == ["", "AC"]
    at_once, inner = (IDEAS[name].plays(situation) for name in ("nulls_at_once", "as_inner"))
    assert [ids(at_once, step, "order") for step in (1, 2)] == ["A", "C"]
    assert [ids(inner, step, "order") for step in (1, 2)] == ["", "C"]


def test_ideas_of_chains():
    first = windows("0 minutes", "1 a 12:01", "1 b 12:02", "2 c 12:30")
    plan = Aggregate(
        first.query.plan,
        {"window": TimeWindow("window", "20 minutes")},
        {"total": Fold("sum", col("clicks"))},
    )
    situation = Situation(Query(plan), first.scenario)
    assert rows(truth(situation), 2) == ["window=12:00–12:20 · total=2"]
    assert rows(IDEAS["second_drops"].plays(situation), 2) == []
    assert rows(IDEAS["counts_rows"].plays(situation), 2) == ["window=12:00–12:20 · total=1"]


@pytest.mark.parametrize("mode", ["append", "update", "complete"])
def test_ideas_of_output_modes(mode: str):
    situation = windows("0 minutes", "1 a 12:01", "2 b 12:02", "2 c 12:11", mode="update")
    counts = {step: len(rows(IDEAS[f"as_{mode}"].plays(situation), step)) for step in (1, 2)}
    assert (
        counts == {"append": {1: 0, 2: 1}, "update": {1: 1, 2: 2}, "complete": {1: 1, 2: 2}}[mode]
    )
