"""From a page to the same lesson in the lab: on this machine, in Colab, in Codespaces, with the answer."""

from pathlib import Path

import pytest
from page.page_cases import COURSE
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from testkit.site_browser import PHONE, hard_to_read, prefer, screen

from grader.site.lab_links import lab_links
from grader.site.page_sources import write_sources
from grader.site.play_page import play_page

PROJECT = Path(__file__).parents[2]
COLAB = "https://colab.research.google.com/github/me/streams/blob/v0.2.0/course/03_watermarks/03_watermarks.ipynb"
CODESPACES = "https://codespaces.new/me/streams?quickstart=1"


@pytest.fixture
def on_github(monkeypatch: pytest.MonkeyPatch) -> None:
    """A build by GitHub of the tag v0.2.0."""
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.com")
    monkeypatch.setenv("GITHUB_REPOSITORY", "me/streams")
    monkeypatch.setenv("GITHUB_REF_NAME", "v0.2.0")


@pytest.mark.usefixtures("on_github")
def test_a_lesson_has_a_command_for_this_machine_and_addresses_of_hosted_labs() -> None:
    links = lab_links("03_watermarks")
    assert (links.installed, links.clone) == ("stateful-streams lab 03", "make lab LESSON=03")
    assert (links.colab, links.codespaces) == (COLAB, CODESPACES)
    assert (PROJECT / links.notebook).is_file()


@pytest.mark.parametrize("server", ["", "https://git.example"])
def test_where_the_repository_is_not_on_github_there_are_no_hosted_labs(
    monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    monkeypatch.setenv("GITHUB_SERVER_URL", server)
    monkeypatch.setenv("GITHUB_REPOSITORY", "me/streams")
    links = lab_links("03_watermarks")
    assert (links.colab, links.codespaces) == ("", "")
    assert "Colab" not in play_page(COURSE)


@pytest.mark.usefixtures("on_github")
def test_every_lesson_to_read_and_every_exercise_leads_to_its_notebook(tmp_path: Path) -> None:
    write_sources(PROJECT, tmp_path)
    for path in tmp_path.glob("course/*/*.ipynb"):
        links, text = lab_links(path.stem), path.read_text(encoding="utf-8")
        for way in (links.installed, links.clone, links.colab, links.codespaces):
            assert way in text, path.stem
    page = play_page(COURSE)
    exercise = page[page.index('<article id="03.2"') : page.index('<article id="03.3"')]
    assert f'href="{COLAB}"' in exercise and f'href="{CODESPACES}"' in exercise
    assert "open <code>course/03_watermarks/03_watermarks.ipynb</code>" in exercise
    assert page.count("Copy my answer") == page.count("<article ")


def shown_button(copies: str) -> str:
    return f"[...document.querySelectorAll('[data-copies=\"{copies}\"]')].find(one => one.checkVisibility())"


def copy(driver: webdriver.Chrome, copies: str) -> str:
    """Press the button that copies something; returns what the clipboard has then."""
    button = driver.execute_script(f"return {shown_button(copies)}")
    button.click()
    said = "return arguments[0].nextElementSibling.textContent"
    told = WebDriverWait(driver, 20, 0.05).until(lambda d: d.execute_script(said, button))
    assert told == "Copied."
    return str(driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])"))


@pytest.mark.slow
def test_the_command_and_the_answer_are_copied(driver: webdriver.Chrome, address: str) -> None:
    driver.execute_cdp_cmd(
        "Browser.grantPermissions",
        {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"], "origin": address},
    )
    driver.get(f"{address}/index.html#11.4")
    summary = driver.find_element(By.CSS_SELECTOR, "article:not([hidden]) .lab summary")
    summary.click()
    assert copy(driver, "stateful-streams lab 11") == "stateful-streams lab 11"
    editor = driver.find_element(By.ID, "editor").shadow_root
    editor.find_element(By.CSS_SELECTOR, ".cm-content").send_keys("# mine\n")
    copied = copy(driver, "answer")
    assert "# mine" in copied and "def how_many_stores" in copied
    assert hard_to_read(driver) == []
    prefer(driver, "dark")
    screen(driver, *PHONE)
    assert hard_to_read(driver) == []
    driver.execute_script("localStorage.clear()")
