"""Suites that let bugs live, or find fault with the right pager."""

from typing import Any

Lag = int | None | tuple[int | None, ...]


def _report(lag: Lag) -> dict[str, Any]:
    lags = lag if isinstance(lag, tuple) else (lag,)
    metrics = [{} if one is None else {"maxOffsetsBehindLatest": str(one)} for one in lags]
    return {"sources": [{"metrics": one} for one in metrics]}


def _said(pager: Any, *lags: Lag) -> list[str | None]:
    return [pager.tell(_report(lag)) for lag in lags]


def _wakes_once(pager: Any) -> None:
    assert _said(pager(100), 101, 150, 300, 300) == [None, None, "wake", None]


def _not_at_the_limit(pager: Any) -> None:
    assert _said(pager(100), 100, 100, 100) == [None, None, None]


def _in_a_row(pager: Any) -> None:
    assert _said(pager(100), 150, 150, 90, 150) == [None, None, None, None]


def _silence(pager: Any) -> None:
    assert _said(pager(100), 150, 150, None, 150) == [None, None, None, "wake"]


def _sources(pager: Any) -> None:
    assert _said(pager(100), (0, 150), (0, 150), (0, 150))[-1] == "wake"
    assert _said(pager(100), (95, 110), (95, 110), (95, 110))[-1] == "wake"


def _clear(pager: Any) -> None:
    said = _said(pager(100), 150, 150, 150, 90, 51, 50)
    assert said[2:] == ["wake", None, None, "all clear"]


def _not_unasked(pager: Any) -> None:
    assert _said(pager(100), 10, 20) == [None, None]


def _again(pager: Any) -> None:
    assert _said(pager(100), 150, 150, 150, 0, 150, 150, 150)[-1] == "wake"


def that_it_wakes(pager: Any) -> Any:
    """No bug is caught

    Every pager passes your tests. Either nothing is raised: a comparison that is returned or stands alone asks
    nothing, and an `assert` whose error is caught again is not heard. Or the tests use another class than the one
    that they are given. Or what is asked is true of all ten: that somebody is woken, for one. A pager is as much about
    when *nothing* is said.
    """
    assert "wake" in _said(pager(100), 150, 150, 150)


def far_from_the_limit(pager: Any) -> Any:
    """A pager that wakes at the limit lives

    All bugs but one were caught: a pager that wakes at exactly `most` passes your tests. Where a promise has a
    limit, a test belongs on it, here three reports with just that lag, and one just beside it.
    """
    for case in (_wakes_once, _in_a_row, _silence, _sources, _clear, _not_unasked, _again):
        case(pager)


def every_report_has_a_lag(pager: Any) -> Any:
    """A pager that takes silence for 0 lives

    All bugs but one were caught: a pager that takes a report without a lag for one with 0 passes your tests. Is
    there such a report in them, in the midst of those above the limit, where a 0 would end the row? A start that
    repeats a batch makes one.
    """
    for case in (_wakes_once, _not_at_the_limit, _in_a_row, _sources, _clear, _not_unasked, _again):
        case(pager)


def one_source(pager: Any) -> Any:
    """Two bugs with several sources live

    Two bugs live, and both show only with several sources: one hears the first only, one takes the largest text for
    the largest number. In your tests, are there reports of two sources, with the larger lag in the second, and with
    lags of two and of three digits?
    """
    for case in (_wakes_once, _not_at_the_limit, _in_a_row, _silence, _clear, _not_unasked, _again):
        case(pager)


def until_it_wakes(pager: Any) -> Any:
    """Bugs live after the alarm

    The bugs that show after the alarm live: it wakes with every report, gives the all clear too early, or never
    wakes again. Either your tests end when somebody is awake, or they do not ask what is said to *each* report
    after that: a word may be among the answers and come at the wrong one. What is said in the hour after an alarm
    is read more closely than anything else.
    """
    for case in (_not_at_the_limit, _in_a_row, _silence, _sources, _not_unasked):
        case(pager)


def one_night(pager: Any) -> Any:
    """A pager that wakes once in its life lives

    All bugs but one were caught: a pager that wakes once in its life passes your tests. Go on after the all clear,
    with three reports above the limit, and ask for a second `"wake"`.
    """
    for case in (_wakes_once, _not_at_the_limit, _in_a_row, _silence, _sources, _clear):
        case(pager)
    _not_unasked(pager)


def one_pager(pager: Any) -> Any:
    """A pager that counts for all pagers lives

    All bugs but one were caught: a pager that counts for all pagers together passes your tests. Either they make
    only one, or each begins where the one before has left nothing to count on. The shop has more than one query,
    and each has its own: let two hear reports by turns.
    """
    mine = pager(100)
    assert _said(mine, 10, 100, 100, 100) == [None, None, None, None]
    assert _said(mine, 150, 150, 90, 150, 150, None) == [None] * 6
    assert _said(mine, 150, 150, 90, 51, 50) == ["wake", None, None, None, "all clear"]
    assert _said(mine, (0, 150), (0, 150), (95, 110)) == [None, None, "wake"]


def clear_below_the_limit(pager: Any) -> Any:
    """The right pager does not pass

    Your tests fail on the right pager, so they catch nothing: whoever says that all is wrong is right about the
    bugs, too. After an AssertionError, work out on paper what the code above says to those reports.
    """
    said = _said(pager(100), 150, 150, 150, 90)
    assert said[-1] == "all clear", "the lag is below the limit again"
