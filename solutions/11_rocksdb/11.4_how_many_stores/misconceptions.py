"""Ways to choose a wrong number of stores."""

import math
from collections.abc import Callable
from typing import Any

MB = 1024**2


def _stores(
    report: dict[str, Any], cores: int, rows: int, *, most: float = 200 * MB, times: int = 1
) -> int | None:
    """The rule, with another limit or a size that is multiplied."""
    size = report["customMetrics"]["rocksdbSstFileSize"]
    measured = report["numRowsTotal"]
    if not size or not measured:
        return None
    needed = math.ceil(rows * size * times / measured / most)
    return max(1, math.ceil(needed / cores)) * cores


def as_many_as_needed(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """Stores that do not share out evenly over the cores

    The number is no multiple of the cores. Each batch waits for its last store: nine of them on
    eight cores take two rounds, and in the second one seven cores look on.
    """
    one = _stores(report, 1, rows)
    return one if one is None else max(one, cores)


def a_store_for_each_core(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """A store for each core, also where it would hold too much

    The number of cores comes out also where stores would hold more than 200 MB each. It is right
    while the state is small. The checkpoint pins the number, and the state grows.
    """
    return None if _stores(report, cores, rows) is None else cores


def the_size_of_one_store(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """A size that is multiplied once more by the stores

    Too many stores come out where the measured query had several. `rocksdbSstFileSize` is the sum
    over all stores already, as `numRowsTotal` is.
    """
    return _stores(report, cores, rows, times=report["numStateStoreInstances"])


def state_as_it_is_now(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """Room for the rows of today

    The number fits the state that was measured, not the rows that are to come. It will stay as it
    is for as long as the checkpoint lives: choose it for the state at its largest.
    """
    return _stores(report, cores, report["numRowsTotal"])


def rounded_down(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """Rounded down

    The stores come out too few by one round of cores, and each holds more than 200 MB. What needs
    a part of a store needs a store.
    """
    size = report["customMetrics"]["rocksdbSstFileSize"]
    if not size or not report["numRowsTotal"]:
        return None
    needed = rows * size / report["numRowsTotal"] / (200 * MB)
    return max(1, int(needed / cores)) * cores


def _by_rounded_bytes(
    report: dict[str, Any], cores: int, rows: int, rounded: Callable[[float], int]
) -> int | None:
    """The rule, with the bytes of a row rounded in some way."""
    size = report["customMetrics"]["rocksdbSstFileSize"]
    if not size or not report["numRowsTotal"]:
        return None
    bytes_a_row = rounded(size / report["numRowsTotal"])
    return max(1, math.ceil(rows * bytes_a_row / (200 * MB) / cores)) * cores


def bytes_of_a_row_rounded_down(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """Too few stores where a row has a fraction of a byte

    A row of 50 and 3/7 bytes is reckoned too light, and there are too few stores. Of fifty million rows
    the fraction alone is 20 MB. Where is it lost: with `//`, int() or floor, before the rows that are to
    come are multiplied by it?
    """
    return _by_rounded_bytes(report, cores, rows, math.floor)


def bytes_of_a_row_rounded_up(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """Too many stores where a row has a fraction of a byte

    With a row of 50 and 4/7 bytes there are more stores than needed. The bytes of a row and the rows of a
    store are averages: is one of them rounded? Round up where a part needs a whole: stores, and rounds
    of cores.
    """
    return _by_rounded_bytes(report, cores, rows, math.ceil)


def bytes_of_a_row_to_the_nearest(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """Now too few, now too many stores where a row has a fraction of a byte

    A row of 50 and 3/7 bytes is reckoned too light, one of 50 and 4/7 too heavy. The bytes of a row are an
    average and need no rounding, to however many places. Round up where a part needs a whole: stores, and
    rounds of cores.
    """
    return _by_rounded_bytes(report, cores, rows, round)


def nothing_measured_is_small(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """A number from a report that has none

    A report with 0 bytes of SST files gives a number of stores. They are 0 because the rows are
    still in the write buffers: nothing has been measured yet. Where there is no measurement, say
    so: None.
    """
    found = _stores(report, cores, rows)
    return cores if found is None else found


def millions_of_bytes(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """200 million bytes

    At the limit there are more stores than needed. The task counts a megabyte as 1024 · 1024 bytes, as
    Spark's own settings do.
    """
    return _stores(report, cores, rows, most=200_000_000)
