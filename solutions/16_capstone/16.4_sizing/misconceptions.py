"""Results that are too small, or that count something else."""

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
    """Cores that are busy all of the time

    There are too few cores: a micro-batch takes as long as its trigger. Nothing is left for an hour with more
    clicks, and after a stop the query never catches up. Which part of the time may a core be busy?
    """
    return _size(**load, busy=1.0)


def rounded_down(**load: int) -> dict[str, int]:
    """Results rounded down

    If a division has a remainder, one core or one megabyte is missing. Which function rounds up?
    """
    return _size(**load, up=math.floor)


def one_window_in_state(**load: int) -> dict[str, int]:
    """One window in state

    The state has a third of the rows that it needs. A window stays until the watermark has passed its end. The
    watermark is late by its delay and by one micro-batch. How many windows are open then?
    """
    return _size(**load, windows=1)


def two_windows_in_state(**load: int) -> dict[str, int]:
    """Two windows in state

    The state has two thirds of the rows that it needs. Ten seconds between the watermark and the newest click
    are two windows only if one begins exactly there. How many windows do they touch otherwise?
    """
    return _size(**load, windows=2)


def topic_by_its_bytes(**load: int) -> dict[str, int]:
    """Fewer partitions in the topic than cores

    The topic has fewer partitions than there are cores. Each partition is read by one task, so some cores have
    nothing to read. What is the lower limit in the task?
    """
    return _size(**load, by_cores=False)


def topic_by_the_cores(**load: int) -> dict[str, int]:
    """Bytes per second ignored

    With long records, the topic has too few partitions for their bytes. Which two numbers does the task
    compare?
    """
    return _size(**load, by_bytes=False)


def a_store_for_each_core(**load: int) -> dict[str, int]:
    """Shuffle partitions larger than 200 MB

    There is one shuffle partition for each core, even if each then has more than 200 MB of state. How many
    multiples of the cores do you need?
    """
    found = _size(**load)
    return {**found, "shuffle_partitions": found["cores"]}


def as_many_as_fit(**load: int) -> dict[str, int]:
    """Number of shuffle partitions that is not a multiple of the cores

    Each shuffle partition has at most 200 MB of state, but in the last round some cores have nothing to do. How
    do you round up to a multiple of the cores?
    """
    found = _size(**load)
    pieces = math.ceil(found["state_mb"] / 200)
    return {**found, "shuffle_partitions": max(found["cores"], pieces)}


def memory_without_state(**load: int) -> dict[str, int]:
    """Memory without the state

    The memory is for the tasks only. State that does not fit is read from disk again and again. What does the
    task add to it?
    """
    found = _size(**load)
    return {**found, "memory_mb": 512 * found["cores"]}


def doubled_after_rounding(**load: int) -> dict[str, int]:
    """Cores doubled after rounding

    `cores` is always even, also if an odd number is enough. A core that is busy half of the time processes
    `core_rate / 2` clicks. Which operation should be the last one?
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
    """Megabytes not rounded up

    `state_mb` and `memory_mb` have decimal places. The task rounds `state_mb` up to whole units of 1,000,000
    bytes. Which function rounds up?
    """
    found = _size(**load)
    megabytes = found["state_rows"] * load["row_bytes"] / 1_000_000
    return {**found, "state_mb": megabytes, "memory_mb": 512 * found["cores"] + megabytes}
