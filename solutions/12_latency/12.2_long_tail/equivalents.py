"""Other right ways to explain a tail."""

from statistics import median
from typing import Any


def against_the_rest(reports: list[dict[str, Any]]) -> dict[str, Any]:
    """Goes through the parts one by one, and looks for an arithmetic sequence."""
    batches = {
        report["batchId"]: report["durationMs"]
        for report in reports
        if report["batchId"] and "addBatch" in report["durationMs"]
    }
    limit = 1.5 * median(times["triggerExecution"] for times in batches.values())
    slow = [id for id, times in batches.items() if times["triggerExecution"] > limit]
    grown = {}
    for part in {name for times in batches.values() for name in times}:
        if part != "triggerExecution":
            usual = median(times.get(part, 0) for times in batches.values())
            grown[part] = sum(batches[id].get(part, 0) for id in slow) - usual * len(slow)
    every = None
    if len(slow) >= 3:
        step = slow[1] - slow[0]
        if slow == list(range(slow[0], slow[-1] + 1, step)):
            every = step
    part = max(grown, key=lambda name: grown[name]) if slow else None
    return {"slow": slow, "part": part, "every": every}


def with_pandas(reports: list[dict[str, Any]]) -> dict[str, Any]:
    """A table with a row for each batch and a column for each part."""
    import pandas as pd

    table = pd.DataFrame([r["durationMs"] for r in reports], index=[r["batchId"] for r in reports])
    table = table[table["addBatch"].notna() & (table.index != 0)].fillna(0)
    whole = table.pop("triggerExecution")
    slow = table[whole / 1.5 > whole.median()]
    numbers = [int(id) for id in slow.index]
    distances = pd.Series(numbers).diff().dropna()
    regular = len(distances) > 1 and distances.nunique() == 1
    return {
        "slow": numbers,
        "part": str((slow - table.median()).sum().idxmax()) if numbers else None,
        "every": int(distances.iloc[0]) if regular else None,
    }
