"""Suites that let bugs live, or find fault with the right login watch."""

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
    """A watch of all customers together lives

    All bugs but one were caught: a watch that counts the failures of all customers together passes
    your tests. State belongs to a key. To see whether it does, two customers have to meet in one tester
    (each new tester has a new watch), with three failures only if theirs are taken together.
    """
    for case in (_in_one_batch, _in_two_batches, _once, _reset, _forgotten):
        case(watch)
    for case in (_not_forgotten, _timer_gone):
        case(watch)


def everything_in_one_batch(watch: Watch) -> Any:
    """A watch that forgets between batches lives

    Bugs that show only from one batch to the next were not caught. `tester.test` is one batch; what
    is in the state shows in the second one of the same tester.
    """
    for case in (_in_one_batch, _once, _reset):
        case(watch)


def one_row_a_batch(watch: Watch) -> Any:
    """A watch that looks at one row of a batch lives

    All bugs but one were caught: a watch that looks at the first row of a batch only passes your
    tests. How many rows had your batches? Does anything that you assert depend on a row after the first?
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
    """No bug of the timers was caught

    The bugs that have to do with time live, all three of them, and the others were caught. A timer
    fires when the watermark reaches it, and in a test you are the one who moves the watermark. If you do:
    has it reached any timer, and does what you assert afterwards hang on that?
    """
    for case in (_in_one_batch, _in_two_batches, _once, _two_customers, _reset):
        case(watch)


def only_that_it_tells(watch: Watch) -> Any:
    """Watches that tell too much live

    Of the watches that tell what they should not, none was caught: they count all customers together,
    go on after a success, tell again, or never forget. Beside the tests that a row comes out it takes
    others that none does.
    """
    for case in (_in_one_batch, _in_two_batches, _not_forgotten):
        case(watch)


def stops_at_three(watch: Watch) -> Any:
    """A watch that tells again lives

    All bugs but one were caught: a watch that tells of the fourth failure, too, passes your tests.
    "Once" is a promise as well.
    """
    for case in (_in_one_batch, _in_two_batches, _two_customers, _reset, _forgotten):
        case(watch)
    for case in (_not_forgotten, _timer_gone):
        case(watch)


def forgets_whatever_happens(watch: Watch) -> Any:
    """A watch that forgets too early lives

    A watch that never forgets was caught, and those that forget too early were not. A test that
    something is gone after ten minutes needs a twin: it is still there a little earlier. The twin tells
    only if the watermark has passed the ten minutes of an earlier failure by then, not those of the last.
    """
    for case in (_in_one_batch, _in_two_batches, _once, _two_customers, _reset, _forgotten):
        case(watch)


def ten_minutes_from_the_first(watch: Watch) -> Any:
    """The right login watch does not pass

    Your tests fail on the right login watch, so they catch nothing: whoever says that all is wrong is
    right about the bugs, too. Work out on paper what the code in the locked cell does with your rows. The
    tester leaves out those that are not newer than the watermark (it begins at 0), and makes a tuple of the key
    itself. If what was raised is no AssertionError, look at the line of the test that raised it.
    """
    tester = _tester_of(watch)
    tester.test("ana", _failed(1))
    tester.test("ana", _failed(8))
    tester.setWatermark(12 * MINUTE)
    assert tester.test("ana", _failed(13, 14)) == [], (
        "forgotten ten minutes after the first failure"
    )


def nothing_raised(watch: Watch) -> Any:
    """No bug was caught

    Your tests passed with all nine, the eight bugs included. A suite catches a bug by raising: `assert …` raises
    where what follows is not so. What the function returns is not looked at, and neither is what it prints.
    """
    tester = _tester_of(watch)
    tester.test("ana", _failed(1, 2))
    return len(tester.test("ana", _failed(3))) == 1
