"""Other right alerts."""

from itertools import groupby, pairwise
from math import inf
from typing import Any

Scrape = dict[str, Any]


def episodes(scrapes: list[Scrape], most: float, hold: float) -> dict[str, list[float]]:
    """First which scrapes are overloaded, then the unbroken episodes of them."""
    known = [scrape for scrape in scrapes if scrape["up"] and scrape["lag"]]
    states = []
    for before, scrape in pairwise(known):
        grown = scrape["rows_total"] - before["rows_total"]
        rate = (grown if grown >= 0 else scrape["rows_total"]) / (scrape["time"] - before["time"])
        lag = sum(scrape["lag"].values())
        seconds = lag / rate if rate else (inf if lag else 0.0)
        states.append((scrape["time"], seconds > most))
    fired, resolved, firing = [], [], False
    for overloaded, group in groupby(states, key=lambda state: state[1]):
        times = [time for time, _ in group]
        late = [time for time in times if time - times[0] >= hold]
        if overloaded and late:
            fired.append(late[0])
            firing = True
        elif not overloaded and firing:
            resolved.append(times[0])
            firing = False
    return {"fired": fired, "resolved": resolved}


def a_counter_without_restarts(scrapes: list[Scrape], most: float, hold: float) -> dict[str, Any]:
    """First the counter without its restarts, as one list; then a state with a name."""
    times, totals, lags = [], [], []
    offset = last = 0
    for scrape in scrapes:
        if scrape.get("rows_total") is None or not scrape.get("lag"):
            continue
        if scrape["rows_total"] < last:
            offset += last
        last = scrape["rows_total"]
        times.append(scrape["time"])
        totals.append(offset + last)
        lags.append(sum(int(records) for records in scrape["lag"].values()))
    out: dict[str, Any] = {"resolved": (), "fired": ()}
    state, began = "inactive", 0.0
    for n in range(1, len(times)):
        # multiplied out: no division
        over = lags[n] * (times[n] - times[n - 1]) > most * (totals[n] - totals[n - 1])
        if not over:
            if state == "firing":
                out["resolved"] += (times[n],)
            state = "inactive"
            continue
        if state == "inactive":
            state, began = "pending", times[n]
        if state == "pending" and times[n] - began >= hold:
            state = "firing"
            out["fired"] += (times[n],)
    return out


def with_pandas(scrapes: list[Scrape], most: float, hold: float) -> dict[str, list[float]]:
    """Columns in place of a loop over scrapes, as far as they go."""
    import pandas as pd

    rows = [
        (s["time"], s["rows_total"], sum(s["lag"].values()))
        for s in scrapes
        if s["up"] == 1 and s["lag"]
    ]
    table = pd.DataFrame(rows, columns=["time", "rows", "lag"]).astype(float)
    grown = table["rows"].diff()
    grown = grown.where(grown >= 0, table["rows"])
    table["over"] = table["lag"] > most * grown / table["time"].diff()
    table = table.iloc[1:]
    episode = (table["over"] != table["over"].shift()).cumsum()
    since = table.groupby(episode)["time"].transform("min")
    table["firing"] = table["over"] & (table["time"] - since >= hold)
    before = table["firing"].shift(fill_value=False).astype(bool)
    return {
        "fired": table.loc[table["firing"] & ~before, "time"].tolist(),
        "resolved": table.loc[~table["firing"] & before, "time"].tolist(),
    }
