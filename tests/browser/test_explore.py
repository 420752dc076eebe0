"""grader.explore in JupyterLab: a slider by keyboard, a move of an event, and Spark that agrees."""

import shutil
from pathlib import Path

import pytest
from browser.jupyterlab import Notebook, browser, lab
from browser.test_in_jupyterlab import ROOT, pictures
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

pytestmark = pytest.mark.slow
SAID = "return document.querySelector('.ss-said')?.innerText || ''"
PICTURE = "return document.querySelector('.ss-explore svg')?.outerHTML || ''"


def test_a_knob_is_turned_an_event_moved_and_spark_agrees(tmp_path: Path) -> None:
    for name in ("course", "datasets", "grader"):
        shutil.copytree(ROOT / name, tmp_path / name)
    with lab(tmp_path) as url, browser() as driver:
        notebook = Notebook(driver, url, "03_watermarks/03_watermarks.ipynb")
        notebook.run(notebook.index("import grader"))
        cell = notebook.index("grader.start()")
        notebook.write(cell, 'grader.explore("03.0")')  # before Spark has started
        assert "Error" not in notebook.run(cell)
        notebook.wait("return !!document.querySelector('.ss-explore svg')")
        before = driver.execute_script(PICTURE)
        assert "dropped as late" in before

        handle = driver.find_element(By.CSS_SELECTOR, ".ss-explore .noUi-handle")
        driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", handle)
        handle.send_keys(Keys.ARROW_RIGHT)  # 5 minutes of patience instead of 2
        tells(notebook, "12:04:50 is not dropped any more", late=False)

        tick = driver.find_element(By.CSS_SELECTOR, ".ss-explore input[type=checkbox]")
        assert "watermark that evicts" not in driver.execute_script(PICTURE)
        tick.send_keys(Keys.SPACE)
        notebook.wait(f"return (() => {{{PICTURE}}})().includes('watermark that evicts')")

        press(notebook, "+10 min")  # the first click: the watermark is ahead of all others
        tells(notebook, "12:04:50 is dropped as late now", late=True)
        press(notebook, "take it away")
        tells(notebook, "12:04:50 is not dropped any more", late=False)

        press(notebook, "Ask Spark")
        notebook.wait(f"return (() => {{{SAID}}})().includes('Spark agrees')", seconds=120)
        folder = pictures()
        if folder:
            box = driver.find_element(By.CSS_SELECTOR, ".ss-explore")
            driver.execute_script("arguments[0].scrollIntoView({block: 'start'})", box)
            box.screenshot(str(folder / "explore.png"))


def tells(notebook: Notebook, words: str, late: bool) -> None:
    """Wait for the words and for the picture, each of which reaches the page by itself."""
    notebook.wait(
        f"return (() => {{{SAID}}})().includes(arguments[0])"
        f" && (() => {{{PICTURE}}})().includes('dropped as late') === arguments[1]",
        words,
        late,
    )


def press(notebook: Notebook, name: str) -> None:
    notebook.wait(
        "const found = [...document.querySelectorAll('.ss-explore button')]"
        ".find(b => b.innerText.trim() === arguments[0] && !b.disabled);"
        "found?.click(); return !!found",
        name,
    )
