"""Restarts of other queries: more or less is pinned, and sessions want this and that."""

import json
import random as randoms

from grader.scenario import Event, Scenario

STATE = "spark.sql.streaming.stateStore."
PARTITIONS = "spark.sql.shuffle.partitions"
PROVIDERS = [
    f"org.apache.spark.sql.execution.streaming.state.{name}StateStoreProvider"
    for name in ("HDFSBacked", "RocksDB")
]
PINNED = {
    PARTITIONS: ["2", "4", "8", "16", "200"],
    f"{STATE}providerClass": PROVIDERS,
    "spark.sql.streaming.multipleWatermarkPolicy": ["min", "max"],
    f"{STATE}rowChecksum.enabled": ["true", "false"],
    f"{STATE}compression.codec": ["lz4", "zstd"],
}
FREE = {
    f"{STATE}rocksdb.changelogCheckpointing.enabled": ["true", "false"],
    f"{STATE}rocksdb.maxMemoryUsageMB": ["64", "500"],
    f"{STATE}minDeltasForSnapshot": ["10", "50"],
}


def hidden(random: randoms.Random) -> Scenario:
    """Thirteen restarts, those of an old Spark with fewer pinned settings or none among them."""
    cases = []
    for number in range(12):
        left_out = {8: [PARTITIONS], 9: [f"{STATE}providerClass"]}.get(number, [])
        pinned = {n: random.choice(v) for n, v in PINNED.items() if n not in left_out}
        if number in (10, 11):
            pinned = {}
        session = {n: random.choice(v) for n, v in FREE.items() if random.random() < 0.6}
        # for what an old entry lacks Spark may have a default of its own; not for these two
        asked = sorted(PINNED) if number < 10 else [PARTITIONS, f"{STATE}providerClass"]
        wanted = random.sample(
            asked, len(asked) if number < 3 else random.randint(0, len(asked) - 1)
        )
        session |= {name: random.choice(PINNED[name]) for name in wanted}
        if number in (8, 10):
            session[PARTITIONS] = random.choice(["3", "6", "12"])
        if number == 9:
            session[f"{STATE}providerClass"] = PROVIDERS[1]
        if number == 11:
            session.pop(PARTITIONS, None)
        if number == 0:
            pinned[f"{STATE}compression.codec"] = "lz4"
            session[f"{STATE}compression.codec"] = "zstd"
        cases.append((pinned, session))
    unnamed = {  # no lesson names them
        "spark.sql.streaming.join.stateFormatVersion": ("2", "1"),
        f"{STATE}rocksdb.formatVersion": ("5", "6"),
        "spark.sql.optimizer.pruneFiltersCanPruneStreamingSubplan": ("false", "true"),
    }
    pinned = {name: values[0] for name, values in {**PINNED, **unnamed}.items()}
    session = {name: values[1] for name, values in unnamed.items()}
    cases.append((pinned, {**session, PARTITIONS: pinned[PARTITIONS]}))
    checksums = f"{STATE}rowChecksum.enabled"
    cases.append(({**pinned, checksums: "true"}, {checksums: "TRUE"}))  # another text
    entries = [
        # of a topic with 100 partitions the offsets are the longest line
        _entry(pinned, random, partitions=100 if step == 1 else 1)
        for step, (pinned, _) in enumerate(cases, start=1)
    ]
    cases.append((pinned, {PARTITIONS: "3"}))
    entries.append(_entry(pinned, random, version="v2"))
    return Scenario(
        [
            Event(step, "restarts", {"entry": entry, "session": session})
            for step, (entry, (_, session)) in enumerate(zip(entries, cases, strict=True), start=1)
        ]
    )


def _entry(
    pinned: dict[str, str], random: randoms.Random, *, partitions: int = 1, version: str = "v1"
) -> str:
    """An entry of the offset log as Spark writes it."""
    about: dict[str, object] = {"batchWatermarkMs": 0, "batchTimestampMs": 1772366400000}
    if pinned:
        about["conf"] = pinned
    read = {str(partition): random.randrange(1000) for partition in range(partitions)}
    offsets = json.dumps({"orders": read}, separators=(",", ":"))
    return "\n".join([version, json.dumps(about, separators=(",", ":")), offsets])
