"""The page in which exercises are written: what it lists and loads, and answers of every kind in Chromium."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from browser.jupyterlab import browser
from page.page_cases import COURSE, offered
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait
from testkit.site_browser import (
    AXE,
    PHONE,
    hard_to_read,
    letter_sizes,
    overflow,
    prefer,
    press,
    screen,
    served,
    tab_to,
)

from grader.errors import SetupError
from grader.site import npm_packages
from grader.site.play_assets import PLAY_BYTES, gzipped_bytes
from grader.site.play_frame import POLICY
from grader.site.play_page import play_page

RIGHT = """
def late_clicks(clicks):
    timed = clicks.withWatermark("event_time", "10 seconds")
    return timed.groupBy(F.window("event_time", "5 minutes"), "page").agg(F.count("*").alias("clicks"))
"""
MISTAKEN = RIGHT.replace("10 seconds", "10 minutes")
LAB_ONLY = RIGHT.replace('"event_time", "5', 'clicks.event_time, "5')
ENDLESS = "def late_clicks(clicks):\n    while True:\n        pass\n"


@pytest.fixture(scope="module")
def page() -> str:
    return play_page(COURSE)


def test_it_lists_the_exercises_that_are_offered_and_no_other(page: str) -> None:
    assert re.findall(r'<li><a href="#([\d.]+)">', page) == sorted(offered())
    assert re.findall(r'<article id="([\d.]+)"', page) == sorted(offered())


def test_an_exercise_has_one_title(page: str) -> None:
    assert '<a href="#03.2">03.2 Count late clicks</a>' in page and "Late clicks" not in page
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    assert data["03.2"]["title"] == "Count late clicks"
    for id, one in data.items():
        heading = re.search(rf"<h2>Exercise {id}: (.*?)</h2>", page)
        assert heading
        plain = re.sub(r"</?code>", "", unescape(heading[1]))
        assert one["title"].lower() == plain.lower(), id


def test_it_shows_the_task_and_no_solution(page: str) -> None:
    task = page[page.index('<article id="03.2"') : page.index('<article id="03.3"')]
    assert "<h2>Exercise 03.2: Count late clicks</h2>" in task and "<table>" in task
    assert "BEGIN SOLUTION" not in page
    assert "def just_too_late" not in page.partition('id="data"')[0]  # an answer cell is no task


def test_it_shows_the_query_that_is_to_be_repaired(page: str) -> None:
    """Its cell in the notebook also calls the lens, which a page does not have."""
    for name in ("till_minutes_as_it_is", "scans_as_it_is", "stuck", "reminders_as_they_are"):
        assert f"def {name}(" in page, name
    assert page.count("Copy this query into your answer") == 5


def test_it_shows_what_the_code_of_a_task_prints(page: str) -> None:
    assert "18:05:04   17:22:01      2583 s    2400 s" in page


def test_no_task_names_a_command_of_the_lab(page: str) -> None:
    tasks = page[page.index("<article") : page.index('id="data"')]
    assert "grader." not in tasks and "Predict three results" not in tasks
    assert "The check shows each wrong call" in tasks
    assert "A check draws what your events did." in tasks


def test_the_page_itself_loads_nothing_from_another_server_and_runs_no_script_of_its_own(
    page: str,
) -> None:
    assert f'content="{POLICY}"' in page and "unsafe-inline" not in POLICY
    assert not re.search(r'(?:src|<link[^>]* href)="(?:\w+:|//)', page)
    assert re.findall(r"<script(?![^>]* src=)([^>]*)>", page) == [
        ' type="application/json" id="data"'
    ]
    assert "<style" not in page and " style=" not in page


_PASTE = """
const [content, code] = arguments, clipboardData = new DataTransfer();
clipboardData.setData("text/plain", code);
content.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
"""


@pytest.mark.slow
def test_without_a_network_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npm_packages, "cache_dir", lambda: tmp_path / "cache")
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:1/")
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    with pytest.raises(SetupError, match="Fix: run the command once with a network"):
        npm_packages.install(AXE, tmp_path)


class Player:
    """The page, opened at an exercise, as a learner uses it."""

    def __init__(self, driver: webdriver.Chrome, address: str, exercise: str):
        self.driver = driver
        driver.get(f"{address}/index.html#{exercise}")

    def check(self, code: str) -> str:
        """Check some code; returns what the verdict is."""
        self.write(code)
        self.driver.find_element(By.ID, "check").click()
        return self.verdict()

    def write(self, code: str) -> None:
        """Put code in the place of all that the editor holds, as a paste does."""
        self.content.send_keys(Keys.CONTROL, "a")
        self.driver.execute_script(_PASTE, self.content, code)

    @property
    def content(self) -> WebElement:
        editor = self.driver.find_element(By.ID, "editor").shadow_root
        return editor.find_element(By.CSS_SELECTOR, ".cm-content")

    @property
    def code(self) -> str:
        lines = "return [...arguments[0].querySelectorAll('.cm-line')].map(line => line.textContent).join('\\n')"
        return str(self.driver.execute_script(lines, self.content))

    def verdict(self) -> str:
        verdict = self.driver.find_element(By.ID, "verdict")
        wait = WebDriverWait(self.driver, 120, 0.05)
        return str(wait.until(lambda _: verdict.get_attribute("data-status")))

    @property
    def words(self) -> str:
        card = "document.querySelector('#verdict .card')?.shadowRoot.querySelector('.ss-verdict').innerText"
        around = "document.getElementById('verdict').innerText"
        return str(self.driver.execute_script(f"return ({card} ?? '') + {around}"))

    def in_card(self, script: str) -> object:
        """A JavaScript expression about the `card` that shows the verdict."""
        card = "const card = document.querySelector('#verdict .card').shadowRoot; "
        return self.driver.execute_script(f"{card} return {script}")

    @property
    def picture(self) -> int:
        """The number of pictures of a run that are shown."""
        shown = "[...card.querySelectorAll('svg')].filter((one) => one.checkVisibility()).length"
        return int(str(self.in_card(shown)))


@pytest.mark.slow
def test_everything_that_it_loads_is_there_and_small(play: Path) -> None:
    loaded = gzipped_bytes(play)
    print(f"\n{loaded:,} bytes, gzipped")
    assert loaded <= PLAY_BYTES
    kept = json.loads((play / "files.js").read_text(encoding="utf-8").partition("FILES = ")[2][:-2])
    assert {*kept, "sw.js", "files.js"} == {path.name for path in play.iterdir()}


@pytest.mark.slow
def test_answers_of_every_kind(driver: webdriver.Chrome, address: str) -> None:
    player = Player(driver, address, "03.2")
    assert player.check(player.code) == "not_attempted"
    assert player.check(RIGHT) == "passed"
    assert "not by Spark: not a grade" in player.words
    assert "kills the query and restarts it" in player.words
    assert player.picture == 1
    assert player.check(MISTAKEN) == "failed"
    assert "Likely cause: Delay in minutes instead of seconds" in player.words
    assert player.picture == 1
    assert (
        player.check(RIGHT.replace("    return", '    print("I am here")\n    return')) == "passed"
    )
    assert "What your answer printed" in player.words
    assert player.check(LAB_ONLY) == "only_lab"
    assert "Only the lab can judge this: the column event_time of another" in player.words
    assert player.check(ENDLESS) == "timeout"
    assert "did not end within 10 seconds" in player.words
    assert player.check(RIGHT) == "passed"  # Python has started again
    hint = driver.find_element(By.ID, "hint")
    while hint.get_attribute("aria-disabled") == "false":
        hint.click()
    assert len(driver.find_elements(By.CSS_SELECTOR, "#hints li")) >= 3
    said = [line["message"] for line in driver.get_log("browser")]
    assert not [line for line in said if "_static/logo.svg" not in line]


@pytest.mark.slow
@pytest.mark.parametrize(("colors", "size"), [("light", (1280, 900)), ("dark", PHONE)])
def test_it_can_be_read_on_every_screen(
    driver: webdriver.Chrome, address: str, colors: str, size: tuple[int, int]
) -> None:
    prefer(driver, colors)
    screen(driver, *size)
    try:
        driver.get(f"{address}/index.html")
        assert hard_to_read(driver) == []
        Player(driver, address, "03.2").check(MISTAKEN)
        assert hard_to_read(driver) == []
    finally:
        prefer(driver, "light")
        screen(driver, 1280, 900)


@pytest.mark.slow
@pytest.mark.parametrize("colors", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE[0], 700, 1280])
def test_the_picture_of_a_run_fits_the_screen(
    driver: webdriver.Chrome, address: str, colors: str, width: int
) -> None:
    prefer(driver, colors)
    screen(driver, width, 844)
    try:
        player = Player(driver, address, "03.2")
        assert player.check(RIGHT.replace("10 seconds", "5 seconds")) == "failed"
        assert len(letter_sizes(driver)) > 40 and min(letter_sizes(driver)) >= 11
        assert overflow(driver) <= 0
        ink = {"light": "rgb(34, 34, 34)", "dark": "rgb(221, 221, 221)"}[colors]
        assert player.in_card("getComputedStyle(card.querySelector('.ss-lens')).fill") == ink
        assert player.in_card("card.querySelectorAll('.ss-words > ol > li').length") == 6
        player.in_card("card.querySelector('.ss-words summary').click()")
        words = str(player.in_card("card.querySelector('.ss-words').innerText"))
        assert "Step 4, micro-batch" in words and "dropped as late." in words
        assert min(letter_sizes(driver)) >= 11 and hard_to_read(driver) == []
    finally:
        prefer(driver, "light")
        screen(driver, 1280, 900)


@pytest.mark.slow
def test_a_laptop_shows_the_editor_beside_the_task(driver: webdriver.Chrome, address: str) -> None:
    below = "return document.getElementById(arguments[0]).getBoundingClientRect().bottom"
    screen(driver, 1280, 720)
    try:
        player = Player(driver, address, "03.2")
        driver.execute_script("scrollTo(0, 0)")
        assert driver.execute_script(below, "editor") < 720
        assert driver.execute_script(below, "check") < 720
        tasks, editor = (driver.find_element(By.ID, name).rect for name in ("tasks", "editor"))
        assert tasks["x"] + tasks["width"] < editor["x"] and tasks["height"] > 720
        assert player.check(MISTAKEN) == "failed"
        assert (
            0
            <= driver.find_element(By.ID, "verdict").rect["y"]
            - driver.execute_script("return scrollY")
            < 100
        )
    finally:
        screen(driver, 1280, 900)


@pytest.mark.slow
def test_the_keyboard_alone_is_enough(driver: webdriver.Chrome, address: str) -> None:
    player = Player(driver, address, "")
    tab_to(driver, "node.hash === '#11.4'", most=60)
    press(driver, Keys.ENTER)
    tab_to(driver, "node.id === 'editor'")
    press(driver, Keys.TAB)  # it indents
    assert player.code.startswith("    def how_many_stores")
    press(driver, Keys.ESCAPE)
    tab_to(driver, "node.id === 'hint'", most=2)
    press(driver, Keys.ENTER)
    assert len(driver.find_elements(By.CSS_SELECTOR, "#hints li")) == 1
    tab_to(driver, "node.id === 'again'", most=1)
    press(driver, Keys.ENTER)
    player.content.send_keys(Keys.CONTROL, Keys.ENTER)
    assert player.verdict() == "not_attempted"
    driver.find_element(By.ID, "check").send_keys(Keys.ENTER)
    assert player.verdict() == "not_attempted"
    assert driver.execute_script("return document.activeElement.id") == "check"
    driver.execute_script("localStorage.clear()")


@pytest.mark.slow
def test_answers_are_kept_saved_and_loaded(
    driver: webdriver.Chrome, address: str, tmp_path: Path
) -> None:
    driver.get(f"{address}/index.html")
    driver.execute_script("localStorage.clear()")
    driver.get("about:blank")  # the page itself remembers its answers, too
    player = Player(driver, address, "11.4")
    player.write("def how_many_stores(report, cores, rows):\n    return 7\n")
    driver.get("about:blank")
    player = Player(driver, address, "11.4")
    assert "return 7" in player.code
    again = driver.find_element(By.ID, "again")
    again.click()
    assert "return 7" not in player.code and again.text == "Back to my answer"
    again.click()
    assert "return 7" in player.code
    saved = tmp_path / "answers.json"
    saved.write_text(json.dumps(answers_of(RIGHT)))
    driver.get(f"{address}/index.html")
    assert mark_of(driver, "11.4") == "begun" and mark_of(driver, "03.2") == ""
    driver.find_element(By.ID, "file").send_keys(str(saved))
    wait = WebDriverWait(driver, 20, 0.05)
    wait.until(lambda _: mark_of(driver, "03.2") == "✓ passed")
    assert mark_of(driver, "11.4") == "begun"
    assert "You have passed 1 of" in driver.find_element(By.ID, "passed").text
    saved.write_text('{"version": 1}')
    driver.find_element(By.ID, "file").send_keys(str(saved))
    wait.until(lambda _: driver.find_element(By.ID, "loaded").text.startswith("Not loaded"))
    assert Player(driver, address, "03.2").code.strip() == RIGHT.strip()
    driver.execute_script("localStorage.clear()")


def answers_of(code: str) -> dict[str, Any]:
    return {"version": 1, "exercises": {"03.2": {"code": code, "passed": True}}}


def mark_of(driver: webdriver.Chrome, exercise: str) -> str:
    found = driver.find_element(By.CSS_SELECTOR, f"[data-mark='{exercise}']")
    return str(found.get_attribute("textContent"))


@pytest.mark.slow
def test_a_later_visit_needs_no_network(play: Path) -> None:
    kept = "return navigator.serviceWorker.getRegistration().then(found => Boolean(found?.active))"
    with browser() as driver:
        with served(play, POLICY) as address:
            driver.get(f"{address}/index.html#11.4")
            WebDriverWait(driver, 120, 0.1).until(lambda _: driver.execute_script(kept))
        driver.get("about:blank")
        player = Player(driver, address, "03.2")  # its server has stopped
        assert player.check(RIGHT) == "passed"


_JUDGED = """
const [exercise, code, done] = arguments;
import(new URL("python.js", document.baseURI))
  .then((python) => python.judged(exercise, code)).then((reply) => done(reply.status), (error) => done(String(error)));
"""


@pytest.mark.slow
def test_every_solution_passes_in_the_browser(driver: webdriver.Chrome, address: str) -> None:
    """Its Python has only a part of the library, which must be enough for each exercise."""
    driver.get(f"{address}/index.html")
    driver.set_script_timeout(120)
    found = {
        id: driver.execute_async_script(_JUDGED, id, source.solution.text)
        for id, source in offered().items()
    }
    assert {id: said for id, said in found.items() if said != "passed"} == {}
