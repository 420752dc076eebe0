"""Other suites that catch all ten."""

import random
from typing import Any

Lag = int | None | tuple[int | None, ...]


def _report(lag: Lag) -> dict[str, Any]:
    lags = lag if isinstance(lag, tuple) else (lag,)
    return {
        "sources": [
            {"description": "rate"}
            if one is None
            else {"description": "kafka", "metrics": {"maxOffsetsBehindLatest": f"{one}"}}
            for one in lags
        ]
    }


def a_table_of_nights(pager: Any) -> Any:
    """Each line is a night: the lags, and at which reports what is said."""
    nights: list[tuple[list[Lag], dict[int, str]]] = [
        ([40, 45, 60], {}),
        ([50, 50, 50, 50], {}),
        ([51, 60, 49, 51, 51], {}),
        ([51, 52, 53, 54, 55, 56], {2: "wake"}),
        ([51, 52, None, 54], {3: "wake"}),
        ([(None, 51), (3, 52), (9, 53)], {2: "wake"}),
        ([(9, 51), (9, 52), (9, 53)], {2: "wake"}),
        ([60, 60, 60, 50, 26, 25, 9], {2: "wake", 5: "all clear"}),
        ([60, 60, 60, 9, 60, 60, 60], {2: "wake", 3: "all clear", 6: "wake"}),
    ]
    for lags, wanted in nights:
        one = pager(50)
        said = [one.tell(_report(lag)) for lag in lags]
        assert {at: word for at, word in enumerate(said) if word} == wanted, lags


def against_a_second_one(pager: Any) -> Any:
    """Held against a plain list of lags, over many nights by chance."""
    dice = random.Random(14)
    for _ in range(300):
        one, lags, awake = pager(100), [], False
        for _ in range(25):
            lag: Lag = dice.choice([None, 9, 50, 51, 95, 100, 101, 150, 300])
            if dice.random() < 0.3:
                lag = (dice.choice([None, 0, 95]), lag if not isinstance(lag, tuple) else 0)
            known = [x for x in (lag if isinstance(lag, tuple) else (lag,)) if x is not None]
            wanted = None
            if known:
                lags.append(max(known))
                if not awake and len(lags) >= 3 and min(lags[-3:]) > 100:
                    awake, wanted = True, "wake"
                elif awake and lags[-1] <= 50:
                    awake, wanted = False, "all clear"
            assert one.tell(_report(lag)) == wanted, lags
