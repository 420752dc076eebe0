"""A learner in JupyterLab: a wrong answer, the lens, the right answer, progress."""

import os
import re
import shutil
from pathlib import Path

import pytest
from browser.jupyterlab import Notebook, browser, lab
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.wait import WebDriverWait

from grader.authoring.lesson_source import read_lessons

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
BOTH = ".ss-player input[type=checkbox]"  # shows both watermarks
# exercise, the mistake that is made first, whether the model reads it
VISITS = {
    "03_watermarks": ("03.2", "window_length_as_delay", True),
    "05_chained_windows": ("05.1", "dividing_by_six", False),
    "06_joins": ("06.1", "inner_join", True),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    for name in ("course", "datasets", "grader"):
        shutil.copytree(ROOT / name, folder / name)
    return folder


def pictures() -> Path | None:
    """Where pictures for docs/ go: PICTURES=docs/pictures makes them anew."""
    return Path(os.environ["PICTURES"]) if os.environ.get("PICTURES") else None


def wrong_cell(right: str, lesson: str, exercise: str, mistake: str) -> tuple[str, str]:
    """An answer cell that makes a known mistake, and that mistake's title."""
    source = next(
        s
        for x in read_lessons(ROOT / "solutions")
        if x.name == lesson
        for s in x.exercises
        if s.exercise.id == exercise
    )
    found = next(m for m in source.misconceptions if m.id == mistake)
    text = (source.folder / "misconceptions.py").read_text()
    return f"{text}\n\n{source.exercise.answer} = {found.id}\n", found.title


def test_a_learner_is_told_the_idea_and_sees_the_run_until_it_passes(home: Path) -> None:
    lessons = {lesson.name: lesson for lesson in read_lessons(ROOT / "solutions")}
    with lab(home) as url, browser() as driver:
        for name, (exercise, mistake, read) in VISITS.items():
            lesson = lessons[name]
            source = next(s for s in lesson.exercises if s.exercise.id == exercise)
            answer = source.exercise.answer
            notebook = Notebook(driver, url, f"{name}/{name}.ipynb")
            shows_worked_example(notebook, lesson.id)
            notebook.run(notebook.index("import grader"))
            start = notebook.run(notebook.index("grader.start()"))
            assert "Error" not in start
            check = notebook.index(f'grader.check("{exercise}"')
            solve = notebook.index(f"def {answer}(")
            for number, text in enumerate(lesson.tagged("given")[1:]):
                cell = notebook.index(text.splitlines()[0])
                assert "Error" not in notebook.run(cell), (number, text)

            if name == "03_watermarks":
                notebook.write(check, 'spark.readStream.format("rate").load().show()')
                told = notebook.run(check)
                assert "Your code calls `show()` on a stream." in told
                assert "Queries with streaming sources must be executed" in told
                notebook.write(check, f'grader.check("{exercise}", {answer})')
            notebook.write(check, "grader.progress()")
            assert f"{exercise} {source.exercise.title} not started" in notebook.run(check)
            notebook.write(check, f'grader.check("{exercise}", {answer})')
            assert "not attempted" in run_answer(notebook, solve, check, None)

            wrong, title = wrong_cell(lesson.cell(answer), name, exercise, mistake)
            told = run_answer(notebook, solve, check, wrong)
            assert title in told
            assert "Traceback" not in told
            assert notebook.element(check).find_elements(By.CSS_SELECTOR, "svg.ss-lens")
            if pictures():
                notebook.picture(check, pictures() / f"{name}-wrong.png")  # type: ignore[operator]

            notebook.write(check, f'grader.lens("{exercise}", {answer})')
            notebook.run(check)
            plays_through(notebook, check, name)
            if read:
                shows_both_watermarks(notebook, check, name)
            else:
                assert not notebook.element(check).find_elements(By.CSS_SELECTOR, BOTH)

            notebook.write(check, f'grader.check("{exercise}", {answer})')
            told = run_answer(notebook, solve, check, lesson.cell(answer))
            assert f"✓ {exercise}" in told
            assert f"The solution of {exercise}, discussed" in told
            notebook.write(check, "grader.progress()")
            assert f"{exercise} {source.exercise.title} passed" in notebook.run(check)


def test_the_lab_opens_on_the_course_and_the_progress_page_follows_the_checks(home: Path) -> None:
    """The first page leads on. Beside a lesson, the page changes by itself when an exercise is passed."""
    lesson = next(x for x in read_lessons(ROOT / "solutions") if x.name == "00_orientation")
    with lab(home) as url, browser() as driver:
        driver.get(url)
        opens_on_the_course(driver)
        page = Notebook(driver, url, "progress.ipynb", opened=True)
        cell = page.index("grader.progress(live=True)")
        before = page.run(cell)
        assert "00.1 Filter long visits to the checkout not started" in before
        where = "return window.jupyterapp.shell.currentWidget.content.widgets[arguments[0]].node.innerText"
        driver.execute_script(
            "window.jupyterapp.commands.execute('docmanager:open', {path: arguments[0]})",
            f"{lesson.name}/{lesson.name}.ipynb",
        )
        notebook = Notebook(driver, url, f"{lesson.name}/{lesson.name}.ipynb", opened=True)
        notebook.run(notebook.index("import grader"))
        notebook.run(notebook.index("grader.start()"))
        solve = notebook.index(f"def {lesson.exercises[0].exercise.answer}(")
        notebook.write(solve, lesson.cell(lesson.exercises[0].exercise.answer))
        notebook.run(solve)
        assert "✓ 00.1" in notebook.run(notebook.index('grader.check("00.1"'))
        driver.execute_script(
            "window.jupyterapp.commands.execute('docmanager:open', {path: 'progress.ipynb'})"
        )
        page.wait(
            f"return ({where[7:]}).includes('00.1 Filter long visits to the checkout passed')",
            cell,
            seconds=30,
        )
        if pictures():
            page.picture(cell, pictures() / "progress.png")  # type: ignore[operator]
        link = page.element(cell).find_element(By.CSS_SELECTOR, ".ss-next a")
        assert link.text.startswith("00.2")
        link.click()
        page.wait("return window.jupyterapp.shell.currentWidget?.context?.path === arguments[0]",
                  f"{lesson.name}/{lesson.name}.ipynb", seconds=30)  # fmt: skip


def opens_on_the_course(driver: WebDriver) -> None:
    """The first page comes up by itself, without tools for teachers, and its links open notebooks."""
    WebDriverWait(driver, 240).until(
        lambda page: page.execute_script(
            "return window.jupyterapp?.shell.currentWidget?.context?.path === 'welcome.md'"
            " && !document.querySelector('.jp-mod-restoring')"
        )
    )
    commands = driver.execute_script("return window.jupyterapp.commands.listCommands()")
    assert not [name for name in commands if "nbgrader" in name]
    driver.find_element(By.LINK_TEXT, "progress.ipynb").click()


def shows_worked_example(notebook: Notebook, lesson: str) -> None:
    """The released notebook has the picture of its worked example's run, before anything runs."""
    notebook.wait(
        "const w = window.jupyterapp.shell.currentWidget.content;"
        "const n = w.widgets.findIndex(c => c.model.sharedModel.getSource().includes(`](${arguments[0]}.0.svg)`));"
        "w.scrollToItem(n, 'start');"
        "return [...w.widgets[n].node.querySelectorAll('img')]"
        ".some(i => i.complete && i.naturalWidth > 300 && i.src.includes(`${arguments[0]}.0.svg`))",
        lesson,
        seconds=60,
    )


def run_answer(notebook: Notebook, solve: int, check: int, text: str | None) -> str:
    if text is not None:
        notebook.write(solve, text)
    notebook.run(solve)
    return notebook.run(check)


def plays_through(notebook: Notebook, cell: int, name: str) -> None:
    """Step the player back to the start and through all steps again."""
    box = notebook.element(cell)
    back, forth = (
        next(
            b
            for b in box.find_elements(By.CSS_SELECTOR, "button.jupyter-button")
            if b.text.strip() == text
        )
        for text in ("◀ step", "step ▶")
    )
    picture = box.find_element(By.CSS_SELECTOR, ".ss-player svg.ss-lens")
    steps = len(re.findall(r"step \d", picture.text))
    whole = picture.get_attribute("aria-label")
    for button in [back] * steps + [forth] * steps:
        before = label(box)
        button.click()
        notebook.wait(
            "return arguments[0].querySelector('.ss-player svg.ss-lens').getAttribute('aria-label') !== arguments[1]",
            box,
            before,
            seconds=20,
        )
        if pictures() and button is forth and label(box) != whole:
            box.screenshot(str(pictures() / f"{name}-lens.png"))  # type: ignore[operator]
    assert label(box) == whole


def shows_both_watermarks(notebook: Notebook, cell: int, name: str) -> None:
    """The box is ticked by keyboard: the watermark that evicts comes and goes."""
    box = notebook.element(cell)
    tick = box.find_element(By.CSS_SELECTOR, BOTH)
    seen = "return !!arguments[0].querySelector('.ss-player svg.ss-lens polyline.evicts')"
    for shown in (True, False):
        tick.send_keys(Keys.SPACE)
        notebook.wait(f"{seen} === arguments[1]", box, shown, seconds=20)
        if pictures() and shown:
            box.screenshot(str(pictures() / f"{name}-both.png"))  # type: ignore[operator]


def label(box: object) -> str | None:
    return box.find_element(By.CSS_SELECTOR, ".ss-player svg.ss-lens").get_attribute("aria-label")  # type: ignore[attr-defined]
