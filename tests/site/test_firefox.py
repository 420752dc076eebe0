"""The way of a visitor in Firefox: the first minute, then a wrong and a right answer to an exercise."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys
from testkit.firefox import Firefox, firefox
from testkit.site_browser import served

from grader.site.first_minute import first_minute
from grader.site.landing_page import landing_page
from grader.site.play_frame import POLICY
from grader.site.site_build import doors

PROJECT = Path(__file__).parents[2]
RIGHT = (
    'return clicks.withWatermark("event_time", "10 seconds")'
    '.groupBy(F.window("event_time", "5 minutes"), "page").agg(F.count("*").alias("clicks"))'
)
_CARD = "document.querySelector('#verdict .card').shadowRoot.querySelector('.ss-verdict')"


def by_id(name: str) -> str:
    return f"document.getElementById('{name}')"


@pytest.fixture(scope="module")
def page() -> Iterator[Firefox]:
    with firefox() as found:
        yield found


@pytest.mark.slow
def test_the_first_minute(page: Firefox, tmp_path: Path) -> None:
    landing = landing_page(first_minute(PROJECT / "course"), doors(PROJECT))
    (tmp_path / "index.html").write_text(landing, encoding="utf-8")
    with served(tmp_path) as address:
        page.open(f"{address}/index.html")
        page.click("document.querySelector('[data-predict=counted]')")
        assert "Spark drops the click of 12:04:50" in page.ask(f"{by_id('verdict')}.innerText")
        assert page.ask(f"{by_id('stairs')}.getAttribute('d').length > 0")
        page.click(by_id("blank"))
        page.type(f"200 seconds{Keys.ENTER}")
        assert "✓ Right." in page.wait_for(f"{by_id('checked')}.innerText")
        assert page.ask(f"{by_id('dropped')}.innerText") == "0"
        assert page.ask("document.documentElement.scrollWidth - innerWidth") <= 0


def check(page: Firefox, body: str) -> str:
    """Write a function into the editor with keys, check it, and return what the verdict is."""
    page.click(by_id("editor"))
    page.press(Keys.CONTROL, "a")
    page.type(f"def late_clicks(clicks):{Keys.ENTER}{body}")
    page.click(by_id("check"))
    return str(page.wait_for(f"{by_id('verdict')}.dataset.status"))


@pytest.mark.slow
def test_a_wrong_and_a_right_answer(page: Firefox, play: Path) -> None:
    with served(play, POLICY) as address:
        page.open(f"{address}/index.html#03.2")
        assert check(page, RIGHT.replace("10 seconds", "10 minutes")) == "failed"
        said = page.ask(f"{_CARD}.innerText")
        assert "Likely cause: Delay in minutes instead of seconds" in said
        pictures = f"[...{_CARD}.querySelectorAll('svg')].filter(one => one.checkVisibility())"
        assert page.ask(f"{pictures}.length") == 1
        assert check(page, RIGHT) == "passed"
        assert "not by Spark: not a grade" in page.ask(f"{by_id('verdict')}.innerText")
        assert page.ask("document.documentElement.scrollWidth - innerWidth") <= 0
        kept = "navigator.serviceWorker.ready.then(found => Boolean(found.active))"
        assert page.ask(kept)
