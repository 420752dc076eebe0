"""The lens on a run of 3,000 events: seconds until it is open, milliseconds for a step of its player.

The baseline is the same picture with every event drawn. Needs Kafka and Spark for the run, and a
Chromium with its driver for the share of the browser; without one that share is left out, and said so.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from random import Random
from typing import Any

from table import Row, median_seconds, show

from grader.feedback.lens import scene as scenes
from grader.feedback.lens.player import player
from grader.feedback.lens.scene import Scene, make_scene
from grader.feedback.verdict_html import recording_html
from grader.judging.check_pack import PackedExercise
from grader.replay.kafka import Kafka
from grader.replay.replay import replay
from grader.runtime.broker import lease_broker
from grader.runtime.spark_session import spark_session
from grader.scenario import Exercise, Input, Scenario, Variant
from grader.scenario.event_generator import Traps, page_clicks
from grader.scenario.recording import Recording

EVENTS, STEPS = 3000, 20
BLANK = "data:text/html,<!doctype html><body></body>"  # a page that takes pictures
TASK = Exercise(
    id="99.9",
    title="Clicks by five minutes",
    answer="counted",
    takes=["clicks"],
    inputs={"clicks": Input("page STRING, event_time TIMESTAMP", "event_time")},
)


def clicks() -> Scenario:
    """Clicks of 100 minutes, five minutes a step; one in fifty is late."""
    late = Traps(late=0.02)
    return page_clicks(Random(1), steps=STEPS, per_step=EVENTS // STEPS, traps=late)


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
    recording_html(recording, PackedExercise(TASK, scenario, {"as_is": recording}))
    return scene, player(scene)


def step_it(box: Any) -> None:
    """One press of the player's button, there and back."""
    slider = box.children[0].children[2]
    slider.value = slider.value - 1 if slider.value else slider.max


def shown_in(driver: Any, picture: str) -> float:
    """Seconds from setting a picture to the end of its layout and paint."""
    taken = driver.execute_async_script(
        "const done = arguments[1], began = performance.now();"
        "document.body.innerHTML = arguments[0]; document.body.getBoundingClientRect();"
        "requestAnimationFrame(() => setTimeout(() => done(performance.now() - began), 0));",
        picture,
    )
    return float(taken) / 1000


def main() -> None:
    sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
    from browser.jupyterlab import browser  # the tests' own Chromium

    scenario = clicks()
    recording = recorded(scenario)
    taken = {}
    with browser() if shutil.which("chromedriver") else nullcontext() as driver:
        if driver is None:
            print("No chromedriver: the figures are without the browser's share.", file=sys.stderr)
        else:
            driver.get(BLANK)
        for name, most in (("ours", scenes.MARKS), ("baseline", EVENTS)):
            with marks(most):
                opening = median_seconds(lambda: open_it(scenario, recording), 5)
                _, box = open_it(scenario, recording)
                stepping = median_seconds(lambda box=box: step_it(box), 9)  # type: ignore[misc]
            if driver is not None:
                picture = box.children[1].value
                shown_in(driver, picture)
                shown = shown_in(driver, picture)
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
