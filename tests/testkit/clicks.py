"""One small task, clicks counted by minute and page, for tests of the engine."""

from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from grader.scenario import Event, Exercise, Input, Scenario

TASK = Exercise(
    id="99.1",
    title="Clicks by minute",
    answer="clicks_by_minute",
    takes=["clicks"],
    inputs={"clicks": Input("page STRING, event_time TIMESTAMP", "event_time")},
    points=4,
    criteria=["rows", "step", "late_rows", "state", "batching", "restart"],
)


def task(**changes: Any) -> Exercise:
    return replace(TASK, **changes)


def click(step: int, page: str, second: int, note: str = "") -> Event:
    time = f"2026-03-01T12:{second // 60:02d}:{second % 60:02d}Z"
    return Event(step, "clicks", {"page": page, "event_time": time}, note=note)


# the click at 12:00:30 comes after the watermark (12:01:00) has closed its window
CLICKS = Scenario(
    [
        click(1, "home", 5),
        click(1, "home", 10),
        click(2, "shoes", 70),
        click(3, "home", 30, "late"),
        click(3, "home", 200),
        click(4, "shoes", 500),
    ]
)


def solution(clicks: DataFrame) -> DataFrame:
    return (
        clicks.withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "1 minute"), "page")
        .agg(F.count("*").alias("clicks"))
    )
