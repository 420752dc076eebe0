"""Other days: quiet partitions, new ones, days that begin after the end, batches without a commit."""

import json
import random as randoms
from typing import Any

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    """Every kind of day twice, in any order."""
    days = [make(random) for make in KINDS for _ in range(2)]
    random.shuffle(days)
    days += [
        _two(random, planned=1, commits=[7, 6]),  # in no order
        _two(random, commits=[7]),  # old commits were deleted sooner than old entries
        _eleven(random),
        day({"1": random.randrange(50, 90)}, [15, 40]),  # nothing was read of partition 0
        _one(random, others={"old_orders": {"0": random.randrange(5, 900)}}),
        _one(random, others={"orders_of_old": {"0": random.randrange(5, 900)}}),
        _first_entry_gone(_two(random)),
        _partition_planned(random),
        day([random.randrange(50, 90), random.randrange(20, 70)], [None, None]),
    ]
    return Scenario([Event(step, "days", value) for step, value in enumerate(days, start=1)])


def day(
    done: list[int] | dict[str, int],
    starts: list[int | None],
    *,
    batch: int = 7,
    planned: int = 0,
    commits: list[int] | None = None,
    others: dict[str, dict[str, int]] | None = None,
    topic: str = "orders",
) -> dict[str, Any]:
    """A checkpoint whose last committed batch ended at `done`; `planned` more were planned after it."""
    ends = done if isinstance(done, dict) else {str(number): end for number, end in enumerate(done)}
    offsets = {**(others or {}), "orders": ends}
    entries = {
        str(number): _entry(offsets, number - batch, number)
        for number in range(max(0, batch - 1), batch + planned + 1)
    }
    return {
        "topic": topic,
        "offsets": entries,
        "commits": list(range(max(0, batch - 1), batch + 1)) if commits is None else commits,
        "day_starts": starts,
    }


def _entry(done: dict[str, dict[str, int]], ahead: int, batch: int) -> str:
    about = {"batchWatermarkMs": 0, "batchTimestampMs": 1772366400000 + 60_000 * batch}
    moved = {t: {p: max(0, o + 10 * ahead) for p, o in of.items()} for t, of in done.items()}
    return "\n".join(["v1", *(json.dumps(line, separators=(",", ":")) for line in (about, moved))])


def _usual(random: randoms.Random) -> tuple[int, int]:
    """Where a day begins, and where it ends."""
    start = random.randrange(50, 400)
    return start, start + random.randrange(20, 90)


def _one(random: randoms.Random, **but: Any) -> dict[str, Any]:
    start, end = _usual(random)
    return day([end], [start], **but)


def _two(
    random: randoms.Random, second: tuple[int | None, int] | None = None, **but: Any
) -> dict[str, Any]:
    """Two partitions; `second` says where the other one's day begins, and where it ended."""
    start, end = _usual(random)
    other, stop = second or _usual(random)
    return day([end, stop], [start, other], **but)


def _eleven(random: randoms.Random) -> dict[str, Any]:
    """Eleven partitions, which the entry lists in no order."""
    usual = [_usual(random) for _ in range(11)]
    ends = {str(number): usual[number][1] for number in random.sample(range(11), 11)}
    return day(ends, [start for start, _ in usual])


def _first_entry_gone(case: dict[str, Any]) -> dict[str, Any]:
    """Old entries were deleted sooner than old commits."""
    return {**case, "offsets": dict(list(case["offsets"].items())[1:])}


def _partition_planned(random: randoms.Random) -> dict[str, Any]:
    """A second partition, of which only a batch without a commit has read."""
    start, end = _usual(random)
    case = day([end], [start, random.randrange(5, 15)], planned=1)
    read = {"orders": {"0": end + 10, "1": random.randrange(20, 60)}}
    return {**case, "offsets": {**case["offsets"], "8": _entry(read, 0, 8)}}


KINDS = [
    _one,
    _two,
    lambda random: _one(random, planned=1),
    lambda random: _two(random, batch=9, planned=1),
    lambda random: _two(random, batch=10),
    lambda random: _two(random, batch=100, planned=1),
    lambda random: _two(random, second=(None, random.randrange(20, 400))),
    lambda random: _two(random, second=(random.randrange(300, 400), random.randrange(20, 299))),
    lambda random: _two(random, second=(80, 80)),
    lambda random: _two(random, second=(0, random.randrange(20, 400))),
    lambda random: day([90], [40, random.randrange(5, 30)]),
    lambda random: day([90], [40, None]),
    lambda random: _one(random, others={"a": {"0": random.randrange(5, 900)}}),
    lambda random: _two(random, others={"phone": {"0": 800, "1": 900}}),
    lambda random: day([90], [random.randrange(5, 30)], topic="phone"),
    lambda random: _one(random, batch=0, commits=[]),
    lambda random: _one(random, batch=0),
    lambda random: {**_one(random), "offsets": {}, "commits": []},
]
