"""Alerts of 14.7 as people may write them, right and wrong."""

import itertools
from bisect import bisect_left
from collections import deque
from typing import Any

Scrape = dict[str, Any]
Times = dict[str, list[float]]


def _known(scrapes: list[Scrape]) -> list[Scrape]:
    return [s for s in scrapes if s["up"] and s["lag"]]


def _over(before: Scrape, now: Scrape, most: float) -> bool:
    grown = now["rows_total"] - before["rows_total"]
    if grown < 0:
        grown = now["rows_total"]
    total: float = sum(now["lag"].values())
    return total > most * grown / (now["time"] - before["time"])


def _run(states: list[tuple[float, bool]], hold: float) -> Times:
    fired: list[float] = []
    resolved: list[float] = []
    since = None
    for time, over in states:
        if over:
            since = time if since is None else since
            if len(fired) == len(resolved) and time - since >= hold:
                fired.append(time)
        else:
            since = None
            if len(fired) > len(resolved):
                resolved.append(time)
    return {"fired": fired, "resolved": resolved}


def _states(scrapes: list[Scrape], most: float) -> list[tuple[float, bool]]:
    known = _known(scrapes)
    return [(known[n]["time"], _over(known[n - 1], known[n], most)) for n in range(1, len(known))]


def right_state_machine(scrapes: list[Scrape], most: float, hold: float) -> dict[str, Any]:
    class Alert:
        state = "inactive"
        since = 0.0

        def see(self, time: float, over: bool) -> str | None:
            match self.state, over:
                case "inactive", True:
                    self.state, self.since = "pending", time
                case (("pending" | "inactive"), False):
                    self.state = "inactive"
                case "firing", False:
                    self.state = "inactive"
                    return "resolved"
            if self.state == "pending" and time - self.since >= hold:
                self.state = "firing"
                return "fired"
            return None

    alert, out = Alert(), {"fired": [], "resolved": []}
    for time, over in _states(scrapes, most):
        event = alert.see(time, over)
        if event:
            out[event].append(time)
    return out


def right_looking_back(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """By rule 6 as it is written: all scrapes from an earlier one up to this one."""
    states = _states(scrapes, most)
    firing, fired, resolved = False, [], []
    for n, (time, over) in enumerate(states):
        start = n
        while start >= 0 and states[start][1]:
            start -= 1
        first = start + 1
        held = over and time - states[first][0] >= hold
        if held and not firing:
            fired.append(time)
            firing = True
        if firing and not over:
            resolved.append(time)
            firing = False
    return {"resolved": resolved, "fired": fired}


def right_with_infinity(scrapes: list[Scrape], most: float, hold: float) -> Times:
    known = _known(scrapes)
    states = []
    for before, now in itertools.pairwise(known):
        reset = now["rows_total"] < before["rows_total"]
        rate = (now["rows_total"] - (0 if reset else before["rows_total"])) / (
            now["time"] - before["time"]
        )
        lag = sum(now["lag"].values())
        states.append((now["time"], bool(lag) and (lag / rate if rate else float("inf")) > most))
    return _run(states, hold)


def right_with_a_deque(scrapes: list[Scrape], most: float, hold: float) -> Times:
    window: deque[Scrape] = deque(maxlen=2)
    states = []
    for scrape in scrapes:
        if "rows_total" not in scrape or not scrape.get("lag"):
            continue
        window.append(scrape)
        if len(window) == 2:
            states.append((scrape["time"], _over(window[0], window[1], most)))
    return _run(states, hold)


def wrong_lag_without_a_rate(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """An alert on the lag alone, most records."""
    return _run([(s["time"], sum(s["lag"].values()) > most) for s in _known(scrapes)[1:]], hold)


def wrong_growing_lag(scrapes: list[Scrape], most: float, hold: float) -> Times:
    known = _known(scrapes)
    return _run(
        [
            (b["time"], sum(b["lag"].values()) > sum(a["lag"].values()))
            for a, b in itertools.pairwise(known)
        ],
        hold,
    )


def wrong_rate_of_the_newest_minute(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """A rate over up to ten seconds, as people write it in Prometheus."""
    known = _known(scrapes)
    times = [s["time"] for s in known]
    states = []
    for n in range(1, len(known)):
        first = max(0, min(n - 1, bisect_left(times, times[n] - 10)))
        grown = 0
        for a, b in zip(known[first:n], known[first + 1 : n + 1], strict=True):
            step = b["rows_total"] - a["rows_total"]
            grown += step if step >= 0 else b["rows_total"]
        lag = sum(known[n]["lag"].values())
        states.append((times[n], lag > most * grown / (times[n] - times[first])))
    return _run(states, hold)


def wrong_restart_left_out(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """The scrape after a restart has no rate, so it is neither bad nor good."""
    known = _known(scrapes)
    pairs = itertools.pairwise(known)
    return _run(
        [(b["time"], _over(a, b, most)) for a, b in pairs if b["rows_total"] >= a["rows_total"]],
        hold,
    )


def wrong_restart_absolute(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """abs() makes a decrease an increase."""
    known = _known(scrapes)
    states = []
    for a, b in itertools.pairwise(known):
        rate = abs(b["rows_total"] - a["rows_total"]) / (b["time"] - a["time"])
        states.append((b["time"], sum(b["lag"].values()) > most * rate))
    return _run(states, hold)


def wrong_restart_since_zero_seconds(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """The new counter is divided by one usual interval, because the driver was down in the gap."""
    known = _known(scrapes)
    usual = min((b["time"] - a["time"] for a, b in itertools.pairwise(scrapes)), default=1)
    states = []
    for a, b in itertools.pairwise(known):
        if b["rows_total"] < a["rows_total"]:
            rate = b["rows_total"] / usual
        else:
            rate = (b["rows_total"] - a["rows_total"]) / (b["time"] - a["time"])
        states.append((b["time"], sum(b["lag"].values()) > most * rate))
    return _run(states, hold)


def wrong_stale_after_a_gap(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """After a gap there is no rate, as if the list began anew."""
    states, before = [], None
    for scrape in scrapes:
        if not scrape["up"]:
            before = None
            continue
        if not scrape["lag"]:
            continue
        if before is not None:
            states.append((scrape["time"], _over(before, scrape, most)))
        before = scrape
    return _run(states, hold)


def wrong_gap_fires(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """No answer counts as an overload."""
    states = _states(scrapes, most) + [(s["time"], True) for s in scrapes if not s["up"]]
    return _run(sorted(states), hold)


def wrong_fires_in_the_gap(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """The time goes on in a gap, and the alert fires there."""
    by_time = dict(_states(scrapes, most))
    states, last = [], False
    for scrape in scrapes:
        last = by_time.get(scrape["time"], last)
        states.append((scrape["time"], last))
    return _run(states, hold)


def wrong_average_lag(scrapes: list[Scrape], most: float, hold: float) -> Times:
    changed = [
        {**s, "lag": {"0": sum(s["lag"].values()) / len(s["lag"])}} if s.get("lag") else s
        for s in scrapes
    ]
    return _run(_states(changed, most), hold)


def wrong_lag_as_time(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """Divides only if there is a rate, and else takes the lag for seconds."""
    known = _known(scrapes)
    states = []
    for a, b in itertools.pairwise(known):
        grown = b["rows_total"] - a["rows_total"]
        grown = b["rows_total"] if grown < 0 else grown
        lag = sum(b["lag"].values())
        states.append((b["time"], lag / (grown / (b["time"] - a["time"]) or 1) > most))
    return _run(states, hold)


def wrong_integer_division(scrapes: list[Scrape], most: float, hold: float) -> Times:
    known = _known(scrapes)
    states = []
    for a, b in itertools.pairwise(known):
        grown = b["rows_total"] - a["rows_total"]
        rate = (b["rows_total"] if grown < 0 else grown) // (b["time"] - a["time"])
        lag = sum(b["lag"].values())
        states.append((b["time"], lag > 0 and (rate == 0 or lag // rate > most)))
    return _run(states, hold)


def wrong_resolves_after_hold(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """It waits before it resolves, too."""
    fired, resolved = [], []
    since = calm = None
    firing = False
    for time, over in _states(scrapes, most):
        if over:
            calm = None
            since = time if since is None else since
            if not firing and time - since >= hold:
                firing = True
                fired.append(time)
        else:
            since = None
            calm = time if calm is None else calm
            if firing and time - calm >= hold:
                firing = False
                resolved.append(time)
    return {"fired": fired, "resolved": resolved}


def wrong_time_of_the_beginning(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """`fired` has the time at which the overload began."""
    out: Times = {"fired": [], "resolved": []}
    since, firing = None, False
    for time, over in _states(scrapes, most):
        if over:
            since = time if since is None else since
            if not firing and time - since >= hold:
                firing = True
                out["fired"].append(since)
        else:
            since = None
            if firing:
                out["resolved"].append(time)
            firing = False
    return out


def wrong_resolved_at_the_last_bad_scrape(scrapes: list[Scrape], most: float, hold: float) -> Times:
    states = _states(scrapes, most)
    found = _run(states, hold)
    times = [time for time, _ in states]
    return {**found, "resolved": [times[times.index(time) - 1] for time in found["resolved"]]}


def wrong_still_firing_is_resolved(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """An alert that is still firing at the end is resolved there."""
    found = _run(_states(scrapes, most), hold)
    if len(found["fired"]) > len(found["resolved"]):
        found["resolved"].append(scrapes[-1]["time"])
    return found


def wrong_pairs(scrapes: list[Scrape], most: float, hold: float) -> Any:
    """A list of pairs in place of a dict."""
    found = _run(_states(scrapes, most), hold)
    return list(zip(found["fired"], found["resolved"], strict=False))


def wrong_none_without_an_alert(scrapes: list[Scrape], most: float, hold: float) -> Any:
    found = _run(_states(scrapes, most), hold)
    return {name: times or None for name, times in found.items()}


def wrong_since_the_gap_ended(scrapes: list[Scrape], most: float, hold: float) -> Times:
    """An overload that goes on over a gap begins at its end."""
    gaps = [s["time"] for s in scrapes if not s["up"]]
    fired, resolved = [], []
    since, firing = None, False
    for time, over in _states(scrapes, most):
        if over:
            since = time if since is None or any(since < gap < time for gap in gaps) else since
            if not firing and time - since >= hold:
                firing = True
                fired.append(time)
        else:
            since = None
            if firing:
                resolved.append(time)
            firing = False
    return {"fired": fired, "resolved": resolved}
