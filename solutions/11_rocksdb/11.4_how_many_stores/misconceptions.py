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
    """Number of stores that is not a multiple of the cores

    Your number is not a multiple of the cores. Each batch waits for its last store: nine stores
    on eight cores take two rounds, and in the second round seven cores are idle. To which number
    do you round up last?
    """
    one = _stores(report, 1, rows)
    return one if one is None else max(one, cores)


def a_store_for_each_core(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """One store per core, whatever its size

    Your function returns the number of cores, even if each store then holds more than 200 MB.
    This number is right while the state is small. How many stores does the state need at its
    largest?
    """
    return None if _stores(report, cores, rows) is None else cores


def the_size_of_one_store(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """Size multiplied by the number of stores

    There are too many stores if the measured query had several. `rocksdbSstFileSize` is already
    the sum over all stores, and so is `numRowsTotal`. What does their quotient mean?
    """
    return _stores(report, cores, rows, times=report["numStateStoreInstances"])


def state_as_it_is_now(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """Number of stores for the rows of today

    Your number fits the state that was measured, not the `rows` to come. The checkpoint pins the
    number, so it has to fit the state at its largest. Which of the two numbers of rows do you
    multiply by?
    """
    return _stores(report, cores, report["numRowsTotal"])


def rounded_down(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """Number of stores rounded down

    There is one round of cores too few, and each store holds more than 200 MB. A fraction of a
    store needs a whole store. In which direction do you round?
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
    """Rounded average that makes too few stores

    A row of 50 and 3/7 bytes is underestimated, so there are too few stores. In fifty million
    rows the fraction alone is 20 MB. Where is it lost: in `//`, int() or floor, before you
    multiply by `rows`?
    """
    return _by_rounded_bytes(report, cores, rows, math.floor)


def bytes_of_a_row_rounded_up(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """Rounded average that makes too many stores

    With a row of 50 and 4/7 bytes there are more stores than needed. The bytes per row and the
    rows per store are averages, and an average needs no rounding. Which of them do you round?
    """
    return _by_rounded_bytes(report, cores, rows, math.ceil)


def bytes_of_a_row_to_the_nearest(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """Average rounded to the nearest integer

    A row of 50 and 3/7 bytes is underestimated, a row of 50 and 4/7 bytes is overestimated. The
    bytes per row are an average and need no rounding, to any number of places. What are the two
    quantities that you do have to round up?
    """
    return _by_rounded_bytes(report, cores, rows, round)


def nothing_measured_is_small(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """Number of stores without a measurement

    A report with 0 bytes of SST files gives a number of stores. The bytes are 0 because the rows
    are still in the write buffers: nothing has been measured. What does the task return then?
    """
    found = _stores(report, cores, rows)
    return cores if found is None else found


def millions_of_bytes(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """Limit of 200 million bytes

    At the limit there are more stores than needed. The task counts a megabyte as 1024 · 1024
    bytes, as Spark's own settings do. Which limit does your function use?
    """
    return _stores(report, cores, rows, most=200_000_000)


def a_round_to_spare(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """One round of cores too many at the exact limit

    If the stores are full to the last byte, your number has one round of cores too many. Exactly
    200 MB per store are allowed. Do you round up, or do you round down and add 1?
    """
    size, measured = report["customMetrics"]["rocksdbSstFileSize"], report["numRowsTotal"]
    if not size or not measured:
        return None
    needed = rows * size / measured / (200 * MB)
    return (int(needed / cores) + 1) * cores


def an_empty_state_without_stores(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """No store for an empty state

    For `rows` of 0 your function returns 0. A query with state always has stores, and the task
    requires at least `cores`. What is your smallest result?
    """
    return _stores(report, cores, rows) if rows else 0


def never_smaller_than_today(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """Rows of today as a lower limit

    If the state will have fewer rows than today, there are too many stores. Only `rows` counts:
    with a shorter time to live a state shrinks. Which two numbers of rows do you compare?
    """
    return _stores(report, cores, max(rows, report["numRowsTotal"]))


def no_more_than_the_default(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """Limit of 200 stores

    For a very large state your function returns no more than Spark's default of 200 partitions,
    and each store then holds more than 200 MB. The task has no upper limit. Where does yours come
    from?
    """
    found = _stores(report, cores, rows)
    return found if found is None else min(found, max(200, cores))
