"""Answers to 14.5: other suites, those that catch all ten bugs, and those that let some live."""

import io
import unittest
from collections.abc import Callable
from itertools import product
from typing import Any

MAX = "maxOffsetsBehindLatest"
WAKE, CLEAR = "wake", "all clear"


def _report(lag: Any) -> dict:
    lags = lag if isinstance(lag, tuple) else (lag,)
    metrics = [{} if one is None else {MAX: str(one)} for one in lags]
    return {"sources": [{"metrics": one} for one in metrics]}


def _said(pager: Any, *lags: Any) -> list[str | None]:
    return [pager.tell(_report(lag)) for lag in lags]


def _limit(Pager: Any) -> None:
    assert _said(Pager(100), 100, 100, 100, 100) == [None] * 4


def _row(Pager: Any) -> None:
    assert _said(Pager(100), 150, 150, 90, 150) == [None] * 4


def _once(Pager: Any) -> None:
    assert _said(Pager(100), 150, 150, 150, 150) == [None, None, WAKE, None]


def _silence(Pager: Any) -> None:
    assert _said(Pager(100), 150, 150, None, 150) == [None, None, None, WAKE]


def _second_source(Pager: Any) -> None:
    assert _said(Pager(100), (0, 150), (0, 150), (0, 150)) == [None, None, WAKE]


def _numbers(Pager: Any) -> None:
    assert _said(Pager(100), (95, 110), (95, 110), (95, 110)) == [None, None, WAKE]


def _half(Pager: Any) -> None:
    assert _said(Pager(100), 150, 150, 150, 90, 51, 50) == [None, None, WAKE, None, None, CLEAR]


def _calm(Pager: Any) -> None:
    assert _said(Pager(100), 40, 30) == [None, None]


def _again(Pager: Any) -> None:
    said = _said(Pager(100), 150, 150, 150, 10, 150, 150, 150)
    assert said == [None, None, WAKE, CLEAR, None, None, WAKE]


def _each_its_own(Pager: Any) -> None:
    one, other = Pager(100), Pager(100)
    assert _said(one, 150, 150) == [None, None]
    assert _said(other, 150) == [None]


CASES = [_limit, _row, _once, _silence, _second_source, _numbers, _half, _calm, _again]
CASES.append(_each_its_own)


def right_as_a_test_case(Pager: Any) -> None:
    """A unittest.TestCase, run by hand; what failed is raised in the end."""

    class TestPager(unittest.TestCase):
        def test_wakes_once(self) -> None:
            told = _said(Pager(10), 11, 12, 13, 14)
            self.assertListEqual(told, [None, None, WAKE, None])

        def test_the_limit_is_allowed(self) -> None:
            for word in _said(Pager(10), 10, 10, 10):
                self.assertIsNone(word)

        def test_in_a_row(self) -> None:
            self.assertNotIn(WAKE, _said(Pager(10), 11, 11, 7, 11, 11))

        def test_silence(self) -> None:
            told = _said(Pager(10), 11, None, 11, (None, None), 11, None)
            self.assertEqual(told.index(WAKE), 4)
            self.assertEqual(told.count(None), 5)

        def test_sources(self) -> None:
            for lags in ((3, 11), (9, 11), (11, 9), (None, 11)):
                with self.subTest(lags=lags):
                    self.assertEqual(_said(Pager(10), lags, lags, lags)[2], WAKE)

        def test_all_clear(self) -> None:
            told = _said(Pager(10), 11, 11, 11, 10, 6, 5, 5)
            self.assertEqual(told[3:], [None, None, CLEAR, None])
            self.assertFalse(any(_said(Pager(10), 0, 1, 5)))

        def test_a_second_night(self) -> None:
            pager = Pager(10)
            night = [11, 11, 11, 0]
            self.assertEqual(_said(pager, *night), _said(pager, *night))

        def test_two_queries(self) -> None:
            pagers = [Pager(10), Pager(10)]
            told = [_said(pagers[n % 2], 11) for n in range(4)]
            self.assertEqual(told, [[None]] * 4)

    suite = unittest.defaultTestLoader.loadTestsFromTestCase(TestPager)
    outcome = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
    assert outcome.wasSuccessful(), outcome.failures or outcome.errors


def right_every_night_there_is(Pager: Any) -> None:
    """All nights of five reports with lags around the limits, against the promises once more; a few by hand."""
    for lags in product([None, 50, 51, 100, 101], repeat=5):
        pager, row, awake = Pager(100), 0, False
        for lag in lags:
            wanted = None
            if lag is not None:
                row = row + 1 if lag > 100 else 0
                if row > 2 and not awake:
                    wanted, awake = WAKE, True
                elif awake and lag <= 50:
                    wanted, awake = CLEAR, False
            if pager.tell(_report(lag)) != wanted:
                raise ValueError(f"{lags}: at {lag} it should say {wanted}")
    _again(Pager)
    _second_source(Pager)
    _numbers(Pager)
    _each_its_own(Pager)


def right_all_faults_collected(Pager: Any) -> None:
    """Runs all cases, collects those that fail, and raises in the end."""
    faults = []
    for case in CASES:
        try:
            case(Pager)
        except AssertionError:
            faults.append(case.__name__)
    if faults:
        raise RuntimeError(", ".join(faults))


def right_one_long_week(Pager: Any) -> None:
    """Two pagers live through one week by turns, and every word of both is written down."""
    week = [
        (1000, None, 40, None),
        ((7, 1001), None, 201, None),
        (1001, None, 201, None),
        (None, None, (99, 201), WAKE),
        (1000, None, 101, None),
        (1001, None, None, None),
        (2000, None, 999, None),
        ((999, 1500), WAKE, 100, CLEAR),
        (1500, None, 100, None),
        (501, None, 200, None),
        (500, CLEAR, 200, None),
        (500, None, 200, None),
        ((7, 1001), None, 250, None),
        ((7, 1001), None, 250, None),
        ((7, 1001), WAKE, 250, WAKE),
    ]
    ours, theirs = Pager(1000), Pager(200)
    for number, (lag, word, their_lag, their_word) in enumerate(week):
        assert ours.tell(_report(lag)) == word, f"ours, {number}"
        assert theirs.tell(_report(their_lag)) == their_word, f"theirs, {number}"


def right_words_by_letter(Pager: Any) -> None:
    """A small language: what is heard and what is said as two texts of the same length."""
    lags = {"h": 150, "l": 100, "m": 51, "o": 50, "-": None, "s": (0, 150), "t": (95, 110)}
    letters = {None: ".", WAKE: "W", CLEAR: "c"}
    for heard, wanted in (
        ("hhhhh", "..W.."),
        ("llll", "...."),
        ("hhlhh", "....."),
        ("hh-h", "...W"),
        ("sss", "..W"),
        ("ttt", "..W"),
        ("hhhlm-oo", "..W...c."),
        ("oom", "..."),
        ("hhhohhhohhh", "..Wc..Wc..W"),
    ):
        pager = Pager(100)
        said = "".join(letters[pager.tell(_report(lags[letter]))] for letter in heard)
        assert said == wanted, heard
    assert _said(Pager(100), 150, 150) == _said(Pager(100), 150, 150), "nothing is left over"


def wrong_cases_that_nobody_calls(Pager: Any) -> None:
    """Writes the cases as pytest would collect them, and leaves it at that: none of them is called."""

    def test_once() -> None:
        _once(Pager)

    def test_limit() -> None:
        _limit(Pager)

    def test_again() -> None:
        _again(Pager)


def wrong_silence_at_the_end(Pager: Any) -> None:
    """Asks what is said to a report without a lag, and not what is said to the next one."""
    for case in CASES:
        if case is not _silence:
            case(Pager)
    assert _said(Pager(100), 150, 150, None) == [None, None, None]


def wrong_larger_source_first(Pager: Any) -> None:
    """Two sources, but the larger lag is always the first, and of more digits and a larger one."""
    for case in CASES:
        if case not in (_second_source, _numbers):
            case(Pager)
    assert _said(Pager(100), (150, 0), (150, 10), (150, 0)) == [None, None, WAKE]


def wrong_as_many_digits(Pager: Any) -> None:
    """Leaves out lags of two and of three digits: texts are compared as well as numbers."""
    for case in CASES:
        if case is not _numbers:
            case(Pager)
    assert _said(Pager(100), (110, 150), (110, 150), (110, 150)) == [None, None, WAKE]


def wrong_more_than_three(Pager: Any) -> None:
    """Wants the fourth report in a row to wake: "in three reports in a row". The right pager fails."""
    assert _said(Pager(100), 150, 150, 150, 150) == [None, None, None, WAKE]


def wrong_clear_each_time(Pager: Any) -> None:
    """Wants an all clear for each calm report after the alarm. The right pager fails."""
    said = _said(Pager(100), 150, 150, 150, 40, 30)
    assert said == [None, None, WAKE, CLEAR, CLEAR]


def wrong_below_half(Pager: Any) -> None:
    """Wants the all clear below half of the limit only: "half of `most` or less". The right pager fails."""
    for case in CASES:
        case(Pager)
    assert _said(Pager(100), 150, 150, 150, 50, 49)[3:] == [None, CLEAR]


def wrong_clear_at_some_time(Pager: Any) -> None:
    """Asks whether an all clear is among the answers, and not to which report: one too soon goes unseen."""
    for case in CASES:
        if case is not _half:
            case(Pager)
    assert CLEAR in _said(Pager(100), 150, 150, 150, 90, 50)


def wrong_never_a_low_lag_between(Pager: Any) -> None:
    """Has no report in which the lag goes down before somebody is woken."""
    for case in CASES:
        if case is not _row:
            case(Pager)


def wrong_three_reports_each(Pager: Any) -> None:
    """Stops at the alarm, or goes down at once: a fourth report above the limit is missing."""
    for case in CASES:
        if case is not _once:
            case(Pager)


def wrong_no_calm_night(Pager: Any) -> None:
    """Every night has an alarm: what is said on a calm one is not asked."""
    for case in CASES:
        if case is not _calm:
            case(Pager)


def wrong_any_exception_will_do(Pager: Any) -> list:
    """Calls each case and notes what it raises, as a list that is given back and not raised."""
    faults = []
    for case in CASES:
        try:
            case(Pager)
        except Exception as error:
            faults.append(error)
    return faults


class _Mine:
    """A right pager of one's own."""

    def __init__(self, most: int):
        self.most, self.above, self.awake = most, 0, False

    def tell(self, report: dict) -> str | None:
        lags = [int(s["metrics"][MAX]) for s in report["sources"] if MAX in s["metrics"]]
        if not lags:
            return None
        self.above = self.above + 1 if max(lags) > self.most else 0
        if self.above >= 3 and not self.awake:
            self.awake = True
            return WAKE
        if self.awake and max(lags) <= self.most / 2:
            self.awake = False
            return CLEAR
        return None


def wrong_another_class(pagers: Any) -> None:
    """Tests another class than the one that it is given."""
    for case in CASES:
        case(_Mine)


def wrong_a_name_that_is_not_there(Pager: Any) -> None:
    """A KeyError of the test itself: the right pager does not pass."""
    reports = [_report(lag) for lag in (150, 150, 150)]
    assert [Pager(100).tell({"sources": r["source"]}) for r in reports][-1] == WAKE


def right_ends_the_program(Pager: Any) -> None:
    """Counts the cases that fail, and raises SystemExit if there are any, as a script of tests does."""

    def fails(case: Callable[[Any], None]) -> bool:
        try:
            case(Pager)
        except AssertionError:
            return True
        return False

    failed = sum(map(fails, CASES))
    if failed:
        raise SystemExit(f"{failed} of {len(CASES)} failed")
