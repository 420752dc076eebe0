"""The page with explorers, in Chromium: a knob is turned and an event moved, and the picture changes."""

from pathlib import Path

import pytest
from page.page_cases import COURSE
from page.test_explorer_reply import EXAMPLES
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait
from testkit.site_browser import PHONE, hard_to_read, prefer, press, screen, tab_to

from grader.site.link_check import link_faults
from grader.site.practice_pages import explore_page


def test_it_lists_the_explorer_of_each_lesson_and_says_what_only_the_lab_has(
    tmp_path: Path,
) -> None:
    page = explore_page(COURSE)
    assert [id for id in EXAMPLES if f'id="{id}" href="#{id}"' in page] == EXAMPLES
    assert "In the lab, the button <em>Ask Spark</em>" in page
    (tmp_path / "explore.html").write_text(page)
    assert not [fault for fault in link_faults(tmp_path) if "anchor" in fault]
    assert "<style" not in page and " style=" not in page


class Explorer:
    """The page, opened at an example, as a learner uses it."""

    def __init__(self, driver: webdriver.Chrome, address: str, example: str):
        self.driver = driver
        self.wait = WebDriverWait(driver, 120, 0.05)
        driver.get("about:blank")
        driver.get(f"{address}/explore.html#{example}")
        if example:
            self.wait.until(lambda _: driver.find_element(By.ID, "board").is_displayed())

    @property
    def picture(self) -> str:
        html = "document.querySelector('#picture .card').shadowRoot.firstChild.innerHTML"
        return str(self.driver.execute_script(f"return {html}"))

    @property
    def said(self) -> str:
        return str(self.driver.find_element(By.ID, "changes").text)

    def says(self, words: str) -> None:
        self.wait.until(lambda _: words in self.said)

    def press(self, id: str) -> None:
        self.driver.find_element(By.ID, id).click()


@pytest.mark.slow
def test_a_knob_is_turned_and_an_event_moved(driver: webdriver.Chrome, address: str) -> None:
    explorer = Explorer(driver, address, "03.0")
    first = explorer.picture
    assert "dropped as late" in first
    driver.find_element(By.ID, "knob-delay").send_keys(Keys.ARROW_RIGHT)  # 5 minutes in place of 2
    explorer.says("12:04:50 is not dropped any more.")
    assert "dropped as late" not in explorer.picture
    assert "5 minutes" in driver.find_element(By.ID, "knobs").text
    driver.find_element(By.CSS_SELECTOR, "[name=knob-mode][value=update]").click()
    explorer.says("are emitted in steps")

    assert "watermark that evicts" not in explorer.picture
    explorer.press("both")
    explorer.wait.until(lambda _: "watermark that evicts" in explorer.picture)
    assert "are emitted in steps" in explorer.said  # what the change did is still there

    explorer.press("again")
    explorer.says("Turn a knob")
    explorer.press("both")
    explorer.wait.until(lambda _: explorer.picture == first)
    driver.find_element(By.CSS_SELECTOR, "[data-shift='600']").click()
    explorer.wait.until(lambda _: explorer.picture != first)
    events = Select(driver.find_element(By.ID, "event"))
    count = len(events.options)
    explorer.press("add")
    explorer.wait.until(lambda _: len(events.options) == count + 1)
    assert events.first_selected_option.get_attribute("value") == str(count)
    explorer.press("remove")
    explorer.wait.until(lambda _: len(events.options) == count)
    said = [line["message"] for line in driver.get_log("browser")]
    assert not [line for line in said if "logo.svg" not in line]


@pytest.mark.slow
def test_what_spark_refuses_is_said_and_the_knob_goes_back(
    driver: webdriver.Chrome, address: str
) -> None:
    explorer = Explorer(driver, address, "08.0")
    driver.find_element(By.CSS_SELECTOR, "[name=knob-mode][value=update]").click()
    explorer.says("Spark refuses this: session windows")
    assert driver.find_element(By.CSS_SELECTOR, "[name=knob-mode][value=append]").is_selected()


@pytest.mark.slow
def test_the_keyboard_alone_is_enough_for_the_explorer(
    driver: webdriver.Chrome, address: str
) -> None:
    explorer = Explorer(driver, address, "")
    tab_to(driver, "node.hash === '#03.0'")
    press(driver, Keys.ENTER)
    explorer.wait.until(lambda _: driver.find_element(By.ID, "board").is_displayed())
    tab_to(driver, "node.id === 'knob-delay'")
    press(driver, Keys.ARROW_RIGHT)
    explorer.says("12:04:50 is not dropped any more.")
    assert driver.execute_script("return document.activeElement.id") == "knob-delay"
    tab_to(driver, "node.name === 'knob-mode'")
    press(driver, Keys.ARROW_RIGHT)
    explorer.says("are emitted in steps")
    tab_to(driver, "node.id === 'event'")
    press(driver, Keys.ARROW_DOWN)
    tab_to(driver, "node.id === 'step'")
    press(driver, Keys.ARROW_RIGHT)
    explorer.wait.until(lambda _: driver.find_element(By.ID, "step-now").text == "2")
    tab_to(driver, "node.id === 'remove'")
    before = explorer.picture
    press(driver, Keys.ENTER)
    explorer.wait.until(lambda _: explorer.picture != before)


@pytest.mark.slow
@pytest.mark.parametrize(("colors", "size"), [("light", (1280, 900)), ("dark", PHONE)])
def test_the_explorer_can_be_read_on_every_screen(
    driver: webdriver.Chrome, address: str, colors: str, size: tuple[int, int]
) -> None:
    prefer(driver, colors)
    screen(driver, *size)
    try:
        for example in EXAMPLES:
            Explorer(driver, address, example)
            assert hard_to_read(driver) == [], example
        Explorer(driver, address, "")
        assert hard_to_read(driver) == []
    finally:
        prefer(driver, "light")
        screen(driver, 1280, 900)
