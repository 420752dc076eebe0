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
    """Suite that catches no bug

    Every pager passes your tests. Perhaps nothing is raised: a comparison without `assert` tests nothing, and an
    exception that you catch again is lost. Perhaps the tests use another class than their argument. Or they test
    only what is true of all ten pagers, for example that a pager wakes. When should a pager say *nothing*?
    """
    assert "wake" in _said(pager(100), 150, 150, 150)


def far_from_the_limit(pager: Any) -> Any:
    """No test at the limit

    All bugs except one were caught: a pager that wakes at exactly `most` passes your tests. A promise with a limit
    needs a test exactly at the limit. What should the pager say to three reports with a lag of `most`?
    """
    for case in (_wakes_once, _in_a_row, _silence, _sources, _clear, _not_unasked, _again):
        case(pager)


def every_report_has_a_lag(pager: Any) -> Any:
    """No test with a missing lag

    All bugs except one were caught: a pager that takes a report without a lag for a lag of 0 passes your tests.
    Such a report occurs when a start repeats a batch. Do your tests have one between reports above the limit,
    where a 0 would interrupt the row?
    """
    for case in (_wakes_once, _not_at_the_limit, _in_a_row, _sources, _clear, _not_unasked, _again):
        case(pager)


def one_source(pager: Any) -> Any:
    """No test with several sources

    Two bugs were not caught, and both show only with several sources. One pager looks at the first source only,
    and one takes the largest string for the largest number. Do your tests have two sources, with the larger lag in
    the second, and lags of two and of three digits?
    """
    for case in (_wakes_once, _not_at_the_limit, _in_a_row, _silence, _clear, _not_unasked, _again):
        case(pager)


def until_it_wakes(pager: Any) -> Any:
    """No test after the first wake

    The bugs that show after the wake were not caught: waking with every report, an early all clear, or never
    waking again. Either your tests end at the wake, or they do not test the answer to *each* report after it. At
    which report should each word come?
    """
    for case in (_not_at_the_limit, _in_a_row, _silence, _sources, _not_unasked):
        case(pager)


def one_night(pager: Any) -> Any:
    """No test of a second wake

    All bugs except one were caught: a pager that wakes only once passes your tests. What should the pager say to
    three more reports above the limit after the all clear?
    """
    for case in (_wakes_once, _not_at_the_limit, _in_a_row, _silence, _sources, _clear):
        case(pager)
    _not_unasked(pager)


def one_pager(pager: Any) -> Any:
    """No test with two pagers

    All bugs except one were caught: a pager that counts for all pagers together passes your tests. Either your
    tests make only one pager, or each begins where the one before has left no count. What should two pagers say if
    they get reports by turns?
    """
    mine = pager(100)
    assert _said(mine, 10, 100, 100, 100) == [None, None, None, None]
    assert _said(mine, 150, 150, 90, 150, 150, None) == [None] * 6
    assert _said(mine, 150, 150, 90, 51, 50) == ["wake", None, None, None, "all clear"]
    assert _said(mine, (0, 150), (0, 150), (95, 110)) == [None, None, "wake"]


def clear_below_the_limit(pager: Any) -> Any:
    """Suite that fails on the correct pager

    Your tests fail on the correct pager. So a failure says nothing about a bug. After an AssertionError, follow
    the code of the pager on paper. What does it say to each of these reports?
    """
    said = _said(pager(100), 150, 150, 150, 90)
    assert said[-1] == "all clear", "the lag is below the limit again"
