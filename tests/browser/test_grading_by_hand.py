"""A teacher grades by hand, in a browser and on nbgrader's own pages, what `grader grade` graded (no Spark)."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser.jupyterlab import browser
from nbgrader.api import Gradebook
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait
from testkit.served_notebooks import TOKEN, jupyterlab
from testkit.shoes import LESSON, grade, hand_in, make_course

pytestmark = pytest.mark.slow
SECONDS = 60
ATTACK = "<script>document.title = 'hacked'</script>A shoe."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = make_course(tmp_path)
    hand_in(root, "ada", "right", "right", "right", essay="Many shoes.")
    hand_in(root, "ben", "wrong", "right", "late", essay=ATTACK)
    grade(root)
    return root


@pytest.fixture
def driver() -> Iterator[Chrome]:
    with browser() as driver:
        yield driver


def test_a_grade_and_a_comment_by_hand_and_a_second_grading(root: Path, driver: Chrome) -> None:
    with jupyterlab(root, root) as address:
        open_ben(driver, address)
        words = found(driver, "#notebook-container").text
        assert "Home is no shoe" in words and "A shoe." in words
        assert driver.title != "hacked", "nothing of a submission runs on the teacher's page"
        if folder := os.environ.get("PICTURES"):
            driver.save_screenshot(str(Path(folder) / "formgrader.png"))
        told(found(driver, "input.score#essay"), "2.5")
        told(found(driver, "textarea#essay-comment"), "See me.")
        WebDriverWait(driver, SECONDS).until(lambda _: by_hand(root) == (2.5, "See me."))
    make_course(root, points=3.0)
    assert set(grade(root).how.values()) == {"judged"}
    with jupyterlab(root, root) as address:
        open_ben(driver, address)
        shown = [found(driver, at) for at in ("input.score#essay", "textarea#essay-comment")]
        WebDriverWait(driver, SECONDS).until(lambda _: shown[0].get_attribute("value"))
        assert [box.get_attribute("value") for box in shown] == ["2.5", "See me."]
        assert found(driver, "input.score#check-answer_2").get_attribute("placeholder") == "3"


def open_ben(driver: Chrome, address: str) -> None:
    """From the list of assignments to his notebook, as a teacher goes; names are hidden there."""
    driver.get(f"{address}formgrader/?token={TOKEN}")
    WebDriverWait(driver, SECONDS).until(
        lambda page: (
            page.find_elements(By.LINK_TEXT, LESSON) and page.find_elements(By.LINK_TEXT, "2")
        )
    )
    driver.get(f"{address}formgrader/gradebook/{LESSON}/{LESSON}")
    for number in (1, 2):
        link = WebDriverWait(driver, SECONDS).until(
            lambda page, name=f"Submission #{number}": page.find_elements(By.LINK_TEXT, name)
        )[0]
        link.click()
        if "A shoe." in found(driver, "#notebook-container").text:
            return
        driver.back()
    raise AssertionError("his submission is not there")


def found(driver: Chrome, at: str) -> WebElement:
    return WebDriverWait(driver, SECONDS).until(
        lambda page: next(
            (e for e in page.find_elements(By.CSS_SELECTOR, at) if e.is_displayed()), None
        )
    )


def told(box: WebElement, text: str) -> None:
    box.clear()
    box.send_keys(text, Keys.TAB)


def by_hand(root: Path) -> tuple[float | None, str | None]:
    """The grade and the comment that the grade book has for his essay."""
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        grade = book.find_grade("essay", LESSON, LESSON, "ben")
        comment = book.find_comment("essay", LESSON, LESSON, "ben")
        return grade.manual_score, comment.manual_comment
