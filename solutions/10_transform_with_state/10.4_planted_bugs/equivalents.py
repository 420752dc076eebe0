"""Other suites that catch all eight."""

from collections.abc import Callable
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming import StatefulProcessor, TwsTester

MINUTE = 60_000
Watch = Callable[[], StatefulProcessor]


def _tester_of(watch: Watch) -> TwsTester:
    return TwsTester(watch(), timeMode="EventTime", eventTimeExtractor=lambda row: row.ms)


def _failed(*minutes: int) -> list[Row]:
    return [Row(ok=False, ms=minute * MINUTE) for minute in minutes]


def _passed(minute: int) -> list[Row]:
    return [Row(ok=True, ms=minute * MINUTE)]


def as_stories(watch: Watch) -> Any:
    """Each story is a list of batches, with the customers and minutes of what must come out."""
    stories: list[tuple[list[Any], list[tuple[str, int]]]] = [
        ([("ana", _failed(1, 2, 3, 4))], [("ana", 3)]),
        ([("ana", _failed(1)), ("ana", _failed(2)), ("ana", _failed(3))], [("ana", 3)]),
        ([("ana", _failed(1, 2)), ("ben", _failed(3)), ("ana", _failed(4))], [("ana", 4)]),
        ([("ana", _failed(1, 2)), ("ana", _passed(3)), ("ana", _failed(4, 5))], []),
        ([("ana", _failed(1, 2)), 12, ("ana", _failed(13))], []),
        ([("ana", _failed(1, 2)), 11, ("ana", _failed(12))], [("ana", 12)]),
        (
            [("ana", _failed(1) + _passed(2) + _failed(9, 10)), 12, ("ana", _failed(13))],
            [("ana", 13)],
        ),
    ]
    for batches, told in stories:
        tester = _tester_of(watch)
        found: list[Row] = []
        for batch in batches:
            if isinstance(batch, int):
                found += tester.setWatermark(batch * MINUTE)
            else:
                found += tester.test(*batch)
        assert [(row.customer, row.ms // MINUTE) for row in found] == told, batches


def looking_into_the_state(watch: Watch) -> Any:
    """Some of it is read from the state instead of from what comes out."""
    tester = _tester_of(watch)
    assert tester.test("ana", _failed(1, 2)) == []
    assert tester.peekValueState("failures", "ana") == (2, 12 * MINUTE)
    assert tester.peekValueState("failures", "ben") is None
    assert tester.test("ben", _failed(2)) == []
    tester.test("ana", _passed(3))
    assert tester.peekValueState("failures", "ana") is None
    assert list(tester.handle._timers.listTimers("ana")) == []
    assert len(tester.test("ben", _failed(4, 5, 6))) == 1
    assert list(tester.handle._timers.listTimers("ben")) == [16 * MINUTE]
    tester.setWatermark(16 * MINUTE)
    assert tester.peekValueState("failures", "ben") is None
