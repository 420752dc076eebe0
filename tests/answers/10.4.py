"""Answers to the suite that catches planted bugs."""

from collections.abc import Callable

from pyspark.sql import Row
from pyspark.sql.streaming import StatefulProcessor, TwsTester

MINUTE = 60_000
Watch = Callable[[], StatefulProcessor]


def _tester_of(watch: Watch) -> TwsTester:
    return TwsTester(watch(), timeMode="EventTime", eventTimeExtractor=lambda row: row.ms)


def _failed(*minutes: int) -> list[Row]:
    return [Row(ok=False, ms=minute * MINUTE) for minute in minutes]


def _passed(*minutes: int) -> list[Row]:
    return [Row(ok=True, ms=minute * MINUTE) for minute in minutes]


def _in_one_batch(watch: Watch) -> None:
    assert _tester_of(watch).test("ana", _failed(1, 2, 3)) == [Row(customer="ana", ms=3 * MINUTE)]


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
    assert _tester_of(watch).test("ana", _failed(1, 2) + _passed(3) + _failed(4)) == []


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


def right_against_a_model(watch: Watch) -> None:
    """A model of a few lines beside the class, and many short stories made by chance from a fixed seed."""
    import random

    rng = random.Random(11)
    for _ in range(400):
        tester = _tester_of(watch)
        minute, mark = 1, 0
        rows_of: dict[str, list[tuple[bool, int]]] = {"ana": [], "ben": []}
        for _ in range(8):
            who = rng.choice(["ana", "ben"])
            batch = []
            for _ in range(rng.randint(1, 3)):
                batch.append((rng.random() < 0.2, minute))
                minute += rng.randint(1, 4)
            told = []
            for ok, at in batch:
                row = rows_of[who]
                if ok:
                    row.clear()
                    continue
                row.append((ok, at))
                if len(row) == 3:
                    told.append(Row(customer=who, ms=at * MINUTE))
            found = tester.test(who, [Row(ok=ok, ms=at * MINUTE) for ok, at in batch])
            assert found == told, (who, batch)
            mark = max(mark + 1, minute - rng.randint(1, 6))
            minute = max(minute, mark + 1)
            assert tester.setWatermark(mark * MINUTE) == []
            for row in rows_of.values():
                if row and row[-1][1] + 10 <= mark:
                    row.clear()


def right_until_the_last_millisecond(watch: Watch) -> None:
    """Limits to the millisecond: one before the ten minutes, and just on them."""
    for mark, told in ((12 * MINUTE - 1, 1), (12 * MINUTE, 0)):
        tester = _tester_of(watch)
        tester.test("ana", _failed(1, 2))
        tester.setWatermark(mark)
        assert len(tester.test("ana", [Row(ok=False, ms=12 * MINUTE + 1)])) == told
    tester = _tester_of(watch)
    tester.test("ana", _failed(1) + _passed(2))
    tester.test("ana", _failed(8, 9))
    tester.setWatermark(11 * MINUTE)
    got = [tester.test("ana", _failed(m)) for m in (12, 13, 14)]
    assert [len(rows) for rows in got] == [1, 0, 0]
    tester = _tester_of(watch)
    assert tester.test("ana", _failed(1, 2)) + tester.test("ben", _failed(3)) == []
    assert tester.test("ben", _passed(4) + _failed(5, 6)) == []
    assert tester.test("ben", _failed(7, 8)) == [Row(customer="ben", ms=7 * MINUTE)]


def right_all_asserts_gathered(watch: Watch) -> None:
    """Runs each test, gathers what failed, and raises one AssertionError in the end."""
    said = []
    for case in (
        _in_one_batch, _in_two_batches, _once, _two_customers, _reset, _forgotten, _not_forgotten,
        _timer_gone,
    ):  # fmt: skip
        try:
            case(watch)
        except AssertionError as error:
            said.append(f"{case.__name__}: {error}")
    if said:
        raise AssertionError("; ".join(said))


def right_with_pytest(watch: Watch) -> None:
    """As right_all_asserts_gathered, and says `pytest.fail` in the end, as many are used to.

    pytest.fail raises `Failed`, which is a BaseException and no Exception (nor an AssertionError, so by the
    words of the task this is open).
    """
    import pytest

    for case in (
        _in_one_batch, _in_two_batches, _once, _two_customers, _reset, _forgotten, _not_forgotten,
        _timer_gone,
    ):  # fmt: skip
        try:
            case(watch)
        except AssertionError:
            pytest.fail(case.__name__)


def wrong_a_tester_for_each_customer(watch: Watch) -> None:
    """Has a second customer, but each customer has a new tester, so the two never meet in one object.

    A watch that counts all customers together lives.
    """
    _in_one_batch(watch)
    _in_two_batches(watch)
    assert _tester_of(watch).test("ana", _failed(1, 2)) == []
    assert _tester_of(watch).test("ben", _failed(3)) == []
    _once(watch)
    _reset(watch)
    _forgotten(watch)
    _not_forgotten(watch)
    _timer_gone(watch)


def wrong_twin_before_the_old_timer(watch: Watch) -> None:
    """Has the test that nothing is forgotten after nine minutes, with failures at 1 and 2 and the watermark at 10.

    No old timer is due by then (that of minute 1 stands at 11), so both bugs that forget too early live.
    """
    for case in (_in_one_batch, _in_two_batches, _once, _two_customers, _reset, _forgotten):
        case(watch)
    tester = _tester_of(watch)
    tester.test("ana", _failed(1, 2))
    tester.setWatermark(10 * MINUTE)
    assert len(tester.test("ana", _failed(11))) == 1, "still there after eight minutes"
    tester = _tester_of(watch)
    tester.test("ana", _failed(1) + _passed(2) + _failed(3, 4))
    tester.setWatermark(10 * MINUTE)
    assert len(tester.test("ana", _failed(11))) == 1


def wrong_moves_the_watermark_too_little(watch: Watch) -> None:
    """Moves the watermark, but never as far as any timer; what is told after it would be told anyhow.

    No bug of the timers is caught.
    """
    for case in (_in_one_batch, _in_two_batches, _once, _two_customers, _reset):
        case(watch)
    tester = _tester_of(watch)
    tester.test("ana", _failed(1, 2))
    assert tester.setWatermark(9 * MINUTE) == []
    assert len(tester.test("ana", _failed(10))) == 1


def wrong_looks_at_the_class(watch: Watch) -> None:
    """Catches whatever is no plain LoginWatch by looking at what the class is made of, and tests nothing.

    All nine are made of the same, as the one in the notebook is: this one fails on the right class, too.
    """
    (made_of,) = watch.__bases__
    assert made_of.__name__ == "LoginWatch", made_of


def wrong_returns_whether_all_is_well(watch: Watch) -> bool:
    """Asserts nothing: gives True or False."""
    tester = _tester_of(watch)
    quiet = tester.test("ana", _failed(1, 2)) == [] and tester.test("ben", _failed(3)) == []
    return quiet and len(tester.test("ana", _failed(4, 5))) == 1


def wrong_key_in_a_tuple(watch: Watch) -> None:
    """Hands the tester the key as a tuple, as the methods get it: `customer` is a tuple then, on the right class, too."""
    tester = _tester_of(watch)
    assert tester.test(("ana",), _failed(1, 2, 3)) == [Row(customer="ana", ms=3 * MINUTE)]


def wrong_begins_at_minute_0(watch: Watch) -> None:
    """The first failure is of minute 0, which is not newer than the watermark: the tester leaves it out."""
    tester = _tester_of(watch)
    assert len(tester.test("ana", _failed(0, 1, 2))) == 1
