"""The landing page in Chromium: predict, see why, move the delay, fill it in; also in the dark, on a phone, by keyboard."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from testkit.site_browser import (
    PHONE,
    from_other_servers,
    overflow,
    prefer,
    press,
    screen,
    serious_faults,
    served,
    small_texts,
    tab_to,
)

import grader.site
from grader.model.timestamps import length
from grader.site.first_minute import SLIDER, FirstMinute, first_minute
from grader.site.landing_page import landing_page
from grader.site.site_build import LANDING_BYTES, doors

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def minute() -> FirstMinute:
    return first_minute(PROJECT / "course")


@pytest.fixture(scope="module")
def address(minute: FirstMinute, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("landing")
    page = landing_page(minute, doors(PROJECT))
    (folder / "index.html").write_text(page, encoding="utf-8")
    with served(folder) as url:
        yield f"{url}/index.html"


def text(driver: webdriver.Chrome, name: str) -> str:
    return str(driver.find_element(By.ID, name).text)


def figures(driver: webdriver.Chrome) -> tuple[str, str, str]:
    return text(driver, "dropped"), text(driver, "first"), text(driver, "rows")


def expected(minute: FirstMinute, seconds: int) -> tuple[str, str, str]:
    outcome = minute.of_delay(seconds)
    first = f"step {outcome.first}" if outcome.first else "not yet"
    return str(len(outcome.dropped)), first, str(outcome.most_rows)


def predict_dropped(driver: webdriver.Chrome, address: str) -> None:
    driver.get(address)
    driver.find_element(By.CSS_SELECTOR, "[data-predict=dropped]").click()
    assert text(driver, "verdict").startswith("✓")


def fill_in(driver: webdriver.Chrome, delay: str) -> str:
    blank = driver.find_element(By.ID, "blank")
    blank.clear()
    blank.send_keys(delay, Keys.ENTER)
    return text(driver, "checked")


def test_the_page_is_small_and_names_no_other_server(minute: FirstMinute) -> None:
    page = landing_page(minute, doors(PROJECT))
    assert len(page.encode()) <= LANDING_BYTES
    assert (
        "//"
        not in page.replace("http://www.w3.org/2000/svg", "").partition('<script type="module">')[0]
    )
    assert "default-src 'none'" in page


def test_what_comes_together_is_a_step_as_in_the_exercises(minute: FirstMinute) -> None:
    page = landing_page(minute, doors(PROJECT)).replace("stroke-linejoin:round", "")
    assert "ten clicks arrive in five steps" in page
    assert not re.search(r"\bRounds?\b|\brounds?\b", page.replace("Math.round", ""))


def test_one_file_has_the_choice_of_colors_for_every_page(minute: FirstMinute) -> None:
    scripts = Path(grader.site.__file__).parent
    theme = (scripts / "play" / "theme.js").read_text(encoding="utf-8").strip()
    assert theme in landing_page(minute, doors(PROJECT))
    using = [
        path.name for path in scripts.rglob("*.js") if "prefers-color-scheme" in path.read_text()
    ]
    assert using == ["theme.js"]


@pytest.mark.slow
def test_the_first_minute(driver: webdriver.Chrome, address: str, minute: FirstMinute) -> None:
    driver.get(address)
    assert not driver.find_element(By.ID, "after").is_displayed()
    assert not driver.find_element(By.ID, "stairs").get_attribute("d")
    driver.find_element(By.CSS_SELECTOR, "[data-predict=counted]").click()
    assert "Spark drops the click of 12:04:50" in text(driver, "verdict")
    assert "the watermark is 12:06:00" in text(driver, "because")
    assert "The click of 12:03:00" in text(driver, "contrast")
    assert driver.find_element(By.ID, "stairs").get_attribute("d")
    marks = [mark.text for mark in driver.find_elements(By.CLASS_NAME, "mark")]
    assert marks == [f"watermark 12:{at}" for at in ("01:30", "04:00", "06:00", "07:00", "28:00")]
    for place, seconds in enumerate(SLIDER):
        driver.execute_script(
            "const range = document.getElementById('delay'); range.value = arguments[0];"
            "range.dispatchEvent(new Event('input'))",
            place,
        )
        assert figures(driver) == expected(minute, seconds), seconds
        crosses = driver.find_elements(By.CSS_SELECTOR, ".click.dropped")
        assert len(crosses) == len(minute.of_delay(seconds).dropped)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("delay", "said"),
    [
        ("200 seconds", "✓ Right."),
        ("4 minutes", "✓ Right."),
        ("3 minutes 1 second", "✓ Right."),
        ("3 minutes", "exactly its end"),
        ("2 MINUTES", "Spark drops 1 click."),
        ("10 seconds", "Spark drops 2 clicks."),
        ("5 minutes", "as long as a window"),
        ("1 hour", "in none of the five steps"),
    ],
)
def test_a_delay_that_is_filled_in_is_judged(
    driver: webdriver.Chrome, address: str, minute: FirstMinute, delay: str, said: str
) -> None:
    predict_dropped(driver, address)
    verdict = fill_in(driver, delay)
    assert said in verdict
    seconds = int(length(delay).total_seconds())
    assert figures(driver) == expected(minute, seconds)
    assert ("✓ Right." in verdict) == (minute.of_delay(seconds) == minute.outcomes[minute.best])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("delay", "said"),
    [
        ("3 Minuten", "This page cannot judge “3 Minuten”."),
        ("-4 minutes", "This page cannot judge “-4 minutes”."),
        ("1 month", "This page cannot judge “1 month”."),
        ("9 weeks", "delays of up to a week"),
        ("<b>4</b>", "This page cannot judge “<b>4</b>”."),
        ("", "The delay is missing."),
    ],
)
def test_a_delay_that_the_page_cannot_judge_is_neither_right_nor_wrong(
    driver: webdriver.Chrome, address: str, delay: str, said: str
) -> None:
    predict_dropped(driver, address)
    verdict = fill_in(driver, delay)
    assert said in verdict
    assert "✓" not in verdict and "✗" not in verdict


@pytest.mark.slow
def test_the_keyboard_alone_is_enough(driver: webdriver.Chrome, address: str) -> None:
    driver.get(address)
    tab_to(driver, "node.dataset.predict === 'dropped'")
    press(driver, Keys.SPACE)
    assert driver.execute_script("return document.activeElement.id") == "answer"
    tab_to(driver, "node.id === 'delay'")
    press(driver, *[Keys.ARROW_RIGHT] * 3)
    assert text(driver, "delay-text") == "3 minutes 30 seconds"
    assert text(driver, "dropped") == "0"
    tab_to(driver, "node.id === 'blank'")
    press(driver, "200 seconds", Keys.ENTER)
    assert "✓ Right." in text(driver, "checked")
    tab_to(driver, "node.matches('.doors a')")


@pytest.mark.slow
@pytest.mark.parametrize("colors", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 900), PHONE])
def test_it_can_be_read_on_every_screen(
    driver: webdriver.Chrome, address: str, colors: str, size: tuple[int, int]
) -> None:
    prefer(driver, colors)
    screen(driver, *size)
    driver.get(address)
    try:
        for choice in (None, "counted"):
            if choice:
                driver.find_element(By.CSS_SELECTOR, f"[data-predict={choice}]").click()
                fill_in(driver, "5 minutes")
            assert overflow(driver) <= 0
            assert small_texts(driver) == []
            assert from_other_servers(driver) == []
            assert serious_faults(driver) == []
    finally:
        prefer(driver, "light")
        screen(driver, 1280, 900)


@pytest.mark.slow
def test_the_picture_has_its_words(driver: webdriver.Chrome, address: str) -> None:
    driver.get(address)
    driver.find_element(By.CSS_SELECTOR, "[data-predict=counted]").click()
    said = driver.find_element(By.ID, "said").get_attribute("textContent")
    assert "The count of 12:00–12:05 is 5; Spark emits it in step 3." in said
    assert "Spark drops 12:04:50." in said
    steps = driver.find_elements(By.CSS_SELECTOR, ".step")
    assert "12:04:50, dropped" in str(steps[3].get_attribute("textContent"))


@pytest.mark.slow
def test_the_choice_of_colors_is_kept(driver: webdriver.Chrome, address: str) -> None:
    driver.get(address)
    driver.find_element(By.ID, "theme").click()
    driver.get(address)
    assert driver.execute_script("return document.documentElement.dataset.theme") == "dark"
    driver.execute_script("localStorage.clear()")
