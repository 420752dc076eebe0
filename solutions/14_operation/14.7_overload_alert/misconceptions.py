"""Alerts that are wrong about a counter, a gap or a restart."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

Scrape = dict[str, Any]
Times = dict[str, list[float]]


def _known(scrapes: list[Scrape]) -> list[Scrape]:
    return [scrape for scrape in scrapes if scrape["up"] and scrape["lag"]]


def _increase(before: Scrape, scrape: Scrape) -> float:
    grown: float = scrape["rows_total"] - before["rows_total"]
    return grown if grown >= 0 else scrape["rows_total"]


def _rate(before: Scrape, scrape: Scrape) -> float:
    return _increase(before, scrape) / (scrape["time"] - before["time"])


def _lag(scrape: Scrape) -> float:
    total: float = sum(scrape["lag"].values())
    return total


def _states(
    scrapes: list[Scrape],
    most: float,
    rate: Callable[[Scrape, Scrape], float] = _rate,
    lag: Callable[[Scrape], float] = _lag,
) -> list[tuple[float, bool]]:
    """The time of each scrape that has a rate, and whether it is overloaded."""
    return [(now["time"], lag(now) > most * rate(before, now)) for before, now in pairwise(scrapes)]


def _alert(states: list[tuple[float, bool]], held: Callable[[float, float], bool]) -> Times:
    """Fires when `held` says so of the time and the beginning of an episode."""
    found: Times = {"fired": [], "resolved": []}
    since, firing = None, False
    for time, over in states:
        if over:
            since = time if since is None else since
            if not firing and held(time, since):
                firing = True
                found["fired"].append(time)
        else:
            since = None
            if firing:
                found["resolved"].append(time)
            firing = False
    return found


def _for(hold: float) -> Callable[[float, float], bool]:
    return lambda time, since: time - since >= hold


def a_gap_is_zero(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Failed scrape taken for values of 0

    A failed scrape ends the overload in your answer, because the lag is 0 there. That was not measured: the
    driver did not answer. Which scrapes have values?
    """
    filled = [{"rows_total": 0, "lag": {}, **scrape} for scrape in scrapes]
    kept = [scrape for scrape in filled if scrape["lag"] or not scrape["up"]]
    return _alert(_states(kept, most), _for(hold))


def a_gap_ends_the_overload(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Waiting time begins again after a failed scrape

    Before and after the gap the query is overloaded, and your alert comes late or resolves in between. Scrapes
    without values say nothing, neither good nor bad. What may change at such a scrape?
    """
    known = _states(_known(scrapes), most)
    gaps = [(scrape["time"], False) for scrape in scrapes if not scrape["up"]]
    return _alert(sorted(known + gaps), _for(hold))


def a_missing_lag_is_zero(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Missing lag taken for a lag of 0

    A scrape without any lag ends the overload in your answer. The sum of nothing is 0, but the query repeats a
    batch there and does not know what waits. What do you do with an empty `lag`?
    """
    return _alert(_states([scrape for scrape in scrapes if scrape["up"]], most), _for(hold))


def counter_of_a_scrape_without_lag(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Scrape without a lag used for a rate

    A scrape without a lag is left out of the alert, but the next rate begins at it. By rule 1 the scrape before
    is the one before among those with values. From which scrape to which does this rate go?
    """
    up = [scrape for scrape in scrapes if scrape["up"]]
    with_lag = {scrape["time"] for scrape in up if scrape["lag"]}
    states = [state for state in _states(up, most) if state[0] in with_lag]
    return _alert(states, _for(hold))


def counter_in_place_of_a_rate(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Counter used as a rate

    Your answer compares the lag with the total of all rows. The total grows for as long as the driver runs, so
    the longer it runs, the less your alert sees. How many rows came since the scrape before?
    """
    return _alert(_states(_known(scrapes), most, lambda _, now: now["rows_total"]), _for(hold))


def rate_since_the_first_scrape(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Rate over the whole list

    Your rate is an average since the first scrape. It still remembers the fast or quiet time from before, so
    the alert comes at other scrapes. Between which two scrapes is a rate?
    """
    known = _known(scrapes)
    done, rates = 0.0, {}
    for before, now in pairwise(known):
        done += _increase(before, now)
        rates[now["time"]] = done / (now["time"] - known[0]["time"])
    return _alert(_states(known, most, lambda _, now: rates[now["time"]]), _for(hold))


def equal_intervals(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Scrapes assumed to be equally far apart

    After a gap your rate is several times too high: the rows of 8 seconds are divided by the usual 2. How many
    seconds are between these two scrapes?
    """
    times = [scrape["time"] for scrape in scrapes]
    usual = min((b - a for a, b in pairwise(times)), default=1)
    return _alert(_states(_known(scrapes), most, lambda a, b: _increase(a, b) / usual), _for(hold))


def first_scrape_judged(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """First scrape without a rate taken for an overload

    Your alert fires too early if the list begins with a lag. The first scrape has nothing before it, so it has
    no rate, and by rule 2 it is not overloaded. What is your rate there?
    """
    known = _known(scrapes)
    first = [(scrape["time"], _lag(scrape) > 0) for scrape in known[:1]]
    return _alert(first + _states(known, most), _for(hold))


def a_restart_is_negative(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Decrease of a counter taken for a negative rate

    At the restart your rate is below 0, and each lag is above a negative number. A counter that decreases has
    begun again at 0. How many rows has the new driver read for certain?
    """

    def rate(before: Scrape, now: Scrape) -> float:
        grown: float = now["rows_total"] - before["rows_total"]
        return grown / (now["time"] - before["time"])

    return _alert(_states(_known(scrapes), most, rate), _for(hold))


def a_restart_is_standstill(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Decrease of a counter taken for no rows

    At the restart your rate is 0, although the new driver has read rows: its counter shows them. Where did it
    begin?
    """

    def rate(before: Scrape, now: Scrape) -> float:
        grown: float = max(0, now["rows_total"] - before["rows_total"])
        return grown / (now["time"] - before["time"])

    return _alert(_states(_known(scrapes), most, rate), _for(hold))


def a_restart_ends_the_overload(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Alert that ends at a restart

    Your alert resolves, or begins to wait again, where the counter decreases. A new driver still has to read
    what waits in the topic. Which increase does rule 3 give there, and does a restart change anything else?
    """
    known = _known(scrapes)
    states = _states(known, most)
    less = [b["rows_total"] < a["rows_total"] for a, b in pairwise(known)]
    return _alert(
        [(time, over and not fell) for (time, over), fell in zip(states, less, strict=True)],
        _for(hold),
    )


def the_worst_partition(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Lag that is less than the sum

    The rate is that of the whole query, and your lag is smaller than what waits in all its partitions. So your
    alert misses overloads. What belongs to a rate of all partitions?
    """
    return _alert(
        _states(_known(scrapes), most, lag=lambda scrape: max(scrape["lag"].values())), _for(hold)
    )


def at_the_limit(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Overload at exactly the limit

    A lag that takes exactly `most` seconds counts as an overload in your answer. The rule says *more than*. Is
    your comparison `>` or `>=`?
    """
    known = _known(scrapes)
    states = [
        (now["time"], (lag := _lag(now)) >= most * (rate := _rate(before, now)) and lag + rate > 0)
        for before, now in pairwise(known)
    ]
    return _alert(states, _for(hold))


def standstill_is_no_overload(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Standstill not taken for an overload

    The query reads nothing any more while records wait, and your answer says that all is well. The rate is 0,
    and a division by 0 has to be avoided. What is the right answer for this case?
    """
    known = _known(scrapes)
    states = [
        (now["time"], _rate(before, now) > 0 and _lag(now) > most * _rate(before, now))
        for before, now in pairwise(known)
    ]
    return _alert(states, _for(hold))


def standstill_is_an_overload(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Quiet night taken for an overload

    Nothing arrives, nothing waits, and your alert fires: a rate of 0 alone is an overload in your answer. How
    much waits there?
    """
    known = _known(scrapes)
    states = [
        (now["time"], _rate(before, now) == 0 or _lag(now) > most * _rate(before, now))
        for before, now in pairwise(known)
    ]
    return _alert(states, _for(hold))


def fires_at_once(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Alert without a waiting time

    Your alert fires at the first overloaded scrape. A query that catches up by itself would wake people each
    time. What is `hold` for?
    """
    return _alert(_states(_known(scrapes), most), lambda time, since: True)


def scrapes_counted(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Scrapes counted in place of seconds

    Your alert counts overloaded scrapes and takes each for 2 seconds. Across a gap more time passes than
    scrapes say. Which two times are `hold` seconds apart?
    """
    known = _known(scrapes)
    times = [scrape["time"] for scrape in scrapes]
    usual = min((b - a for a, b in pairwise(times)), default=1)
    place = {scrape["time"]: number for number, scrape in enumerate(known)}
    return _alert(
        _states(known, most), lambda time, since: (place[time] - place[since]) * usual >= hold
    )


def longer_than_hold(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Waiting longer than required

    Your alert fires one scrape late: exactly `hold` seconds are enough. Is your comparison `>=` or `>`?
    """
    return _alert(_states(_known(scrapes), most), lambda time, since: time - since > hold)


def time_added_up(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Overloaded times added up

    A scrape in between was not overloaded, and your alert fires all the same. The rule wants one unbroken time.
    What happens to the beginning at a scrape that is not overloaded?
    """
    found: Times = {"fired": [], "resolved": []}
    since, firing = None, False
    for time, over in _states(_known(scrapes), most):
        if over:
            since = time if since is None else since
            if not firing and time - since >= hold:
                firing = True
                found["fired"].append(time)
        elif firing:
            found["resolved"].append(time)
            since, firing = None, False
    return found


def fires_between_scrapes(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Alert between two scrapes

    Your alert fires at a time without a scrape. At that moment it is unknown whether the query is still
    overloaded. At which scrapes can an alert be decided?
    """
    found: Times = {"fired": [], "resolved": []}
    since, firing = None, False
    for time, over in _states(_known(scrapes), most):
        if over:
            since = time if since is None else since
            if not firing and time - since >= hold:
                firing = True
                found["fired"].append(since + hold)
        else:
            since = None
            if firing:
                found["resolved"].append(time)
            firing = False
    return found


def fires_at_every_scrape(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Alert repeated while it is firing

    `fired` has a time for every scrape of the overload. An alert that is firing does not fire again. What do
    you have to remember?
    """
    found: Times = {"fired": [], "resolved": []}
    since, firing = None, False
    for time, over in _states(_known(scrapes), most):
        if over:
            since = time if since is None else since
            if time - since >= hold:
                firing = True
                found["fired"].append(time)
        else:
            since = None
            if firing:
                found["resolved"].append(time)
            firing = False
    return found


def resolves_without_firing(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Resolved without having fired

    `resolved` has a time, and no alert was firing: the overload was shorter than `hold`. When can an alert
    resolve?
    """
    found: Times = {"fired": [], "resolved": []}
    since, firing = None, False
    for time, over in _states(_known(scrapes), most):
        if over:
            since = time if since is None else since
            if not firing and time - since >= hold:
                firing = True
                found["fired"].append(time)
        elif since is not None:
            found["resolved"].append(time)
            since, firing = None, False
    return found


def resolves_at_every_scrape(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Resolved at every calm scrape

    `resolved` has a time for every scrape that is not overloaded. An alert resolves once, at the first of them.
    What do you have to remember?
    """
    states = _states(_known(scrapes), most)
    calm = [time for time, over in states if not over]
    return {**_alert(states, _for(hold)), "resolved": calm}


def fires_only_once(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Second overload without an alert

    Your alert fires once and never again. After it has resolved, the next overload needs an alert, too. Which
    of your variables has to go back to its beginning?
    """
    found = _alert(_states(_known(scrapes), most), _for(hold))
    return {name: times[:1] for name, times in found.items()}


def lag_without_a_rate(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Lag compared with a number of seconds

    Your answer depends on the lag alone. A lag of 1000 records is half a second for one query and an hour for
    another. In which unit is `most`?
    """
    known = _known(scrapes)
    return _alert([(now["time"], _lag(now) > most) for now in known[1:]], _for(hold))


def beginning_of_the_overload(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Beginning of the overload in `fired`

    `fired` has the time at which the overload began. At that time it was unknown whether it would hold. At
    which scrape has it held for `hold` seconds?
    """
    states = _states(_known(scrapes), most)
    began, since = {}, None
    for time, over in states:
        since = (time if since is None else since) if over else None
        began[time] = since
    found = _alert(states, _for(hold))
    return {**found, "fired": [began[time] or 0.0 for time in found["fired"]]}


def fires_in_the_gap(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Alert at a failed scrape

    Your alert fires at a scrape that failed. The overload from before was continued there, without a value. At
    which scrapes can the alert be decided?
    """
    known = dict(_states(_known(scrapes), most))
    states, last = [], False
    for scrape in scrapes:
        last = known.get(scrape["time"], last)
        states.append((scrape["time"], last))
    return _alert(states, _for(hold))
