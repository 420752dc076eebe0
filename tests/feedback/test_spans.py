"""The lens shows what state held when: overlapping windows, sessions that merge, levels of a chain."""

import os
import re
import subprocess
import sys

from feedback.runs import at, batch, events, one_input, run, span

from grader.feedback.lens.layout import lay_out
from grader.feedback.lens.scene import Scene, make_scene
from grader.feedback.lens.svg import draw
from grader.scenario import Event, Exercise, Input, Scenario

CLICKS = one_input("clicks", "user STRING, at TIMESTAMP")
SESSIONS = ("sessionWindowStateStoreSaveExec",)


def window(start: str, end: str, count: int = 1) -> dict[str, object]:
    return {"window": span(start, end), "count": count}


def session(user: str, start: str, end: str) -> dict[str, object]:
    return {"user": user, "session_window": span(start, end), "count": 1}


def held(scene: Scene) -> list[tuple[str, int, int, list[int]]]:
    """Each span's start, the steps after which it is held, and those in which its rows come out."""
    return [(f"{int(s.start / 6e7) % 60:02d}", s.opened, s.held, s.closed) for s in scene.spans]


def two_sliding() -> Scene:
    scenario = events("clicks", "user", (1, "mia", "12:06:00"), (2, "mia", "12:12:00"))
    first, second = window("12:00:00", "12:10:00"), window("12:05:00", "12:15:00")
    return make_scene(
        CLICKS,
        scenario,
        run(
            batch(1, "12:05:00", state=[first, second]),
            batch(2, "12:11:00", rows=[first], state=[second]),
        ),
    )


def test_sliding_windows_that_overlap_lie_in_lanes_of_their_own() -> None:
    scene = two_sliding()
    assert held(scene) == [("00", 1, 1, [2]), ("05", 1, 2, [])]
    layout = lay_out(scene)
    first, second = scene.spans
    assert not layout.tall
    assert layout.lane_top(first, 1) != layout.lane_top(second, 1)
    assert draw(scene).count('class="span right"') == 4  # both in both steps


def test_tumbling_windows_share_a_lane_and_fill_their_steps() -> None:
    rows = [window("12:00:00", "12:05:00"), window("12:05:00", "12:10:00")]
    scenario = events("clicks", "user", (1, "mia", "12:01:00"), (1, "mia", "12:06:00"))
    recording = run(batch(1, "12:00:00"), batch(2, "12:20:00", rows=rows))
    scene = make_scene(CLICKS, scenario, recording)
    assert lay_out(scene).tall
    assert held(scene) == [("00", 1, 1, [2]), ("05", 1, 1, [2])]


def merging() -> Scene:
    scenario = events(
        "clicks", "user", (1, "mia", "10:00:00"), (1, "mia", "10:03:00"), (2, "mia", "10:01:30")
    )
    two = [session("mia", "10:00:00", "10:01:00"), session("mia", "10:03:00", "10:04:00")]
    one = session("mia", "10:00:00", "10:04:00")
    return make_scene(
        CLICKS,
        scenario,
        run(
            batch(1, "09:59:00", state=two, kinds=SESSIONS),
            batch(2, "09:59:00", state=[one], kinds=SESSIONS),
            batch(3, "10:30:00", rows=[one], kinds=SESSIONS),
        ),
    )


def test_sessions_are_seen_to_merge_in_one_lane() -> None:
    scene = merging()
    assert held(scene) == [("00", 1, 1, []), ("00", 2, 2, [3]), ("03", 1, 1, [])]
    assert len(set(lay_out(scene).lane.values())) == 1
    assert draw(scene).count('class="link"') == 2 + 1  # and the legend's
    assert draw(scene, 1).count('class="link"') == 1


def test_sessions_of_two_users_lie_in_two_lanes_and_are_named() -> None:
    scenario = events("clicks", "user", (1, "mia", "10:00:00"), (1, "noa", "10:00:30"))
    state = [session("mia", "10:00:00", "10:01:00"), session("noa", "10:00:30", "10:01:30")]
    scene = make_scene(CLICKS, scenario, run(batch(1, "09:59:00", state=state, kinds=SESSIONS)))
    layout = lay_out(scene)
    assert len({layout.lane_top(one, 1) for one in scene.spans}) == 2
    assert sorted(re.findall(r">(mia|noa)</text>", draw(scene))) == ["mia", "mia", "noa", "noa"]


def test_a_chain_shows_the_windows_of_both_operators() -> None:
    scenario = events("clicks", "user", (1, "mia", "09:00:10"), (2, "mia", "09:02:30"))
    chain = ("stateStoreSave", "stateStoreSave")
    minute, later = window("09:00:00", "09:01:00"), window("09:02:00", "09:03:00")
    five = window("09:00:00", "09:05:00")
    scene = make_scene(
        CLICKS,
        scenario,
        run(
            batch(1, "09:00:05", state=[minute], kinds=chain),
            batch(2, "09:02:25", state=[later, five], kinds=chain),
        ),
    )
    assert [(one.level, one.opened, one.held) for one in scene.spans] == [
        (0, 1, 1),
        (1, 2, 2),
        (0, 2, 2),
    ]
    picture = draw(scene)
    assert "1. 1 min" in picture and "2. 5 min" in picture
    assert "The 2 operators have the same watermark" in picture
    assert [heading for heading, _ in scene.steps[1].stored] == [
        "windows of 1 min",
        "windows of 5 min",
    ]


def test_what_state_held_is_not_drawn_from_a_part_of_it() -> None:
    """Of a store with many rows the recording has the first ones: those do not tell what was held."""
    scenario = events("clicks", "user", (1, "mia", "12:06:00"))
    shown = batch(1, "12:00:00", state=[window("12:00:00", "12:05:00")])
    shown.operators[0].rows_total = 60
    scene = make_scene(
        CLICKS, scenario, run(shown, batch(2, "12:30:00", rows=[window("12:05:00", "12:10:00")]))
    )
    assert held(scene) == [("05", 1, 1, [2])]


def a_join() -> Scene:
    inputs = {
        "orders": Input("id STRING, ordered TIMESTAMP", "ordered"),
        "payments": Input("of STRING, paid TIMESTAMP", "paid"),
    }
    orders = [{"id": name, "ordered": at(f"09:0{n}:00")} for n, name in enumerate("AB")]
    payment = {"of": "A", "paid": at("09:05:00")}
    scenario = Scenario(
        [
            Event(1, "orders", orders[0]),
            Event(1, "orders", orders[1]),
            Event(2, "payments", payment),
        ]
    )
    waiting = [{"key": row["id"], **row} for row in orders]
    joined = ("symmetricHashJoin",)
    return make_scene(
        Exercise("99.1", "t", "f", list(inputs), inputs),
        scenario,
        run(
            batch(1, "08:50:00", state=waiting, kinds=joined),
            batch(
                2,
                "08:50:00",
                rows=[{**orders[0], **payment}],
                state=[*waiting, {"key": "A", **payment}],
                kinds=joined,
            ),
            batch(3, "09:30:00", rows=[{**orders[1], "of": None, "paid": None}], kinds=joined),
        ),
    )


def test_a_join_shows_who_waits_on_either_side_and_until_when() -> None:
    scene = a_join()
    assert [mark.kept for mark in scene.marks] == [2, 2, 2]
    assert draw(scene, 2).count('class="wait') == 3 + 1  # and the legend's
    assert scene.steps[1].stored == [
        ("orders waiting", ["id=A · ordered=09:00:00", "id=B · ordered=09:01:00"]),
        ("payments waiting", ["of=A · paid=09:05:00"]),
    ]
    assert "orders waiting: 2, payments waiting: 1" in draw(scene)


def test_what_has_left_the_state_store_is_not_taken_for_what_came_later() -> None:
    scenario = events("clicks", "user", (1, "mia", "12:00:00"), (3, "mia", "12:30:00"))
    state, kinds = [{"user": "mia"}], ("dedupeWithinWatermark",)
    recording = run(
        batch(1, "11:59:00", state=state, kinds=kinds),
        batch(2, "12:10:00", kinds=kinds),
        batch(3, "12:10:00", state=state, kinds=kinds),
    )
    assert [mark.kept for mark in make_scene(CLICKS, scenario, recording).marks] == [1, 3]


def test_a_joined_row_is_a_line_between_its_times_and_an_outer_one_a_mark_at_its_own() -> None:
    scene = a_join()
    assert [(one.start < one.end, one.closed) for one in scene.spans] == [(True, [2]), (False, [3])]
    assert 'class="span' not in draw(scene).split("</style>")[1]  # no window is held


def test_the_same_run_is_drawn_in_the_same_words_every_time() -> None:
    drawn = "from feedback.test_spans import *; print(draw(merging()), draw(a_join()), draw(two_sliding()))"
    texts = {
        subprocess.run(
            [sys.executable, "-c", drawn],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1


def test_times_of_several_days_say_of_which_day_they_are() -> None:
    days = [
        "2026-03-01T12:00:00Z",
        "2026-03-01T12:30:00Z",
        "2026-03-01T13:00:00Z",
        "2026-03-04T12:00:00Z",
    ]
    scenario = Scenario([Event(1, "clicks", {"user": "mia", "at": day}) for day in days])
    picture = draw(make_scene(CLICKS, scenario, run(batch(1))))
    assert re.findall(r">(\d\d-\d\d) \d\d:\d\d<", picture) == ["03-01", "03-04"]


def test_a_moment_that_a_flag_shows_is_not_told_as_a_number() -> None:
    due = 1772367000000  # 12:10, in milliseconds
    state = [
        {"variable": "timer", "user": "mia", "ms": due},
        {"variable": "places", "user": "mia", "place": "hall"},
        {"variable": "places", "user": "mia", "place": "van"},
        {"variable": "timers", "user": "mia", "expiration_timestamp_ms": due},
    ]
    scenario = events("clicks", "user", (1, "mia", "12:00:00"))
    scene = make_scene(CLICKS, scenario, run(batch(1, "11:59:00", state=state)))
    assert [(kept.key, kept.marks) for kept in scene.spans] == [(("mia: hall, van",), (due * 1e3,))]
