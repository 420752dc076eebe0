"""A learner drills in JupyterLab: ten questions, right and wrong, by mouse and by keys; no Spark runs."""

import json
import os
from pathlib import Path
from random import Random

import nbformat
import pytest
from browser.jupyterlab import Notebook, browser, notebooks_alone
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from grader.model.drill import Question, make_question

pytestmark = pytest.mark.slow
SEED, QUESTIONS = 12, 10
WRONG = (2, 5, 8)  # the questions that are answered wrongly


def test_ten_questions_right_and_wrong(tmp_path: Path):
    cells = [nbformat.v4.new_code_cell(f'import grader; grader.drill("watermarks", seed={SEED})')]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook_file = nbformat.v4.new_notebook(cells=cells, metadata=kernel)
    nbformat.write(notebook_file, tmp_path / "drill.ipynb")
    seeds = Random(SEED)
    with notebooks_alone(tmp_path) as url, browser() as driver:
        notebook = Notebook(driver, url, "drill.ipynb")
        notebook.run(0)
        for number in range(1, QUESTIONS + 1):
            question = make_question("watermarks", level(tmp_path), seeds.randrange(1_000_000))
            notebook.wait(page_says(), 0, f"question {number}\n", question.text, seconds=30)
            wrong = next(n for n in range(len(question.choices)) if n != question.right)
            chosen = wrong if number in WRONG else question.right
            if number == 1:
                button(notebook, question.choices[chosen].text).click()
            else:
                by_keys(notebook, question, chosen)
            told = question.choices[chosen].said if number in WRONG else "✓ Right."
            notebook.wait(page_says(), 0, told, question.why, seconds=30)
            assert notebook.element(0).find_elements(By.CSS_SELECTOR, "svg.ss-lens .watermark")
            if number == WRONG[-1] and os.environ.get("PICTURES"):
                notebook.picture(0, Path(os.environ["PICTURES"]) / "drill.png")
            focused(notebook, "next question")
            ActionChains(driver).send_keys(Keys.SPACE if number % 2 else Keys.ENTER).perform()
        notebook.wait(page_says(), 0, f"question {QUESTIONS + 1}\n", "", seconds=30)
    kept = standing(tmp_path)
    assert (kept["answered"], kept["right"]) == (QUESTIONS, QUESTIONS - len(WRONG))


def standing(home: Path) -> dict:
    file = home / "state" / "progress.json"
    return json.loads(file.read_text())["drill"]["watermarks"] if file.exists() else {"level": 1}


def level(home: Path) -> int:
    return int(standing(home)["level"])


def page_says() -> str:
    return (
        "const said = window.jupyterapp.shell.currentWidget.content.widgets[arguments[0]].node.innerText;"
        "return said.includes(arguments[1]) && said.includes(arguments[2])"
    )


def button(notebook: Notebook, text: str) -> WebElement:
    found = notebook.element(0).find_elements(By.CSS_SELECTOR, ".ss-drill button")
    return next(one for one in found if one.text == text)


def by_keys(notebook: Notebook, question: Question, chosen: int) -> None:
    """The first choice has the focus; Tab goes on, Space and Enter choose."""
    focused(notebook, question.choices[0].text)
    keys = [Keys.TAB] * chosen + [Keys.ENTER if chosen % 2 else Keys.SPACE]
    ActionChains(notebook.driver).send_keys(*keys).perform()


def focused(notebook: Notebook, text: str) -> None:
    notebook.wait(
        "return document.activeElement.innerText?.trim() === arguments[0]", text.strip(), seconds=30
    )
