"""The questions before a run on a lesson's page: answered as in the lab, kept, and readable without JavaScript."""

import itertools
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import nbformat
import pytest
from browser.jupyterlab import browser
from page.page_cases import COURSE
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait
from testkit.site_browser import (
    PHONE,
    overflow,
    prefer,
    press,
    screen,
    serious_faults,
    served,
    tab_to,
)

import grader
from grader.judging.check_pack import FILE_NAME, PackedPrediction, read_pack
from grader.site.page_sources import to_read
from grader.site.prediction_forms import prediction_forms

LESSONS = sorted(path.name for path in COURSE.glob("[0-9]*_*"))
OTHER = {"time": "23:59:58", "number": "987"}  # what no author foresaw
WATERMARKS = "course/03_watermarks/03_watermarks.html"
# a run among the cells below the questions, as a page has it after `grader verify --notebooks`
RUN = """
const [, cell] = document.querySelectorAll('.predict[data-exercise="03.0"] ~ .cell');
cell.insertAdjacentHTML('beforeend', '<div class="cell_output" id="run">watermark 12:04:00</div>');
cell.insertAdjacentHTML('afterend', '<p id="why">Read the output.</p>');
"""


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_STATE", str(tmp_path))


def replies(form: str, name: str) -> dict[str, str]:
    """By value, and by "" for any other one, what a form says of answers to a question."""
    (template,) = re.findall(rf'data-name="{name}".*?<template>(.*?)</template>', form, re.DOTALL)
    found = re.findall(r'<p(?: data-value="(\d+)")?>(.*?)</p>', template)
    return {value: plain(said) for value, said in found}


def plain(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


def value_of(answer: str) -> str:
    """As predictions.js reads it."""
    value = 0
    for part in answer.split(":"):
        value = 60 * value + int(part)
    return str(value)


def in_lab(exercise: str, name: str, answer: str, capsys: pytest.CaptureFixture[str]) -> str:
    grader.predict(exercise, **{name: answer})
    return capsys.readouterr().out.strip().replace("`", "")


@pytest.mark.parametrize("lesson", LESSONS)
def test_each_answer_gets_the_labs_reply(
    lesson: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(COURSE / lesson)
    pack = read_pack(COURSE / lesson / FILE_NAME)
    forms = prediction_forms(pack)
    asking = {id: packed for id, packed in pack.exercises.items() if packed.predictions}
    assert asking.keys() == forms.keys() and asking
    for id, packed in asking.items():
        for one in packed.predictions:
            said = replies(forms[id], one.name)
            for answer in (one.answer, *one.wrong):
                assert said.pop(value_of(answer)) == in_lab(id, one.name, answer, capsys)
            other = other_than(one)
            before, after = in_lab(id, one.name, other, capsys).split(other)
            assert said == {"": before + after}


def other_than(asked: PackedPrediction) -> str:
    return OTHER["time" if ":" in asked.answer else "number"]


@pytest.mark.parametrize("lesson", LESSONS)
def test_each_question_of_a_notebook_has_its_form_below_it(lesson: str) -> None:
    forms = prediction_forms(read_pack(COURSE / lesson / FILE_NAME))
    notebook = nbformat.read(COURSE / lesson / f"{lesson}.ipynb", as_version=4)
    cells = to_read(notebook, lesson, (), forms).cells
    below = {}
    for cell, after in itertools.pairwise(cells):
        if cell.cell_type == "code" and (
            call := re.match(r'grader\.predict\("(.*?)"', cell.source)
        ):
            below[call[1]] = after.source
    assert below == forms
    for form in forms.values():
        assert "\n\n" not in form  # a blank line would end the HTML
        assert form.count("<details>") == form.count("<label") == form.count("<form hidden>")


class Lesson:
    """A lesson's page and its first questions, as a reader uses them."""

    def __init__(self, driver: webdriver.Chrome, address: str):
        self.driver = driver
        driver.get(f"{address}/{WATERMARKS}")
        driver.execute_script(RUN)
        self.form = driver.find_element(By.CLASS_NAME, "predict")
        WebDriverWait(driver, 60, 0.05).until(lambda _: self.inputs[0].is_displayed())

    @property
    def inputs(self) -> list[WebElement]:
        return self.form.find_elements(By.TAG_NAME, "input")

    @property
    def said(self) -> list[str]:
        return [one.text for one in self.form.find_elements(By.CLASS_NAME, "reply")]

    def shown(self, *ids: str) -> list[bool]:
        return [self.driver.find_element(By.ID, id).is_displayed() for id in ids]

    def kept(self) -> Any:
        found = "return JSON.parse(localStorage.getItem('stateful-streams.play')).predictions"
        return self.driver.execute_script(found)


@pytest.fixture(scope="module")
def home(site: Path) -> Iterator[str]:
    with served(site) as address:
        yield address


@pytest.fixture
def page(driver: webdriver.Chrome, home: str) -> Lesson:
    driver.get(f"{home}/{WATERMARKS}")
    driver.execute_script("localStorage.clear()")
    driver.get("about:blank")
    return Lesson(driver, home)


@pytest.mark.slow
def test_a_prediction_comes_before_the_output_and_is_explained_and_kept(
    page: Lesson, home: str
) -> None:
    assert page.shown("run", "why") == [False, False]
    watermark, dropped, rows = page.inputs
    watermark.send_keys("12:02:20", Keys.ENTER)
    wrong, *others = page.said
    assert wrong.startswith("✗ watermark is not 12:02:20. That is the last click minus the delay.")
    assert others == ["", ""]
    watermark.clear()
    watermark.send_keys("twelve", Keys.ENTER)  # no time: the field says what it takes
    assert page.said[0] == wrong
    watermark.clear()
    watermark.send_keys("12:04:00", Keys.ENTER)
    assert page.said[0].startswith("✓ watermark = 12:04:00. The newest click so far is 12:06:00")
    dropped.send_keys("0", Keys.ENTER)
    assert page.shown("run", "why") == [False, False]
    rows.send_keys("5", Keys.ENTER)
    assert page.said[2].startswith("✗ rows is not 5. Go through the steps again")
    assert page.shown("run", "why") == [True, True]
    unfolded = [
        one for one in page.form.find_elements(By.TAG_NAME, "summary") if one.is_displayed()
    ]
    assert len(unfolded) == 1  # the answer to the question that is wrong
    unfolded[0].click()
    assert "The watermark advances to 12:06:00" in page.form.text
    assert page.kept() == {"03.0": {"watermark": "12:02:20", "dropped": "0", "rows": "5"}}

    page.driver.get("about:blank")
    again = Lesson(page.driver, home)
    assert again.said[0] == wrong and again.said[1].startswith("✓ dropped = 0.")
    assert again.shown("run", "why") == [True, True]


@pytest.mark.slow
def test_the_keyboard_alone_is_enough_to_predict_or_to_read_on(page: Lesson) -> None:
    driver = page.driver
    page.form.click()  # begin here, and not at the top of the page
    driver.execute_script("arguments[0].focus()", page.form)
    tab_to(driver, "node === document.querySelector('.predict input')")
    press(driver, *"12:04:00", Keys.TAB, Keys.SPACE)  # the button
    assert page.said[0].startswith("✓ watermark = 12:04:00.")
    assert driver.find_element(By.CSS_SELECTOR, ".predict .reply").get_attribute("role") == "status"
    tab_to(driver, "node.textContent === 'Show it now'")
    press(driver, Keys.ENTER)
    assert page.shown("run", "why") == [True, True]
    assert driver.execute_script("return document.activeElement.className") == "predict"


@pytest.mark.slow
def test_questions_on_a_readers_own_answer_cover_nothing(page: Lesson) -> None:
    forms = page.driver.find_elements(By.CLASS_NAME, "predict")
    covers = [
        one.get_attribute("data-exercise")
        for one in forms
        if "covers" in one.get_attribute("class")
    ]
    assert len(forms) == 5 and covers == ["03.0"]


@pytest.mark.slow
@pytest.mark.parametrize(("colors", "size"), [("light", (1280, 900)), ("dark", PHONE)])
def test_questions_can_be_read_on_every_screen(
    page: Lesson, home: str, colors: str, size: tuple[int, int]
) -> None:
    driver = page.driver
    prefer(driver, colors)
    screen(driver, *size)
    driver.get("about:blank")  # on load, the theme lets keys scroll what is too wide
    page = Lesson(driver, home)
    try:
        page.inputs[0].send_keys("12:04:00", Keys.ENTER)
        page.inputs[1].send_keys("1", Keys.ENTER)
        assert overflow(driver) <= 0 and serious_faults(driver) == []
    finally:
        prefer(driver, "light")
        screen(driver, 1280, 900)


@pytest.mark.slow
def test_without_javascript_the_answers_can_be_unfolded(home: str) -> None:
    with browser() as driver:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        driver.get(f"{home}/{WATERMARKS}")
        form = driver.find_element(By.CLASS_NAME, "predict")
        assert not form.find_element(By.TAG_NAME, "input").is_displayed()
        summary = form.find_element(By.TAG_NAME, "summary")
        assert "12:04:00 The newest click so far" not in form.text
        summary.click()
        assert "12:04:00 The newest click so far" in form.text
