"""What the lens shows of each kind of stateful operator as Spark runs it.

PICTURES=docs/pictures draws them anew, on a light and on a dark page.
"""

from pathlib import Path

import pytest
from browser.jupyterlab import browser
from browser.test_in_jupyterlab import pictures
from feedback.operators import OPERATORS

from grader.authoring.proof import Bench
from grader.feedback.lens.layout import lay_out
from grader.feedback.lens.row_intervals import length_text, time_text
from grader.feedback.lens.scene import Scene, make_scene
from grader.feedback.lens.spans import Span
from grader.feedback.lens.svg import draw
from grader.replay.replay import replay
from grader.scenario import Variant

pytestmark = pytest.mark.slow
PAGES = {"light": ("true", "#fff"), "dark": ("false", "#111")}


@pytest.fixture(scope="module")
def scenes(bench: Bench) -> dict[str, Scene]:
    found = {}
    for name, given in OPERATORS.items():
        variant = Variant("as_is", given.scenario)
        recording = replay(
            bench.spark, bench.kafka, given.exercise, given.query, variant, look_into_state=True
        )
        assert recording.failure is None, recording.failure
        found[name] = make_scene(given.exercise, given.scenario, recording)
    return found


def told(span: Span) -> str:
    """`mia 10:00:00–10:01:40 1–2`: whose it is, when, and the steps in which it is seen."""
    stretch = f"{time_text(span.start)}–{time_text(span.end)} {span.opened}–{span.last}"
    return " ".join([*span.key, stretch])


def test_sliding_windows_overlap_in_lanes(scenes: dict[str, Scene]) -> None:
    scene = scenes["sliding"]
    layout = lay_out(scene)
    assert layout.lanes == [2]
    assert [told(span) for span in scene.spans][:3] == [
        "11:55:00–12:05:00 1–1",
        "12:00:00–12:10:00 1–2",
        "12:05:00–12:15:00 1–3",
    ]


def test_sessions_merge(scenes: dict[str, Scene]) -> None:
    mias = [told(span) for span in scenes["sessions"].spans if span.key == ("mia",)]
    assert mias[:3] == [
        "mia 10:00:00–10:01:40 1–1",
        "mia 10:00:00–10:02:30 2–2",
        "mia 10:00:00–10:04:00 3–4",
    ]
    assert "grown or merged" in draw(scenes["sessions"])


def test_a_chain_shows_each_of_its_operators(scenes: dict[str, Scene]) -> None:
    scene = scenes["chain"]
    lengths = {span.level: length_text(span.end - span.start) for span in scene.spans}
    assert lengths == {0: "5 min", 1: "15 min", 2: "1 h"}
    assert scene.steps[0].states == [
        "1. aggregation: 2 rows",
        "2. aggregation: 0 rows",
        "3. aggregation: 0 rows",
    ]
    late = [mark for mark in scene.marks if mark.fate == "dropped"]
    assert [mark.description.split(" — ")[0] for mark in late] == [
        "events: page=/tea · at=09:02:00"
    ]


def test_both_sides_of_a_join_wait(scenes: dict[str, Scene]) -> None:
    scene = scenes["join"]
    assert [heading for heading, _ in scene.steps[0].stored] == [
        "orders waiting",
        "payments waiting",
    ]
    waits = {(mark.input, mark.label): mark.kept for mark in scene.marks if mark.step == 1}
    assert set(waits) == {("orders", "A"), ("orders", "B"), ("payments", "A"), ("payments", "X")}
    assert None not in waits.values()


def test_a_duplicate_is_told_apart_and_what_was_seen_is_kept(scenes: dict[str, Scene]) -> None:
    first = [mark for mark in scenes["duplicates"].marks if mark.step == 1]
    assert [(mark.label, mark.fate, mark.kept is not None) for mark in first] == [
        ("/tea", "counted", True),
        ("/tea", "silent", False),
        ("/rice", "counted", True),
    ]


def test_a_function_shows_what_it_keeps_and_until_when(scenes: dict[str, Scene]) -> None:
    kept = {(span.opened, *span.key, time_text(span.end)) for span in scenes["own"].spans}
    assert {span for span in kept if span[0] <= 2} == {
        (1, "/tea: 1", "12:05:30"),
        (1, "/rice: 1", "12:06:00"),
        (2, "/tea: 2", "12:09:00"),
        (2, "/rice: 1", "12:06:00"),
    }
    assert (3, "/tea: 3", "12:13:30") in kept
    assert "timeout or timer due" in draw(scenes["own"])


def test_a_ttl_fades_by_the_clock(scenes: dict[str, Scene]) -> None:
    scene = scenes["ttl"]
    assert [time_text(step.after) for step in scene.steps if step.after] == [
        "12:00:00",
        "12:00:10",
        "12:00:39",
        "12:00:45",
    ]
    assert {span.kind for span in scene.spans} == {"fading"}
    of_step = {step: [s.key[0] for s in scene.spans if s.opened == step] for step in (1, 2, 3, 4)}
    assert [len(of_step[step]) for step in of_step] == [1, 2, 1, 2]
    assert "processing time" in draw(scene)


def test_pictures_of_the_operators(scenes: dict[str, Scene]) -> None:
    """Every picture fits its page: nothing stands outside of it, on a light page and on a dark one."""
    with browser() as driver:
        driver.set_window_size(1120, 1700)
        for name, scene in scenes.items():
            for page, (light, ground) in PAGES.items():
                driver.get("data:text/html,<!doctype html><body></body>")
                driver.execute_script(
                    "document.body.dataset.jpThemeLight = arguments[1];"
                    "document.body.style.background = arguments[2];"
                    "document.body.innerHTML = arguments[0];",
                    draw(scene),
                    light,
                    ground,
                )
                outside = driver.execute_script(
                    "const page = document.querySelector('svg').getBoundingClientRect();"
                    "return [...document.querySelectorAll('svg text')].filter(text => {"
                    "  const box = text.getBoundingClientRect();"
                    "  return box.width && (box.left < page.left || box.right > page.right"
                    "    || box.bottom > page.bottom);"
                    "}).map(text => text.textContent)"
                )
                assert outside == [], (name, page)
                if pictures():
                    path = Path(str(pictures())) / f"lens-{name}-{page}.png"
                    driver.find_element("css selector", "svg").screenshot(str(path))
