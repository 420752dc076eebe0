"""Answers to 16.4: other right sums, and wrong ones."""

import math
from fractions import Fraction

import numpy as np


def right_with_fractions(
    clicks: int, pages: int, core_rate: int, record_bytes: int, partition_bytes: int, row_bytes: int
) -> dict:
    """Exact fractions, rounded up at the end of each line."""
    cores = math.ceil(Fraction(clicks, core_rate) / Fraction(1, 2))
    windows = 10 // 5 + 1
    state_mb = math.ceil(Fraction(windows * pages * row_bytes, 10**6))
    return dict(
        cores=cores,
        kafka_partitions=max(math.ceil(Fraction(clicks * record_bytes, partition_bytes)), cores),
        state_rows=windows * pages,
        state_mb=state_mb,
        shuffle_partitions=math.ceil(Fraction(state_mb, 200 * cores)) * cores,
        memory_mb=cores * 512 + state_mb,
    )


def right_by_divmod(
    clicks: int, pages: int, core_rate: int, record_bytes: int, partition_bytes: int, row_bytes: int
) -> dict:
    """Rounds up by whether there is a rest."""

    def up(a: int, b: int) -> int:
        whole, rest = divmod(a, b)
        return whole + (rest > 0)

    found = {"cores": up(clicks * 2, core_rate), "state_rows": pages * 3}
    found["state_mb"] = up(found["state_rows"] * row_bytes, 1_000_000)
    found["kafka_partitions"] = max(found["cores"], up(clicks * record_bytes, partition_bytes))
    pieces = up(found["state_mb"], 200)
    found["shuffle_partitions"] = up(pieces, found["cores"]) * found["cores"]
    found["memory_mb"] = found["state_mb"] + 512 * found["cores"]
    return found


def right_with_numpy(
    clicks: int, pages: int, core_rate: int, record_bytes: int, partition_bytes: int, row_bytes: int
) -> dict:
    """numpy's ceil, made whole numbers."""
    busy = 0.5
    cores = int(np.ceil(clicks / (core_rate * busy)))
    rows = int(np.prod([3, pages]))
    megabytes = int(np.ceil(rows * row_bytes / 1e6))
    by_bytes = int(np.ceil(clicks * record_bytes / partition_bytes))
    shuffle = np.arange(1, 100_000) * cores
    return {
        "cores": cores,
        "kafka_partitions": int(np.maximum(cores, by_bytes)),
        "state_rows": rows,
        "state_mb": megabytes,
        "shuffle_partitions": int(shuffle[shuffle * 200 >= megabytes][0]),
        "memory_mb": int(np.sum([512 * cores, megabytes])),
    }


def right_one_more_than_fits_below(
    clicks: int, pages: int, core_rate: int, record_bytes: int, partition_bytes: int, row_bytes: int
) -> dict:
    """(a - 1) // b + 1 rounds up; the multiple by adding what is missing to one."""
    cores = (2 * clicks - 1) // core_rate + 1
    kafka_partitions = (clicks * record_bytes - 1) // partition_bytes + 1
    state_rows = sum(pages for _window in ("closing", "open", "opening"))
    state_mb = (state_rows * row_bytes - 1) // 1_000_000 + 1
    pieces = (state_mb - 1) // 200 + 1
    return {
        "memory_mb": 512 * cores + state_mb,
        "cores": cores,
        "shuffle_partitions": pieces + (cores - pieces % cores) % cores,
        "kafka_partitions": kafka_partitions if kafka_partitions > cores else cores,
        "state_rows": state_rows,
        "state_mb": state_mb,
    }


def _size(**load: int) -> dict:
    cores = math.ceil(load["clicks"] / (load["core_rate"] / 2))
    needed = math.ceil(load["clicks"] * load["record_bytes"] / load["partition_bytes"])
    megabytes = math.ceil(3 * load["pages"] * load["row_bytes"] / 1_000_000)
    return {
        "cores": cores,
        "kafka_partitions": max(cores, needed),
        "state_rows": 3 * load["pages"],
        "state_mb": megabytes,
        "shuffle_partitions": cores * math.ceil(megabytes / (200 * cores)),
        "memory_mb": 512 * cores + megabytes,
    }


def wrong_units_of_two_to_the_twentieth(**load: int) -> dict:
    """Megabytes of 1,048,576 bytes; units of 1,000,000 are asked for."""
    found = _size(**load)
    megabytes = math.ceil(found["state_rows"] * load["row_bytes"] / 2**20)
    cores = found["cores"]
    return {
        **found,
        "state_mb": megabytes,
        "shuffle_partitions": cores * math.ceil(megabytes / (200 * cores)),
        "memory_mb": 512 * cores + megabytes,
    }


def wrong_topic_half_busy_too(**load: int) -> dict:
    """Reserves half of each topic's partition as well; only cores are to be half busy."""
    found = _size(**load)
    needed = math.ceil(2 * load["clicks"] * load["record_bytes"] / load["partition_bytes"])
    return {**found, "kafka_partitions": max(found["cores"], needed)}


def wrong_partitions_added_up(**load: int) -> dict:
    """Adds cores and what the bytes need, where the larger of the two is enough."""
    found = _size(**load)
    needed = math.ceil(load["clicks"] * load["record_bytes"] / load["partition_bytes"])
    return {**found, "kafka_partitions": found["cores"] + needed}


def wrong_state_beside_each_core(**load: int) -> dict:
    """The state once for each core, in place of once."""
    found = _size(**load)
    return {**found, "memory_mb": found["cores"] * (512 + found["state_mb"])}


def wrong_a_round_too_many_at_the_edge(**load: int) -> dict:
    """Rounds down and adds one: where 200 MB just fit there is a round too many."""
    found = _size(**load)
    rounds = found["state_mb"] // (200 * found["cores"]) + 1
    return {**found, "shuffle_partitions": found["cores"] * rounds}


def wrong_rounded_to_the_nearest(**load: int) -> dict:
    """`round`, where rounding up is asked for."""
    cores = max(1, round(2 * load["clicks"] / load["core_rate"]))
    needed = round(load["clicks"] * load["record_bytes"] / load["partition_bytes"])
    megabytes = round(3 * load["pages"] * load["row_bytes"] / 1_000_000)
    return {
        "cores": cores,
        "kafka_partitions": max(cores, needed),
        "state_rows": 3 * load["pages"],
        "state_mb": megabytes,
        "shuffle_partitions": cores * max(1, round(megabytes / (200 * cores))),
        "memory_mb": 512 * cores + megabytes,
    }


def wrong_multiple_of_the_topics_partitions(**load: int) -> dict:
    """A multiple of the topic's partitions, in place of the cores."""
    found = _size(**load)
    each = found["kafka_partitions"]
    return {**found, "shuffle_partitions": each * math.ceil(found["state_mb"] / (200 * each))}


def wrong_a_row_for_each_click(**load: int) -> dict:
    """A row for each click of ten seconds; the state keeps counts, not clicks."""
    found = _size(**load)
    rows, cores = 10 * load["clicks"], found["cores"]
    megabytes = math.ceil(rows * load["row_bytes"] / 1_000_000)
    return {
        **found,
        "state_rows": rows,
        "state_mb": megabytes,
        "shuffle_partitions": cores * math.ceil(megabytes / (200 * cores)),
        "memory_mb": 512 * cores + megabytes,
    }


def wrong_memory_for_each_store(**load: int) -> dict:
    """512 MB for each partition of the shuffle, in place of each core."""
    found = _size(**load)
    return {**found, "memory_mb": 512 * found["shuffle_partitions"] + found["state_mb"]}


def wrong_half_a_rate_rounded_down(**load: int) -> dict:
    """Half of an odd rate is rounded down before it divides: now and then a core too many."""
    cores = math.ceil(load["clicks"] / (load["core_rate"] // 2))
    needed = math.ceil(load["clicks"] * load["record_bytes"] / load["partition_bytes"])
    found = _size(**load)
    return {
        **found,
        "cores": cores,
        "kafka_partitions": max(cores, needed),
        "shuffle_partitions": cores * math.ceil(found["state_mb"] / (200 * cores)),
        "memory_mb": 512 * cores + found["state_mb"],
    }


def wrong_four_windows(**load: int) -> dict:
    """Four windows: counts the edges of ten seconds twice."""
    found = _size(**load)
    rows, cores = 4 * load["pages"], found["cores"]
    megabytes = math.ceil(rows * load["row_bytes"] / 1_000_000)
    return {
        **found,
        "state_rows": rows,
        "state_mb": megabytes,
        "shuffle_partitions": cores * math.ceil(megabytes / (200 * cores)),
        "memory_mb": 512 * cores + megabytes,
    }


def right_looked_for(
    clicks: int, pages: int, core_rate: int, record_bytes: int, partition_bytes: int, row_bytes: int
) -> dict:
    """Looks for each number: the smallest one with which the condition holds, found by doubling and halving."""

    def smallest(holds) -> int:
        top = 1
        while not holds(top):
            top *= 2
        low = top // 2
        while top - low > 1:
            middle = (low + top) // 2
            low, top = (low, middle) if holds(middle) else (middle, top)
        return top

    cores = smallest(lambda n: n * core_rate >= 2 * clicks)
    kafka = smallest(lambda n: n >= cores and n * partition_bytes >= clicks * record_bytes)
    rows = pages * len(range(0, 15, 5))
    megabytes = smallest(lambda n: n * 1_000_000 >= rows * row_bytes)
    rounds = smallest(lambda n: n * cores * 200 >= megabytes)
    names = "cores kafka_partitions state_rows state_mb shuffle_partitions memory_mb".split()
    found = (cores, kafka, rows, megabytes, rounds * cores, cores * 512 + megabytes)
    return dict(zip(names, found, strict=True))


def right_whole_numbers_of_numpy(
    clicks: int, pages: int, core_rate: int, record_bytes: int, partition_bytes: int, row_bytes: int
) -> dict:
    """numpy's whole numbers as they are, int64: figures of the same value, as somebody from pandas leaves them."""
    figures = np.array([clicks, pages, core_rate, record_bytes, partition_bytes, row_bytes])
    clicks, pages, core_rate, record_bytes, partition_bytes, row_bytes = figures.astype(np.int64)
    cores = -(-2 * clicks // core_rate)
    rows = 3 * pages
    megabytes = -(-rows * row_bytes // 1_000_000)
    return {
        "cores": cores,
        "kafka_partitions": np.maximum(cores, -(-clicks * record_bytes // partition_bytes)),
        "state_rows": rows,
        "state_mb": megabytes,
        "shuffle_partitions": cores * -(-megabytes // (200 * cores)),
        "memory_mb": 512 * cores + megabytes,
    }
