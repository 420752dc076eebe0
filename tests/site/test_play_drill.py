"""The page that drills, in Chromium: answers right and wrong, by mouse and by keys, kept, saved, and without a network."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from browser.jupyterlab import browser
from page.page_cases import COURSE
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait
from testkit.site_browser import PHONE, hard_to_read, prefer, press, screen, served, tab_to

from grader.model.drill import TOPICS, Question, make_question
from grader.site.link_check import link_faults
from grader.site.play_frame import POLICY
from grader.site.practice_pages import drill_page

KEPT = "stateful-streams.play"


def test_it_lists_every_topic_of_the_drill(tmp_path: Path) -> None:
    page = drill_page(COURSE)
    assert all(f'data-mark="{topic}"' in page for topic in TOPICS)
    assert page.count("<li>") == len(TOPICS) + 1
    (tmp_path / "drill.html").write_text(page)
    faults = list(link_faults(tmp_path))
    assert not [fault for fault in faults if "anchor" in fault], faults
    assert "<style" not in page and " style=" not in page


class Driller:
    """The page, opened at a topic, as a learner uses it."""

    def __init__(self, driver: webdriver.Chrome, address: str, topic: str):
        self.driver = driver
        self.wait = WebDriverWait(driver, 120, 0.05)
        driver.get(f"{address}/drill.html#{topic}")

    @property
    def choices(self) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, "#choices button")

    @property
    def question(self) -> Question:
        """The question that is shown, once all of it is shown."""
        self.wait.until(lambda _: self.choices)
        made = "return {...document.getElementById('question').dataset}"
        found = self.driver.execute_script(made)
        question = make_question(found["topic"], int(found["level"]), int(found["seed"]))
        assert [choice.text for choice in question.choices] == [one.text for one in self.choices]
        return question

    def answer(self, *, right: bool) -> str:
        """Answer the question that is shown; what is said of the answer."""
        question = self.question
        self.choices[question.right if right else wrong(question)].click()
        return self.answered()

    def answered(self) -> str:
        """What is said of the answer, when it is said and the next question is offered."""
        self.wait.until(lambda _: self.focused("on"))
        return self.text("told")

    def text(self, id: str) -> str:
        return str(self.driver.find_element(By.ID, id).text)

    def focused(self, id: str) -> bool:
        return bool(self.driver.execute_script(f"return document.activeElement.id === '{id}'"))

    @property
    def picture(self) -> str:
        html = "document.querySelector('#picture .card').shadowRoot.firstChild.innerHTML"
        return str(self.driver.execute_script(f"return {html}"))

    def kept(self) -> Any:
        found = self.driver.execute_script(f"return localStorage.getItem('{KEPT}')")
        return json.loads(found)["drill"]


@pytest.fixture
def driller(driver: webdriver.Chrome, address: str) -> Driller:
    driver.get(f"{address}/page.css")
    driver.execute_script("localStorage.clear()")
    return Driller(driver, address, "watermarks")


def wrong(question: Question) -> int:
    return next(n for n in range(len(question.choices)) if n != question.right)


@pytest.mark.slow
def test_a_wrong_and_a_right_answer_are_explained_and_kept(driller: Driller, address: str) -> None:
    first = driller.question
    assert first.text in driller.text("asked") and first.code.splitlines()[0] in driller.text(
        "head"
    )
    assert 'class="watermark"' not in driller.picture
    chosen = wrong(first)
    driller.choices[chosen].click()
    said = driller.answered()
    assert first.choices[chosen].said in said and first.why in said
    assert "0 right in a row, 0 of 1 right" in said
    assert 'class="watermark"' in driller.picture
    assert driller.choices[chosen].text.startswith("✗ ")
    assert driller.choices[first.right].text.startswith("✓ ")
    driller.choices[first.right].click()  # one answer counts
    driller.driver.find_element(By.ID, "on").click()
    second = driller.question
    assert second.seed != first.seed and driller.text("told") == ""
    driller.choices[second.right].click()
    assert driller.answered().startswith("✓ Right.")
    assert driller.kept()["watermarks"]["ideas"] == {first.choices[chosen].idea: 1}

    driller.driver.get("about:blank")
    again = Driller(driller.driver, address, "")
    mark = driller.driver.find_element(By.CSS_SELECTOR, "[data-mark=watermarks]")
    again.wait.until(lambda _: "1 right in a row, 1 of 2 right" in mark.text)
    said = [line["message"] for line in driller.driver.get_log("browser")]
    assert not [line for line in said if "logo.svg" not in line and "favicon.ico" not in line]


@pytest.mark.slow
def test_the_keyboard_alone_is_enough_for_the_drill(driller: Driller, address: str) -> None:
    driver = driller.driver
    driver.get("about:blank")
    driller = Driller(driver, address, "")
    tab_to(driver, "node.hash === '#windows'")
    press(driver, Keys.ENTER)
    for number in (1, 2):
        question = driller.question
        if number == 1:
            tab_to(driver, "node.parentElement.id === 'choices'")
        press(driver, *[Keys.TAB] * question.right, Keys.ENTER if number == 1 else Keys.SPACE)
        assert driller.answered().startswith("✓ Right.")
        press(driver, Keys.ENTER)
    assert driller.question.level == 2  # after two right answers in a row


@pytest.mark.slow
@pytest.mark.parametrize(("colors", "size"), [("light", (1280, 900)), ("dark", PHONE)])
def test_the_drill_can_be_read_on_every_screen(
    driller: Driller, address: str, colors: str, size: tuple[int, int]
) -> None:
    driver = driller.driver
    prefer(driver, colors)
    screen(driver, *size)
    try:
        driller.answer(right=False)
        assert hard_to_read(driver) == []
        driver.get("about:blank")
        Driller(driver, address, "")
        assert hard_to_read(driver) == []
    finally:
        prefer(driver, "light")
        screen(driver, 1280, 900)


@pytest.mark.slow
def test_the_standing_is_loaded_from_a_file_and_never_goes_back(
    driller: Driller, address: str, tmp_path: Path
) -> None:
    driller.answer(right=True)
    here = driller.kept()["watermarks"]
    driller.driver.get("about:blank")
    driller = Driller(driller.driver, address, "")
    saved = tmp_path / "kept.json"
    drill = {"windows": {**here, "answered": 7}, "watermarks": {**here, "answered": 0}}
    saved.write_text(json.dumps({"version": 1, "exercises": {}, "drill": drill}))
    driller.driver.find_element(By.ID, "file").send_keys(str(saved))
    mark = driller.driver.find_element(By.CSS_SELECTOR, "[data-mark=windows]")
    driller.wait.until(lambda _: "1 of 7 right" in mark.text)
    assert driller.kept() == {"windows": drill["windows"], "watermarks": here}
    saved.write_text("[]")
    driller.driver.find_element(By.ID, "file").send_keys(str(saved))
    driller.wait.until(lambda _: driller.text("loaded").startswith("Not loaded"))


@pytest.mark.slow
def test_a_later_visit_of_the_drill_needs_no_network(play: Path) -> None:
    kept = "return navigator.serviceWorker.getRegistration().then(found => Boolean(found?.active))"
    with browser() as driver:
        with served(play, POLICY) as address:
            driver.get(f"{address}/drill.html")
            WebDriverWait(driver, 120, 0.1).until(lambda _: driver.execute_script(kept))
        driver.get("about:blank")
        driller = Driller(driver, address, "joins")  # its server has stopped
        assert driller.answer(right=True).startswith("✓ Right.")


@pytest.mark.slow
def test_a_failing_step_is_said_and_can_be_tried_again(play: Path, tmp_path: Path) -> None:
    damaged = Path(shutil.copytree(play, tmp_path / "play")) / "course.zip"
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:1000])
    with served(tmp_path / "play", POLICY) as address, browser() as driver:
        driller = Driller(driver, address, "windows")
        driller.wait.until(lambda _: driller.text("said").startswith("The drill failed: "))
        damaged.write_bytes(whole)
        driver.find_element(By.ID, "on").click()
        assert driller.question.topic == "windows"


@pytest.mark.slow
def test_an_endless_step_is_stopped_and_said(play: Path, tmp_path: Path) -> None:
    worker = Path(shutil.copytree(play, tmp_path / "play")) / "worker.js"
    worker.write_text(f"{worker.read_text()}\nonmessage = () => {{ for (;;); }};\n")
    with served(tmp_path / "play", POLICY) as address, browser() as driver:
        driller = Driller(driver, address, "windows")
        said = "This took more than 10 seconds, so it was stopped."
        driller.wait.until(lambda _: driller.text("said") == said)
        assert driver.find_element(By.ID, "on").text == "Try again"
        driver.get(f"{address}/explore.html#03.0")
        said = "The explorer failed: this took more than 10 seconds and was stopped."
        driller.wait.until(lambda _: driller.text("said") == said)
        assert driver.find_element(By.ID, "retry").is_displayed()
