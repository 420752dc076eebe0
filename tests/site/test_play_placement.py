"""The placement test on the page that drills, in Chromium: answered right and wrong, to its advice, which is kept."""

import json
from pathlib import Path
from typing import Any

import pytest
from page.page_cases import COURSE
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait
from testkit.site_browser import PHONE, hard_to_read, prefer, press, screen, tab_to

from grader import cli
from grader.learner import progress
from grader.model.drill.placement.placement import COUNT, Asked, Placement
from grader.progress_pages.placement_advice import RULE, advice_line
from grader.site.page_sources import write_sources

KEPT = "stateful-streams.play"


class Placed:
    """The page, opened at the placement test, next to the same test in this Python."""

    def __init__(self, driver: webdriver.Chrome, address: str):
        self.driver = driver
        self.wait = WebDriverWait(driver, 120, 0.05)
        self._test: Placement | None = None
        driver.get(f"{address}/drill.html#placement")

    @property
    def choices(self) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, "#choices button")

    def question(self, number: int) -> Asked:
        """The question of a number, once all of it is shown; in their order."""
        made = "return {...document.getElementById('question').dataset}"
        self.wait.until(
            lambda _: self.choices and self.driver.execute_script(made)["number"] == str(number)
        )
        self._test = self._test or Placement(
            lambda answers: None, seed=int(self.driver.execute_script(made)["seed"])
        )
        question = self._test.next()
        assert question is not None and self.text("head").startswith(f"question {number} of 20")
        assert [choice.text for choice in question.choices] == [one.text for one in self.choices]
        return question

    def answered(self) -> str:
        """What is said of the answer, when it is said and the way on is offered."""
        self.wait.until(
            lambda _: self.driver.execute_script("return document.activeElement.id") == "on"
        )
        return self.text("told")

    def advice(self) -> WebElement:
        self.wait.until(
            lambda _: self.driver.execute_script("return document.activeElement.id") == "told"
        )
        return self.driver.find_element(By.ID, "told")

    def text(self, id: str) -> str:
        return str(self.driver.find_element(By.ID, id).text)

    def kept(self) -> Any:
        return json.loads(self.driver.execute_script(f"return localStorage.getItem('{KEPT}')"))


@pytest.fixture
def placed(driver: webdriver.Chrome, address: str) -> Placed:
    driver.get(f"{address}/page.css")
    driver.execute_script("localStorage.clear()")
    return Placed(driver, address)


def wrong(question: Asked) -> int:
    return next(n for n in range(len(question.choices)) if n != question.right)


@pytest.mark.slow
def test_twenty_answers_lead_to_the_advice_which_is_kept_and_goes_on_in_the_lab(
    placed: Placed, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = placed.driver
    for number in range(1, COUNT + 1):
        question = placed.question(number)
        chosen = wrong(question) if number == 3 else question.right
        placed.choices[chosen].click()
        said = placed.answered()
        if number == 3:  # the first question on lesson 02
            assert said.startswith("✗ ") and question.choices[chosen].said in said
            assert placed.choices[chosen].text.startswith("✗ ")
        else:
            assert said.startswith("✓ Right.")
        assert placed.choices[question.right].text.startswith("✓ ")
        assert len(placed.kept()["placement"]["answers"]) == number
        on = driver.find_element(By.ID, "on")
        assert on.text == ("The advice" if number == COUNT else "Next question")
        on.click()
    advice = placed.advice()
    assert "19 of 20 right." in advice.text and RULE in advice.text
    begin = advice.find_element(By.CSS_SELECTOR, ".ss-asked a")
    assert begin.text == "02 Stateful processing"
    assert begin.get_dom_attribute("href") == "../course/02_stateful/02_stateful.html"
    assert len(advice.find_elements(By.TAG_NAME, "tr")) == 16
    assert not driver.find_element(By.ID, "end").is_displayed()
    assert hard_to_read(driver) == []

    kept = placed.kept()
    line = advice_line([(lesson, right) for lesson, right in kept["placement"]["answers"]])
    assert line.endswith("skim 02; begin with lesson 02")
    driver.find_element(By.LINK_TEXT, "All topics").click()
    placed.wait.until(lambda _: placed.text("placed") == line)

    monkeypatch.setenv("GRADER_STATE", str(tmp_path / "state"))
    file = tmp_path / "saved.json"
    file.write_text(json.dumps(kept))
    assert cli.main(["drill", "--import", str(file)]) == 0
    assert advice_line(progress.placement()) == line
    said = [one["message"] for one in driver.get_log("browser")]
    assert not [one for one in said if "logo.svg" not in one and "favicon.ico" not in one]


@pytest.mark.slow
def test_the_keyboard_alone_is_enough_and_the_test_can_be_ended(
    placed: Placed, address: str
) -> None:
    driver = placed.driver
    question = placed.question(1)
    tab_to(driver, "node.parentElement.id === 'choices'")
    press(driver, *[Keys.TAB] * question.right, Keys.ENTER)
    assert placed.answered().startswith("✓ Right.")
    press(driver, Keys.ENTER)
    placed.question(2)
    press(driver, *[Keys.TAB] * len(placed.choices), Keys.SPACE)  # past the choices
    advice = placed.advice().text
    assert "1 of 1 right. The test has 20 questions." in advice
    assert advice.count("not asked") == 15
    assert placed.kept()["placement"]["answers"] == [["00", True]]


@pytest.mark.slow
@pytest.mark.parametrize(("colors", "size"), [("light", (1280, 900)), ("dark", PHONE)])
def test_the_test_can_be_read_on_every_screen(
    placed: Placed, address: str, colors: str, size: tuple[int, int]
) -> None:
    driver = placed.driver
    prefer(driver, colors)
    screen(driver, *size)
    try:
        question = placed.question(1)
        placed.choices[wrong(question)].click()
        placed.answered()
        assert hard_to_read(driver) == []
        driver.find_element(By.ID, "end").click()
        placed.advice()
        assert hard_to_read(driver) == []
        driver.find_element(By.LINK_TEXT, "All topics").click()
        placed.wait.until(lambda _: placed.text("placed"))
        assert hard_to_read(driver) == []
    finally:
        prefer(driver, "light")
        screen(driver, 1280, 900)


@pytest.mark.slow
def test_the_later_test_of_a_file_is_kept(placed: Placed, address: str, tmp_path: Path) -> None:
    driver = placed.driver
    driver.get("about:blank")
    driver.get(f"{address}/drill.html")
    saved = tmp_path / "kept.json"

    def load(when: str, right: bool) -> list[Any]:
        test = {"when": when, "answers": [["00", right]]}
        made = {"03.0": {"rows": "1"}, "03.2": {"rows": "2", "dropped": "2"}}
        saved.write_text(
            json.dumps({"version": 1, "exercises": {}, "placement": test, "predictions": made})
        )
        driver.execute_script("document.getElementById('loaded').textContent = ''")
        driver.find_element(By.ID, "file").send_keys(str(saved))
        said = "Loaded 0 answers, 0 topics of the drill and 3 predictions."
        placed.wait.until(lambda _: placed.text("loaded") == said)
        return list(placed.kept()["placement"]["answers"])

    assert load("2026-03-01T12:00:00+00:00", True) == [["00", True]]
    assert load("2026-03-01T11:00:00+00:00", False) == [["00", True]]
    assert load("2026-03-01T13:00:00+00:00", False) == [["00", False]]
    assert placed.kept()["predictions"]["03.2"] == {"rows": "2", "dropped": "2"}


def test_who_decides_where_to_begin_finds_the_test(tmp_path: Path) -> None:
    write_sources(COURSE.parent, tmp_path)
    first, *others = sorted(tmp_path.glob("course/*/*.ipynb"))
    assert "../../play/drill.html#placement" in first.read_text(encoding="utf-8")
    assert not [path for path in others if "#placement" in path.read_text(encoding="utf-8")]
    assert 'href="play/drill.html#placement"' in (tmp_path / "lessons.md").read_text(
        encoding="utf-8"
    )
