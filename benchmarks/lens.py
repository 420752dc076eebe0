"""The lens on a run of 3,000 events: seconds until it is open, milliseconds for a step of its player.

The baseline is the same picture with every event drawn. Needs Kafka and Spark for the run, and a
Chromium with its driver for the share of the browser; without one that share is left out, and said so.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from table import Row, median_seconds, show

from grader.feedback.html import recording_html
from grader.feedback.lens import scene as scenes
from grader.feedback.lens.player import player
from grader.feedback.lens.scene import Scene, make_scene
from grader.replay.kafka import Kafka
from grader.replay.recording import Recording
from grader.replay.replay import replay
from grader.runtime.broker import lease_broker
from grader.runtime.session import spark_session
from grader.scenario import Event, Exercise, Input, Scenario, Variant

EVENTS, STEPS, PAGES = 3000, 20, ["/home", "/sale", "/fruit"]
TASK = Exercise(
    id="99.9",
    title="Clicks by five minutes",
    answer="counted",
    takes=["clicks"],
    inputs={"clicks": Input("page STRING, event_time TIMESTAMP", "event_time")},
)


def clicks() -> Scenario:
    """Two hours of clicks, each 2.4 s after the one before; every fiftieth is ten minutes late."""
    events = []
    for number in range(EVENTS):
        second = number * 12 // 5 - (600 if number % 50 == 49 else 0)
        time = f"2026-03-01T{12 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z"
        value = {"page": PAGES[number % 3], "event_time": time}
        events.append(Event(1 + number * STEPS // EVENTS, "clicks", value))
    return Scenario(events)


def counted(frame: Any) -> Any:
    from pyspark.sql import functions as F

    grouped = frame.withWatermark("event_time", "1 minute").groupBy(
        F.window("event_time", "5 minutes"), "page"
    )
    return grouped.count()


def recorded(scenario: Scenario) -> Recording:
    with lease_broker() as broker:
        kafka = Kafka(broker.bootstrap_servers)
        found = replay(spark_session(), kafka, TASK, counted, Variant("as_is", scenario))
    assert found.failure is None, found.failure
    return found


@contextmanager
def marks(most: int) -> Iterator[None]:
    before, scenes.MARKS = scenes.MARKS, most
    try:
        yield
    finally:
        scenes.MARKS = before


def open_it(scenario: Scenario, recording: Recording) -> tuple[Scene, Any]:
    """What grader.lens does when the run is over: the player, and the picture below it."""
    scene = make_scene(TASK, scenario, recording)
    page = _packed(scenario, recording)
    recording_html(recording, page)
    return scene, player(scene)


def _packed(scenario: Scenario, recording: Recording) -> Any:
    from grader.judging.pack import PackedExercise

    return PackedExercise(TASK, scenario, {"as_is": recording})


def step_it(box: Any) -> None:
    """One press of the player's button, there and back."""
    slider = box.children[0].children[2]
    slider.value = slider.value - 1 if slider.value else slider.max


class Page:
    """A page in Chromium that shows a picture and says how long that took."""

    def __init__(self) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service

        options = Options()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"):
            options.add_argument(word)
        options.add_argument("--disable-background-networking")
        options.add_argument(f"--user-data-dir={tempfile.mkdtemp()}")
        options.binary_location = shutil.which("chromium") or "google-chrome"
        self.driver = webdriver.Chrome(
            options=options, service=Service(shutil.which("chromedriver"))
        )
        blank = Path(tempfile.mkdtemp()) / "page.html"
        blank.write_text("<!doctype html><body></body>")
        self.driver.get(blank.as_uri())

    def seconds(self, picture: str) -> float:
        """From setting the picture to the end of its layout and paint."""
        taken = self.driver.execute_async_script(
            "const done = arguments[1], began = performance.now();"
            "document.body.innerHTML = arguments[0]; document.body.getBoundingClientRect();"
            "requestAnimationFrame(() => setTimeout(() => done(performance.now() - began), 0));",
            picture,
        )
        return float(taken) / 1000


def main() -> None:
    scenario = clicks()
    recording = recorded(scenario)
    there = shutil.which("chromedriver") is not None
    page = Page() if there else None
    if page is None:
        print("No chromedriver: the figures are without the browser's share.", file=sys.stderr)
    taken: dict[str, list[float]] = {}
    for name, most in (("ours", scenes.MARKS), ("baseline", EVENTS)):
        with marks(most):
            opening = median_seconds(lambda: open_it(scenario, recording), 5)
            _, box = open_it(scenario, recording)
            stepping = median_seconds(lambda box=box: step_it(box), 9)  # type: ignore[misc]
        if page is not None:
            picture = box.children[1].value
            page.seconds(picture)
            shown = page.seconds(picture)
            opening, stepping = opening + 2 * shown, stepping + shown
        taken[name] = [opening, 1000 * stepping]
    (opened, stepped), (opened_all, stepped_all) = taken["ours"], taken["baseline"]
    show(
        [
            Row(f"lens of {EVENTS} events opens", "s", opened, opened_all, 2),
            Row("a step of its player", "ms", stepped, stepped_all, 100),
        ]
    )


if __name__ == "__main__":
    main()
