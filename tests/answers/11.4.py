"""Answers to 11.4: how many stores, worked out in other ways, right and wrong."""

import math
from bisect import bisect_left
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np

LIMIT = 200 * 1024 * 1024


def _measured(report: dict[str, Any]) -> tuple[int, int]:
    return report["customMetrics"]["rocksdbSstFileSize"], report["numRowsTotal"]


def right_with_fractions(report: dict, cores: int, rows: int) -> int | None:
    """Exact fractions, rounded up once, at the end."""
    size, now = _measured(report)
    if size == 0 or now == 0:
        return None
    rounds = Fraction(size, now) * rows / (LIMIT * cores)
    return cores * max(1, math.ceil(rounds))


def right_quotient_and_rest(report: dict, cores: int, rows: int) -> int | None:
    """divmod: one more round where anything is left."""
    size, now = _measured(report)
    if not (size and now):
        return None
    rounds, rest = divmod(size * rows, now * LIMIT * cores)
    if rest:
        rounds += 1
    return cores if rounds == 0 else rounds * cores


def right_first_that_is_enough(report: dict, cores: int, rows: int) -> int | None:
    """Tries the multiples of the cores, one after the other."""
    size, now = _measured(report)
    if min(size, now) <= 0:
        return None
    return next(n for n in count(cores, cores) if rows * size / now / n <= LIMIT)


def right_a_float_by_numpy(report: dict, cores: int, rows: int) -> float | None:
    """numpy's ceil, which gives a float: "an int or a float"."""
    size, now = _measured(report)
    if 0 in (size, now):
        return None
    bytes_a_row = size / now
    rounds = np.ceil(bytes_a_row * rows / LIMIT / cores)
    return float(np.maximum(rounds, 1) * cores)


def right_megabytes_and_two_steps(report: dict, cores: int, rows: int) -> int | None:
    """The size of the whole in MB, then the stores, then up to a multiple of the cores."""
    try:
        megabytes = report["customMetrics"]["rocksdbSstFileSize"] / 2**20 / report["numRowsTotal"]
    except ZeroDivisionError:
        return None
    if not megabytes:
        return None
    stores = max(cores, math.ceil(megabytes * rows / 200))
    beyond = stores % cores
    return stores if beyond == 0 else stores + cores - beyond


def wrong_always_a_round_more(report: dict, cores: int, rows: int) -> int | None:
    """The whole rounds and one more, also where the stores are filled to the last byte."""
    size, now = _measured(report)
    if not size or not now:
        return None
    return (int(rows * size / now / LIMIT / cores) + 1) * cores


def wrong_whole_bytes_of_a_row(report: dict, cores: int, rows: int) -> int | None:
    """Divides size by rows with //, so half a byte of each row is lost.

    "The bytes of a row are seldom a whole number: do not round them."
    """
    size, now = _measured(report)
    if not size or not now:
        return None
    return max(1, math.ceil(size // now * rows / LIMIT / cores)) * cores


def wrong_bytes_of_a_row_rounded_up(report: dict, cores: int, rows: int) -> int | None:
    """Rounds the bytes of a row up, to be on the safe side."""
    size, now = _measured(report)
    if not size or not now:
        return None
    return max(1, math.ceil(math.ceil(size / now) * rows / LIMIT / cores)) * cores


def wrong_rounded_to_the_nearest(report: dict, cores: int, rows: int) -> int | None:
    """round() where it has to be up: stores above 200 MB."""
    size, now = _measured(report)
    if not size or not now:
        return None
    return max(1, round(rows * size / now / LIMIT / cores)) * cores


def wrong_kilobytes(report: dict, cores: int, rows: int) -> int | None:
    """200 · 1024 for 200 MB."""
    size, now = _measured(report)
    if not size or not now:
        return None
    return max(1, math.ceil(rows * size / now / (200 * 1024) / cores)) * cores


def wrong_only_the_bytes_are_asked(report: dict, cores: int, rows: int) -> int | None:
    """Asks whether there are bytes, not whether there are rows: divides by 0 in call 8."""
    size, now = _measured(report)
    if not size:
        return None
    return max(1, math.ceil(rows * size / now / LIMIT / cores)) * cores


def wrong_zero_for_nothing_measured(report: dict, cores: int, rows: int) -> int | None:
    """0 where nothing was measured; None is asked for."""
    size, now = _measured(report)
    if not size or not now:
        return 0
    return max(1, math.ceil(rows * size / now / LIMIT / cores)) * cores


def wrong_no_store_for_no_row(report: dict, cores: int, rows: int) -> int | None:
    """No store for a state that will be empty; "at least `cores` itself"."""
    size, now = _measured(report)
    if not size or not now:
        return None
    return math.ceil(rows * size / now / LIMIT / cores) * cores


def wrong_least_common_multiple(report: dict, cores: int, rows: int) -> int | None:
    """The least common multiple of the stores that are needed and the cores: one multiple, not the smallest."""
    size, now = _measured(report)
    if not size or not now:
        return None
    return math.lcm(max(1, math.ceil(rows * size / now / LIMIT)), cores)


def wrong_divided_by_the_stores(report: dict, cores: int, rows: int) -> int | None:
    """Divides the bytes by the stores and leaves the rows as they are: both are sums over all stores."""
    size, now = _measured(report)
    if not size or not now:
        return None
    size = size / report["numStateStoreInstances"]
    return max(1, math.ceil(rows * size / now / LIMIT / cores)) * cores


def wrong_rows_of_today_on_top(report: dict, cores: int, rows: int) -> int | None:
    """Adds today's rows to those that the state will have at its largest."""
    size, now = _measured(report)
    if not size or not now:
        return None
    return max(1, math.ceil((rows + now) * size / now / LIMIT / cores)) * cores


def right_by_bisection(report: dict, cores: int, rows: int) -> int | None:
    """Looks for the first round of cores that holds everything by halving."""
    size, now = map(int, _measured(report))
    if 0 in (size, now):
        return None
    most = rows * size // (now * LIMIT * cores) + 1
    rounds = range(1, most + 1)
    first = bisect_left(rounds, True, key=lambda n: rows * size <= n * cores * now * LIMIT)
    return rounds[first] * cores


def right_with_decimals(report: dict, cores: int, rows: int) -> int | None:
    """Decimal numbers, multiplied first and divided once."""
    size, now = (Decimal(figure) for figure in _measured(report))
    if not (size and now):
        return None
    rounds = (rows * size / (now * LIMIT * cores)).to_integral_value(rounding=ROUND_CEILING)
    return int(max(rounds, Decimal(1))) * cores


def wrong_never_more_than_the_default(report: dict, cores: int, rows: int) -> int | None:
    """Not more than Spark's 200, however large the state.

    100 bytes a row, 1,000,000,000 rows, 8 cores: 477 stores' worth, 480 stores.
    """
    size, now = _measured(report)
    if not size or not now:
        return None
    stores = max(1, math.ceil(rows * size / now / LIMIT / cores)) * cores
    return min(stores, max(200, cores))


def wrong_a_loop_that_ends(report: dict, cores: int, rows: int) -> int | None:
    """Tries a hundred rounds of cores, and has no answer beyond.

    On one core 101 stores' worth: None, as if nothing had been measured.
    """
    size, now = _measured(report)
    if not size or not now:
        return None
    for rounds in range(1, 101):
        if rows * size / now / (rounds * cores) <= LIMIT:
            return rounds * cores
    return None


def wrong_bits_of_a_power_of_two(report: dict, cores: int, rows: int) -> int | None:
    """Rounds up with & and ~, which is good for 2, 4, 8 and 16 cores, and for no others

    With 6 cores and 9.5 stores' worth (10 + 5) & ~5 is 10, and 12 are asked for.
    """
    size, now = _measured(report)
    if not size or not now:
        return None
    needed = math.ceil(rows * size / now / LIMIT)
    return max(cores, (needed + cores - 1) & ~(cores - 1))


def wrong_never_smaller_than_today(report: dict, cores: int, rows: int) -> int | None:
    """Plans for the rows of today where those to come are fewer, as after a shorter time to live."""
    size, now = _measured(report)
    if not size or not now:
        return None
    needed = math.ceil(max(rows, now) * size / now / LIMIT)
    return max(1, math.ceil(needed / cores)) * cores
