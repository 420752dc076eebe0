"""Sums that come out too small, or count something else."""

import math
from typing import Any


def _size(
    clicks: int,
    pages: int,
    core_rate: int,
    record_bytes: int,
    partition_bytes: int,
    row_bytes: int,
    busy: float = 0.5,
    windows: int = 3,
    by_cores: bool = True,
    by_bytes: bool = True,
    up: Any = math.ceil,
) -> dict[str, int]:
    cores = max(1, up(clicks / (core_rate * busy)))
    needed = up(clicks * record_bytes / partition_bytes)
    partitions = max(cores if by_cores else 1, needed if by_bytes else 1)
    rows = windows * pages
    megabytes = up(rows * row_bytes / 1_000_000)
    return {
        "cores": cores,
        "kafka_partitions": partitions,
        "state_rows": rows,
        "state_mb": megabytes,
        "shuffle_partitions": cores * max(1, math.ceil(megabytes / (200 * cores))),
        "memory_mb": 512 * cores + megabytes,
    }


def no_reserve(**load: int) -> dict[str, int]:
    """Cores that are never idle

    There are too few cores: a batch takes as long as its trigger. That leaves nothing for an hour with more clicks, and
    after a stop the query never catches up.
    """
    return _size(**load, busy=1.0)


def rounded_down(**load: int) -> dict[str, int]:
    """Half a core is no core

    Where a division has a rest, one core or one megabyte is missing. What is too small by a little is too small.
    """
    return _size(**load, up=math.floor)


def one_window_in_state(**load: int) -> dict[str, int]:
    """Only one window in the state

    The state has a third of the rows that it needs. A window stays until the watermark has passed its end, and the
    watermark is behind by its delay, and by a batch.
    """
    return _size(**load, windows=1)


def two_windows_in_state(**load: int) -> dict[str, int]:
    """One window is forgotten

    The state has two thirds of the rows that it needs. Ten seconds between watermark and newest click are two windows,
    if one begins just there. Otherwise they cut into three.
    """
    return _size(**load, windows=2)


def topic_by_its_bytes(**load: int) -> dict[str, int]:
    """Fewer partitions in the topic than cores

    The topic has fewer partitions than there are cores. Each is read by one task, so some cores have nothing to read.
    """
    return _size(**load, by_cores=False)


def topic_by_the_cores(**load: int) -> dict[str, int]:
    """A topic that cannot take what is sent

    Where records are long the topic has too few partitions for their bytes. It is not only who reads that decides.
    """
    return _size(**load, by_bytes=False)


def a_store_for_each_core(**load: int) -> dict[str, int]:
    """Stores of any size

    There is one partition of the shuffle for each core, also where that makes more than 200 MB of state in each.
    """
    found = _size(**load)
    return {**found, "shuffle_partitions": found["cores"]}


def as_many_as_fit(**load: int) -> dict[str, int]:
    """Partitions that the cores do not divide

    Each partition has 200 MB of state at most, and their number is no multiple of the cores: in the last round some have
    nothing to do.
    """
    found = _size(**load)
    pieces = math.ceil(found["state_mb"] / 200)
    return {**found, "shuffle_partitions": max(found["cores"], pieces)}


def memory_without_state(**load: int) -> dict[str, int]:
    """State that has no room

    The memory is that of the tasks alone. What does not fit beside them is read from disk again and again.
    """
    found = _size(**load)
    return {**found, "memory_mb": 512 * found["cores"]}


def doubled_after_rounding(**load: int) -> dict[str, int]:
    """Cores that are doubled after they were rounded up

    `cores` is always even, also where an odd number is enough: one core does `core_rate / 2` clicks when it is busy half
    of the time, and only the last step is to round up.
    """
    cores = 2 * math.ceil(load["clicks"] / load["core_rate"])
    needed = math.ceil(load["clicks"] * load["record_bytes"] / load["partition_bytes"])
    megabytes = _size(**load)["state_mb"]
    return {
        **_size(**load),
        "cores": cores,
        "kafka_partitions": max(cores, needed),
        "shuffle_partitions": cores * max(1, math.ceil(megabytes / (200 * cores))),
        "memory_mb": 512 * cores + megabytes,
    }


def parts_of_a_megabyte(**load: int) -> dict[str, float]:
    """Megabytes that are not rounded up

    `state_mb`, and `memory_mb` with it, has places behind the point. The task rounds it up to whole units of 1,000,000
    bytes.
    """
    found = _size(**load)
    megabytes = found["state_rows"] * load["row_bytes"] / 1_000_000
    return {**found, "state_mb": megabytes, "memory_mb": 512 * found["cores"] + megabytes}
