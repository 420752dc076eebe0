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
    """A batch without a commit is taken for done

    The replay ends where the newest entry ends, and no commit stands beside it. Only of a committed batch is it sure
    that the old query has done it. By the task the rest is read by the query that goes on.
    """
    done = _offsets(topic, offsets[max(offsets, key=int)]) if offsets else {}
    return _plan(done, day_starts)


def newest_commit_as_a_text(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """9 is taken for newer than 10

    With commits 9 and 10 the replay ends where batch 9 ended. As texts "9" comes after "10"; compare numbers.
    """
    done = _offsets(topic, offsets[max(map(str, commits))]) if commits else {}
    return _plan(done, day_starts)


def last_commit_listed(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """The last commit in the list is taken for the newest

    Where the commits are listed from the newest to the oldest, the replay ends where an older batch ended. The logs may be
    in any order: the last committed batch is the one with the greatest number.
    """
    return _plan(_committed(topic, offsets, commits[-1:]), day_starts)


def partition_as_a_number(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """Every partition ends at 0

    So there is nothing to replay, though the entry has the offsets. In JSON all keys are texts: the offset of
    partition 0 stands under `"0"`, and under the number 0 there is nothing.
    """
    return _plan({}, day_starts)


def zero_is_no_start(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """A day that begins at offset 0 is left out

    In a partition where the day begins with the first record, nothing is replayed. For Python 0 is as false as None,
    and only None says that no record has come: `is None`.
    """
    return _plan(
        _committed(topic, offsets, commits),
        day_starts,
        start=lambda start, end: min(start or end, end),
    )


def up_to_the_one_before(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """One record between the two

    The replay ends one record too early in each partition, and the query that goes on begins there. In the offset log
    stands the offset that comes *next*; and an ending offset is where a batch read stops, itself left out.
    """
    return _plan(_committed(topic, offsets, commits), day_starts, end=lambda end: max(0, end - 1))


def quiet_partition_from_its_beginning(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """A partition without news is replayed whole

    Where `day_starts` says None the replay begins at offset 0. None means that no record has come since the day began,
    so all that lie there are older: those days would be counted once more.
    """
    return _plan(
        _committed(topic, offsets, commits),
        day_starts,
        start=lambda start, end: min(start or 0, end),
    )


def begins_behind_its_end(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """A replay that begins after its end

    In a partition `start` is greater than `end`, and `records` is too small by what lies between. The old query stopped
    before the day began there: nothing of the day has been read yet, and so there is nothing to replay.
    """
    return _plan(
        _committed(topic, offsets, commits),
        day_starts,
        start=lambda start, end: end if start is None else start,
    )


def only_what_the_old_query_read(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """A partition without an offset is left out

    A partition that the old query has never read is missing from the plan. Somebody has to read it: all of it is still to
    come, so its end is 0. (Spark, too, wants every partition named.)
    """
    done = _committed(topic, offsets, commits)
    return _plan(done, [began for n, began in enumerate(day_starts) if str(n) in done])


def all_that_was_ever_read(
    topic: str, offsets: dict[str, str], commits: list[int], day_starts: list[int | None]
) -> dict[str, Any]:
    """Every day is replayed, not this one

    Each partition is replayed from its first record on. The days before were right, and would be counted once more.
    """
    return _plan(_committed(topic, offsets, commits), day_starts, start=lambda start, end: 0)
