"""Other right ways to read a checkpoint."""

import json
from typing import Any


def rules_in_a_list(
    offsets: dict[str, str],
    commits: list[int],
    state: list[dict[str, Any]],
    query: dict[str, Any],
    topics: dict[str, dict[str, int]],
) -> dict[str, Any]:
    """Works everything out first, then takes the first rule that holds."""
    if not offsets:
        return {"batch": 0, "start": "new"}
    newest = max(map(int, offsets))
    _version, _about, *lines = offsets[str(newest)].splitlines()

    def shape(operators: list[dict[str, Any]], part: str) -> list[list[str]]:
        return [[c.partition(" ")[2] for c in operator[part]] for operator in operators]

    missing = [
        (topic, partition)
        for number, line in enumerate(lines)
        if line != "-" and len(lines) == len(query["sources"])
        for topic, partitions in json.loads(line).items()
        for partition, offset in partitions.items()
        if topic not in query["sources"][number]
        or partition not in topics.get(topic, {})
        or topics[topic][partition] < offset
    ]
    names = [[operator["operator"] for operator in side] for side in (state, query["state"])]
    rules = {
        "sources": len(lines) != len(query["sources"]),
        "operators": names[0] != names[1],
        "key": shape(state, "key") != shape(query["state"], "key"),
        "value": shape(state, "value") != shape(query["state"], "value"),
        "topics": bool(missing),
    }
    refused = [word for word, holds in rules.items() if holds]
    if refused:
        return {"batch": None, "start": refused[0]}
    done = newest in commits
    return {"batch": newest + done, "start": "next" if done else "again"}
