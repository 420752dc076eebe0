"""A reader of the bus, led through a story by the same function that the notebook has."""

from collections.abc import Callable
from typing import Any

from grader.connectors.bus_story import on_the_bus


def subject(bus_reader: Callable[..., Any], story: list[str]) -> dict[str, Any]:
    return dict(on_the_bus(bus_reader, story))
