"""Suites that miss bugs, or fail on the right class."""

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


def _in_one_batch(watch: Watch) -> None:
    tester = _tester_of(watch)
    assert tester.test("ana", _failed(1, 2, 3)) == [Row(customer="ana", ms=3 * MINUTE)]


def _in_two_batches(watch: Watch) -> None:
    tester = _tester_of(watch)
    assert tester.test("ana", _failed(1, 2)) == []
    assert len(tester.test("ana", _failed(3))) == 1


def _once(watch: Watch) -> None:
    tester = _tester_of(watch)
    assert len(tester.test("ana", _failed(1, 2, 3, 4))) == 1
    assert tester.test("ana", _failed(5)) == []


def _two_customers(watch: Watch) -> None:
    tester = _tester_of(watch)
    tester.test("ana", _failed(1, 2))
    assert tester.test("ben", _failed(3)) == []


def _reset(watch: Watch) -> None:
    tester = _tester_of(watch)
    assert tester.test("ana", _failed(1, 2) + _passed(3) + _failed(4)) == []


def _forgotten(watch: Watch) -> None:
    tester = _tester_of(watch)
    tester.test("ana", _failed(1, 2))
    tester.setWatermark(20 * MINUTE)
    assert tester.test("ana", _failed(21)) == []


def _not_forgotten(watch: Watch) -> None:
    tester = _tester_of(watch)
    tester.test("ana", _failed(1))
    tester.test("ana", _failed(8))
    tester.setWatermark(12 * MINUTE)
    assert len(tester.test("ana", _failed(13))) == 1


def _timer_gone(watch: Watch) -> None:
    tester = _tester_of(watch)
    tester.test("ana", _failed(1) + _passed(2) + _failed(9, 10))
    tester.setWatermark(12 * MINUTE)
    assert len(tester.test("ana", _failed(13))) == 1


def one_customer(watch: Watch) -> Any:
    """Only one customer per tester

    The suite catches all bugs except one: a watch that counts the failures of all customers together
    passes. State belongs to a key. To test that, two customers must meet in one tester, because each new
    tester has a new watch. Which failures make three only if you add those of both?
    """
    for case in (_in_one_batch, _in_two_batches, _once, _reset, _forgotten):
        case(watch)
    for case in (_not_forgotten, _timer_gone):
        case(watch)


def everything_in_one_batch(watch: Watch) -> Any:
    """Only one batch per tester

    The suite misses bugs that show only from one batch to the next. Each `tester.test` is one batch. What
    is in the state shows in the second batch of the same tester. Which of your testers has two?
    """
    for case in (_in_one_batch, _once, _reset):
        case(watch)


def one_row_a_batch(watch: Watch) -> Any:
    """Only the first row of a batch matters

    The suite catches all bugs except one: a watch that looks only at the first row of a batch passes. How
    many rows have your batches? Does any of your assertions depend on a row after the first?
    """
    tester = _tester_of(watch)
    assert [len(tester.test("ana", _failed(n))) for n in (1, 2, 3, 4)] == [0, 0, 1, 0]
    tester = _tester_of(watch)
    assert [len(tester.test(who, _failed(1))) for who in ("ana", "ana", "ben")] == [0, 0, 0]
    tester = _tester_of(watch)
    for row in _failed(1, 2) + _passed(3):
        tester.test("ana", [row])
    assert tester.test("ana", _failed(4)) == []
    tester = _tester_of(watch)
    for minute in (1, 2):
        tester.test("ana", _failed(minute))
    tester.setWatermark(20 * MINUTE)
    assert tester.test("ana", _failed(21)) == []
    tester = _tester_of(watch)
    for minute in (1, 8):
        tester.test("ana", _failed(minute))
    tester.setWatermark(12 * MINUTE)
    assert len(tester.test("ana", _failed(13))) == 1
    tester = _tester_of(watch)
    for row in _failed(1) + _passed(2) + _failed(9) + _failed(10):
        tester.test("ana", [row])
    tester.setWatermark(12 * MINUTE)
    assert len(tester.test("ana", _failed(13))) == 1


def time_stands_still(watch: Watch) -> Any:
    """Timers not tested

    The suite misses all three bugs that depend on time, and catches the others. A timer fires when the
    watermark reaches it, and in a test you move the watermark. If you do: has it reached a timer, and does
    your next assertion depend on that?
    """
    for case in (_in_one_batch, _in_two_batches, _once, _two_customers, _reset):
        case(watch)


def only_that_it_tells(watch: Watch) -> Any:
    """No test of what must not be emitted

    The suite misses every watch that emits too much: for all customers together, after a success, again, or
    with a count that is never evicted. Some of your tests must expect a row, and others must expect none.
    Which rows must not be emitted?
    """
    for case in (_in_one_batch, _in_two_batches, _not_forgotten):
        case(watch)


def stops_at_three(watch: Watch) -> Any:
    """Fourth failure not tested

    The suite catches all bugs except one: a watch that also reports the fourth failure passes. "Once" is a
    promise, too. What must a fourth failure emit?
    """
    for case in (_in_one_batch, _in_two_batches, _two_customers, _reset, _forgotten):
        case(watch)
    for case in (_not_forgotten, _timer_gone):
        case(watch)


def forgets_whatever_happens(watch: Watch) -> Any:
    """No test just before the timer

    The suite catches a watch that never evicts, and misses those that evict too early. A test that the
    count is evicted after ten minutes needs a twin: a little earlier, it is still there. In the twin, the
    watermark must have reached ten minutes after an earlier failure, and not ten minutes after the last.
    Which failures and which watermark show that?
    """
    for case in (_in_one_batch, _in_two_batches, _once, _two_customers, _reset, _forgotten):
        case(watch)


def ten_minutes_from_the_first(watch: Watch) -> Any:
    """Suite fails on the right class

    Your tests fail on the right login watch, so they earn nothing: a suite that always fails catches every
    bug, too. Work out on paper what the code in the locked cell does with your rows. The tester drops rows
    that are not newer than the watermark, which starts at 0, and it makes a tuple of the key. If the
    exception is no AssertionError, look at the line of the test that raised it. Which of your expectations
    differs?
    """
    tester = _tester_of(watch)
    tester.test("ana", _failed(1))
    tester.test("ana", _failed(8))
    tester.setWatermark(12 * MINUTE)
    assert tester.test("ana", _failed(13, 14)) == [], (
        "forgotten ten minutes after the first failure"
    )


def nothing_raised(watch: Watch) -> Any:
    """No assertion

    Your tests passed on all nine classes, the eight bugs included. A suite catches a bug when it raises:
    `assert …` raises if the condition is false. The check ignores what the function returns or prints.
    Where do you assert?
    """
    tester = _tester_of(watch)
    tester.test("ana", _failed(1, 2))
    return len(tester.test("ana", _failed(3))) == 1
