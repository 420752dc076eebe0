"""Other right ways to the number of stores."""

from typing import Any


def by_counting_up(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """Adds a round of cores until no store holds too much."""
    size = report["customMetrics"]["rocksdbSstFileSize"]
    measured = report["numRowsTotal"]
    if size == 0 or measured == 0:
        return None
    stores = cores
    while rows * size > stores * measured * 200 * 1024**2:
        stores += cores
    return stores


def in_whole_numbers(report: dict[str, Any], cores: int, rows: int) -> int | None:
    """Divides integers only, and rounds up by rounding down a negative number."""
    measured = report["numRowsTotal"]
    size = report["customMetrics"].get("rocksdbSstFileSize", 0)
    if measured > 0 and size > 0:
        rounds = -(-rows * size // (measured * 200 * 2**20 * cores))
        return cores * (rounds or 1)
    return None
