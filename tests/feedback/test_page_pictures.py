"""The lens on a page: every column gets letters that can be read, and the run can be read as text."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path

import pytest
from browser.jupyterlab import browser
from feedback.test_lens import CLICKS, EXERCISE, HURRIED, RIGHT, click
from selenium import webdriver
from testkit.site_browser import letter_sizes, overflow, prefer, screen

from grader.feedback.lens.page_pictures import page_pictures, run_on_page
from grader.feedback.lens.run_words import groups_text, steps_in_words
from grader.feedback.lens.scene import Scene, make_scene
from grader.judging.check_pack import find_exercise
from grader.scenario import Scenario

COURSE = Path(__file__).parents[2] / "course"
RUNS = ("01.1", "03.2", "05.2", "06.1", "08.1", "10.0", "10.6")


@cache
def scene_of(exercise: str) -> Scene:
    (folder,) = COURSE.glob(f"{exercise[:2]}_*")
    packed = find_exercise(exercise, folder)
    return make_scene(packed.exercise, packed.public, packed.expected["as_is"])


def test_the_text_has_the_facts_of_each_step() -> None:
    first, second = steps_in_words(make_scene(EXERCISE, CLICKS, HURRIED))
    assert first.name == "Step 1, micro-batch 0"
    assert first.rows == [] and "c1" in first.events[0]
    assert second.facts == [
        "The watermark is 12:05:30 when the step begins, and 12:05:30 when it ends.",
        "1 row was dropped as late.",
        "After the step, 1 row is in state.",
    ]
    assert second.rows == ["window=12:05:00–12:10:00 · clicks=1"]
    assert [": dropped" in event for event in second.events] == [True, False]


def test_the_text_says_which_rows_are_missing_and_where_runs_part() -> None:
    wrong = replace(HURRIED, batches=HURRIED.batches[:1])
    _, second = steps_in_words(make_scene(EXERCISE, CLICKS, wrong, expected=HURRIED))
    assert second.rows == ["missing: window=12:05:00–12:10:00 · clicks=1"]
    assert second.facts[0] == "Here the rows first differ from the expected rows."


def test_the_text_is_on_the_page_in_the_order_of_the_steps() -> None:
    page = run_on_page(scene_of("03.2"))
    words = page.partition('<details class="ss-words">')[2]
    assert re.findall(r"<b>Step (\d)", words) == list("123456")
    assert "Read the run as text" in words and words.count("<ol>") == 1
    assert "1 row was dropped as late." in unescape(words)


def test_more_crosses_than_dropped_rows_are_explained() -> None:
    assert "several events can be one dropped row" in groups_text(scene_of("03.2"))
    assert "several events can be one dropped row" in run_on_page(scene_of("03.2"))
    assert groups_text(make_scene(EXERCISE, CLICKS, HURRIED)) == ""
    assert groups_text(make_scene(EXERCISE, CLICKS, RIGHT)) == ""


def test_what_a_question_asks_is_not_in_the_text() -> None:
    scene = scene_of("03.2")
    asked = replace(scene, steps=[replace(step, asked=True) for step in scene.steps])
    for step in steps_in_words(asked):
        assert step.facts == ["What this step did is the question."] and not step.rows


def test_both_pictures_are_of_the_same_step() -> None:
    scene = make_scene(EXERCISE, Scenario([*CLICKS.events, click(2, "c4", 12)]), RIGHT)
    for upto, count in ((1, 1), (2, 4)):
        pictures = page_pictures(scene, upto)
        assert len(re.findall(r'<circle class="event', pictures)) == 2 * (count + 1)  # with signs


@pytest.fixture(scope="module")
def driver() -> Iterator[webdriver.Chrome]:
    with browser() as found:
        prefer(found, "light")
        yield found


@pytest.mark.slow
@pytest.mark.parametrize("width", [320 + 32, 390, 700, 900, 1280])
@pytest.mark.parametrize("theme", ["true", "false"])
def test_no_letter_is_small_and_no_page_is_too_wide(
    driver: webdriver.Chrome, tmp_path: Path, width: int, theme: str
) -> None:
    runs = "".join(run_on_page(scene_of(exercise)) for exercise in RUNS)
    (tmp_path / "page.html").write_text(
        '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<body style="margin:16px" data-jp-theme-light="{theme}">{runs}',
        encoding="utf-8",
    )
    screen(driver, width, 900)
    driver.get((tmp_path / "page.html").as_uri())
    driver.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
    sizes = letter_sizes(driver)
    assert len(sizes) > 400 and min(sizes) >= 11
    assert overflow(driver) <= 0
    shown = (
        "return [...document.querySelectorAll('svg')].filter(one => one.checkVisibility()).length"
    )
    assert driver.execute_script(shown) == len(RUNS)
    fill = "return getComputedStyle(document.querySelector('.ss-narrow .ss-lens')).fill"
    assert driver.execute_script(fill) == (
        "rgb(34, 34, 34)" if theme == "true" else "rgb(221, 221, 221)"
    )
