"""The site in headless Chromium: first paint of the landing page, then verdicts, questions and explorers in play/.

Cold is a browser that has loaded nothing yet, warm is its next visit. The pages are served from this machine, so that
no network counts. There is no baseline: the goals are absolute. Needs Chromium with its driver, npm's packages and two
quiet cores.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from table import Row, progress, show

from grader.site.first_minute import first_minute
from grader.site.landing_page import landing_page
from grader.site.play_assets import PLAY_BYTES, gzipped_bytes, write_play
from grader.site.play_frame import POLICY
from grader.site.site_build import LANDING_BYTES, doors

ROOT = Path(__file__).resolve().parents[1]
EXERCISE, EXAMPLE, COLD, CHECKS = "03.2", "03.0", 3, 9
TOPICS = ("watermarks", "windows", "joins", "sessions")
ANSWER = """def late_clicks(clicks):
    timed = clicks.withWatermark("event_time", "10 minutes")
    return timed.groupBy(F.window("event_time", "5 minutes"), "page").agg(F.count("*").alias("clicks"))
"""
# Milliseconds from `began` until the picture of the verdict is painted
_CHECK = """
const done = arguments[arguments.length - 1], began = arguments[0] ? performance.now() : 0;
const verdict = document.getElementById("verdict");
new MutationObserver((_, observer) => {
  if (!verdict.querySelector(".card")?.shadowRoot.querySelector("svg")) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - began), 0));
}).observe(verdict, { childList: true });
document.getElementById("check").click();
"""
_KEEP = """
const exercises = { [arguments[0]]: { code: arguments[1], passed: false } };
localStorage.setItem("stateful-streams.play", JSON.stringify({ version: 1, exercises }));
"""
# Milliseconds from the choice of a topic, or from a click on "Next question", until the question is painted
_QUESTION = """
const [topic, done] = arguments, choices = document.getElementById("choices");
let began;
import(new URL("python.js", document.baseURI)).then((python) => python.startPython("drill")).then(() => {
  began = performance.now();
  if (topic) location.hash = topic;
  else document.getElementById("on").click();
});
new MutationObserver((_, observer) => {
  if (!choices.childElementCount) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - began), 0));
}).observe(choices, { childList: true });
"""
_ANSWER = """
const [done] = arguments, on = document.getElementById("on");
new MutationObserver((_, observer) => {
  if (on.hidden) return;
  observer.disconnect();
  done();
}).observe(on, { attributes: true });
document.querySelector("#choices button").click();
"""
# Milliseconds from a turn of the delay until the new picture is painted
_REDRAW = """
const [place, done] = arguments, began = performance.now(), knob = document.getElementById("knob-delay");
new MutationObserver((_, observer) => {
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - began), 0));
}).observe(document.getElementById("picture"), { childList: true });
knob.value = place;
knob.dispatchEvent(new Event("input"));
"""
_PAINT = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
_KEPT = """
const done = arguments[arguments.length - 1];
navigator.serviceWorker.ready.then(() => done());
"""


def write_site(site: Path) -> None:
    page = landing_page(first_minute(ROOT / "course"), doors(ROOT))
    (site / "index.html").write_text(page, encoding="utf-8")
    write_play(ROOT / "course", site / "play")


def first_paint(driver: Any, address: str) -> float:
    from selenium.webdriver.support.ui import WebDriverWait

    driver.get(f"{address}/index.html")
    painted = WebDriverWait(driver, 30, 0.02).until(lambda _: driver.execute_script(_PAINT))
    return float(painted) / 1000


def verdict_after_opening(driver: Any, address: str) -> float:
    """Seconds from opening an exercise to the picture of a verdict on it."""
    driver.get("about:blank")
    driver.get(f"{address}/play/index.html#{EXERCISE}")
    return float(driver.execute_async_script(_CHECK, False)) / 1000


def questions(driver: Any, address: str) -> list[float]:
    """Milliseconds for the first question of some topics after Python is ready, and for some more."""
    taken = []
    for topic in TOPICS:
        driver.get("about:blank")
        driver.get(f"{address}/play/drill.html")
        taken.append(float(driver.execute_async_script(_QUESTION, topic)))
        for _ in range(CHECKS):
            driver.execute_async_script(_ANSWER)
            taken.append(float(driver.execute_async_script(_QUESTION, "")))
    return taken


def redraws(driver: Any, address: str) -> list[float]:
    from selenium.webdriver.support.ui import WebDriverWait

    driver.get(f"{address}/play/explore.html#{EXAMPLE}")
    drawn = ("css selector", "#picture .card")
    WebDriverWait(driver, 120, 0.05).until(lambda _: driver.find_elements(*drawn))
    return [float(driver.execute_async_script(_REDRAW, 6 + turn % 7)) for turn in range(3 * CHECKS)]


def visits(site: Path) -> dict[str, list[float]]:
    """Figures of browsers that are new, each with a later visit and some checks."""
    from browser.jupyterlab import browser  # the tests' own Chromium
    from testkit.site_browser import served

    taken: dict[str, list[float]] = {
        name: [] for name in ("paint", "cold", "warm", "check", "question", "redraw")
    }
    for number in range(COLD):
        progress(f"browser {number + 1} of {COLD}")
        with served(site, POLICY) as address, browser() as driver:
            driver.set_script_timeout(120)
            driver.get(f"{address}/play/page.css")  # nothing of the page, on its server
            driver.execute_script(_KEEP, EXERCISE, ANSWER)
            taken["cold"].append(verdict_after_opening(driver, address))
            driver.execute_async_script(_KEPT)
            taken["warm"].append(verdict_after_opening(driver, address))
            taken["check"] += [
                float(driver.execute_async_script(_CHECK, True)) for _ in range(CHECKS)
            ]
            taken["question"] += questions(driver, address)
            taken["redraw"] += redraws(driver, address)
    for _ in range(COLD):
        with served(site) as address, browser() as driver:
            taken["paint"].append(first_paint(driver, address))
    return taken


def main() -> None:
    sys.path.append(str(ROOT / "tests"))
    with tempfile.TemporaryDirectory(prefix="site-") as folder:
        site = Path(folder)
        progress("building the pages")
        write_site(site)
        landing = (site / "index.html").stat().st_size
        loaded = gzipped_bytes(site / "play")
        found = {name: statistics.median(of) for name, of in visits(site).items()}
    show(
        [
            Row("landing page", "kB", landing / 1000, goal=LANDING_BYTES / 1000),
            Row("landing page, first paint", "s", found["paint"], goal=0.5),
            Row("play/, all files gzipped", "MB", loaded / 1e6, goal=PLAY_BYTES / 1e6),
            Row("first verdict with its picture, cold", "s", found["cold"], goal=6),
            Row("first verdict with its picture, warm", "s", found["warm"], goal=2.5),
            Row("a check with its picture", "ms", found["check"], goal=100),
            Row("a question of the drill with its picture", "ms", found["question"], goal=150),
            Row("a redraw of the explorer", "ms", found["redraw"], goal=50),
        ]
    )


if __name__ == "__main__":
    main()
