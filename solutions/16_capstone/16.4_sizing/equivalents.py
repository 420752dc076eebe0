"""Other right sums."""


def without_fractions(
    clicks: int,
    pages: int,
    core_rate: int,
    record_bytes: int,
    partition_bytes: int,
    row_bytes: int,
) -> dict[str, int]:
    """Whole numbers only: -(-a // b) rounds up."""
    cores = -(-2 * clicks // core_rate)
    rows = pages + pages + pages
    megabytes = -(-rows * row_bytes // 1_000_000)
    partitions = cores
    while partitions * 200 < megabytes:
        partitions += cores
    return {
        "memory_mb": cores * 512 + megabytes,
        "shuffle_partitions": partitions,
        "state_mb": megabytes,
        "state_rows": rows,
        "kafka_partitions": max(-(-clicks * record_bytes // partition_bytes), cores),
        "cores": cores,
    }
