"""Plans by which some records come twice, or never."""

import json
from collections.abc import Callable
from typing import Any

Offsets = dict[str, int]  # of one topic, by partition


def _committed(topic: str, offsets: dict[str, str], commits: list[int]) -> Offsets:
    return _offsets(topic, offsets[str(max(commits))]) if commits else {}


def _offsets(topic: str, entry: str) -> Offsets:
    found: Offsets = json.loads(entry.splitlines()[2]).get(topic, {})
    return found


def _clamped(start: int | None, end: int) -> int:
    return end if start is None else min(start, end)


def _plan(
    done: Offsets,
    day_starts: list[int | None],
    *,
    start: Callable[[int | None, int], int] = _clamped,
    end: Callable[[int], int] = int,
) -> dict[str, Any]:
    stops = [end(done.get(str(number), 0)) for number in range(len(day_starts))]
    starts = [start(began, stop) for began, stop in zip(day_starts, stops, strict=True)]
    return {"start": starts, "end": stops, "records": sum(stops) - sum(starts)}


def up_to_what_was_planned(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """Batch without a commit taken for done

    The replay ends where the newest entry ends, but that batch has no commit. Only a committed batch is certainly
    done. The query that continues reads the rest. Which log decides about `end`?
    """
    done = _offsets(topic, offsets[max(offsets, key=int)]) if offsets else {}
    return _plan(done, day_starts)


def newest_commit_as_a_text(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """Batch numbers compared as strings

    With commits 9 and 10 the replay ends where batch 9 ended. As strings "9" comes after "10". How can you compare
    them as numbers?
    """
    done = _offsets(topic, offsets[max(map(str, commits))]) if commits else {}
    return _plan(done, day_starts)


def last_commit_listed(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """Last commit of the list taken for the newest

    If the commits are listed from the newest to the oldest, the replay ends where an older batch ended. The logs
    may be in any order. Which number does the last committed batch have?
    """
    return _plan(_committed(topic, offsets, commits[-1:]), day_starts)


def partition_as_a_number(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """Partition looked up as a number

    Every `end` is 0, so there is nothing to replay, although the entry has offsets. In JSON all keys are strings:
    the offset of partition 0 is under `"0"`. Which type does your key have?
    """
    return _plan({}, day_starts)


def zero_is_no_start(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """Day that begins at offset 0 left out

    If the day begins with the first record of a partition, nothing of it is replayed. In Python 0 is false, just
    like None. Only None says that the day has no record. How can you test for None alone?
    """
    return _plan(
        _committed(topic, offsets, commits),
        day_starts,
        start=lambda start, end: min(start or end, end),
    )


def up_to_the_one_before(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """Ending offset one too low

    In each partition the replay ends one record early, and the query that continues begins there. The offset log
    has the *next* offset, and a batch read does not include its ending offset. Do you have to subtract anything?
    """
    return _plan(_committed(topic, offsets, commits), day_starts, end=lambda end: max(0, end - 1))


def quiet_partition_from_its_beginning(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """Partition without new records replayed from 0

    If `day_starts` is None, the replay begins at offset 0. None says that no record has come since the day began,
    so all records are older and would be counted twice. Where must this replay begin?
    """
    return _plan(
        _committed(topic, offsets, commits),
        day_starts,
        start=lambda start, end: min(start or 0, end),
    )


def begins_behind_its_end(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """Start after the end

    In one partition `start` is greater than `end`, and `records` is too small. The old query stopped before the
    day began there: it has read nothing of this day, and there is nothing to replay. What is the largest start
    that makes sense?
    """
    return _plan(
        _committed(topic, offsets, commits),
        day_starts,
        start=lambda start, end: end if start is None else start,
    )


def only_what_the_old_query_read(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """Partition without an offset left out

    A partition that the old query has never read is missing from the plan. All of its records are still to come,
    so its end is 0. Spark requires an offset for every partition, too. Which list says how many partitions there
    are?
    """
    done = _committed(topic, offsets, commits)
    return _plan(done, [began for n, began in enumerate(day_starts) if str(n) in done])


def all_that_was_ever_read(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """All days replayed, not one

    In each partition the replay begins at the first record. The days before were right and would be counted twice.
    Which argument says where the day begins?
    """
    return _plan(_committed(topic, offsets, commits), day_starts, start=lambda start, end: 0)


def ending_offset_counted(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """Ending offset counted as a record

    `records` is too large by one for each partition. A starting offset is included and an ending offset is not.
    How many records are in a partition that begins and ends at the same offset?
    """
    plan = _plan(_committed(topic, offsets, commits), day_starts)
    return {**plan, "records": plan["records"] + len(day_starts)}


def one_partition_counted(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """Records of one partition only

    `records` is the number of one partition. The task counts the offsets of all partitions. Over what do you have
    to sum?
    """
    plan = _plan(_committed(topic, offsets, commits), day_starts)
    return {**plan, "records": plan["end"][0] - plan["start"][0]}
