"""Answers to 13.5: other plans of a replay, right and wrong."""

import json
import math
import re
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd


def _done(topic: str, offsets: dict, commits: list) -> dict[str, int]:
    if not commits:
        return {}
    return json.loads(offsets[str(max(commits))].splitlines()[2]).get(topic, {})


def _ends(topic: str, offsets: dict, commits: list, day_starts: list) -> list[int]:
    done = _done(topic, offsets, commits)
    return [done.get(str(number), 0) for number in range(len(day_starts))]


def _plan(ends: list[int], starts: list[int]) -> dict:
    return {"start": starts, "end": ends, "records": sum(ends) - sum(starts)}


def _starts(ends: list[int], day_starts: list) -> list[int]:
    return [e if d is None else min(d, e) for d, e in zip(day_starts, ends)]


def right_never_is_infinite(topic: str, offsets: dict, commits: list, day_starts: list) -> dict:
    """A day that has no record begins at infinity, so the smaller of the two is always the end."""
    ends = _ends(topic, offsets, commits, day_starts)
    begins = (math.inf if day is None else day for day in day_starts)
    starts = [min(pair) for pair in zip(begins, ends)]
    return {"end": ends, "start": starts, "records": sum(e - s for s, e in zip(starts, ends))}


def right_in_pandas(topic: str, offsets: dict, commits: list, day_starts: list) -> dict:
    """A row for each partition; what is missing is filled, and cut at the end."""
    done = _done(topic, offsets, commits)
    plan = pd.DataFrame({"day": pd.Series(day_starts, dtype="Int64")})
    plan["end"] = [done.get(str(number), 0) for number in plan.index]
    begun = plan["day"].fillna(plan["end"])
    plan["start"] = begun.where(begun <= plan["end"], plan["end"]).astype(int)
    return {
        "start": plan["start"].tolist(),
        "end": plan["end"].tolist(),
        "records": int((plan["end"] - plan["start"]).sum()),
    }


def right_in_numpy(topic: str, offsets: dict, commits: list, day_starts: list) -> dict:
    """Arrays, and numpy's numbers given back as they are."""
    ends = np.array(_ends(topic, offsets, commits, day_starts), dtype=np.int64)
    days = np.array([-1 if day is None else day for day in day_starts], dtype=np.int64)
    starts = np.where((days < 0) | (days > ends), ends, days)
    return {"start": list(starts), "end": list(ends), "records": (ends - starts).sum()}


@dataclass
class _Part:
    number: int
    end: int = 0
    start: int = 0

    def read_to(self, done: dict[str, int]) -> None:
        if str(self.number) in done:
            self.end = done[str(self.number)]

    def begin(self, day: int | None) -> None:
        self.start = self.end
        if day is not None and day < self.end:
            self.start = day


def right_as_objects(topic: str, offsets: dict, commits: list, day_starts: list) -> dict:
    """An object for each partition, told one thing after the other."""
    done: dict[str, int] = {}
    for number in sorted(offsets, key=int):
        if int(number) in commits:
            done = json.loads(offsets[number].rsplit("\n", 1)[-1]).get(topic) or {}
    parts = [_Part(number) for number in range(len(day_starts))]
    for part, day in zip(parts, day_starts):
        part.read_to(done)
        part.begin(day)
    return {
        "start": [part.start for part in parts],
        "end": [part.end for part in parts],
        "records": sum(part.end - part.start for part in parts),
    }


def right_counted_as_ranges(topic: str, offsets: dict, commits: list, day_starts: list) -> dict:
    """Counts the replayed offsets of each partition one by one, and goes back from the end."""
    ends, counts = [], []
    entry = offsets.get(str(max(commits, default=None)), "v1\n{}\n{}")
    read = json.loads(entry.split("\n")[2])
    for number, day in enumerate(day_starts):
        end = int(read.get(topic, {}).get(f"{number}", 0))
        ends.append(end)
        counts.append(0 if day is None else len(range(day, end)))
    starts = [end - count for end, count in zip(ends, counts)]
    return dict(start=starts, end=ends, records=sum(counts))


def wrong_zero_is_no_start(topic: str, offsets: dict, commits: list, day_starts: list) -> dict:
    """`day or end`: a day that begins at offset 0 is taken for one without a record."""
    ends = _ends(topic, offsets, commits, day_starts)
    return _plan(ends, [min(day or end, end) for day, end in zip(day_starts, ends)])


def wrong_last_commit_listed(topic: str, offsets: dict, commits: list, day_starts: list) -> dict:
    """Takes the commit that is listed last; the logs "may be in any order"."""
    ends = _ends(topic, offsets, commits[-1:], day_starts)
    return _plan(ends, _starts(ends, day_starts))


def wrong_planned_if_none_is_committed(
    topic: str, offsets: dict, commits: list, day_starts: list
) -> dict:
    """Where no batch is committed it takes the one that was planned."""
    numbers = commits or [int(number) for number in offsets]
    ends = _ends(topic, offsets, numbers, day_starts)
    return _plan(ends, _starts(ends, day_starts))


def wrong_both_ends_counted(topic: str, offsets: dict, commits: list, day_starts: list) -> dict:
    """Counts the ending offset as a record of the replay."""
    ends = _ends(topic, offsets, commits, day_starts)
    plan = _plan(ends, _starts(ends, day_starts))
    pairs = zip(plan["start"], plan["end"])
    return {**plan, "records": sum(end - start + 1 for start, end in pairs if end > start)}


def wrong_next_one_as_well(topic: str, offsets: dict, commits: list, day_starts: list) -> dict:
    """Takes the offset in the log for the last one read, and ends one later."""
    done = _done(topic, offsets, commits)
    ends = [done[str(n)] + 1 if str(n) in done else 0 for n in range(len(day_starts))]
    return _plan(ends, _starts(ends, day_starts))


def wrong_quiet_ones_counted_whole(
    topic: str, offsets: dict, commits: list, day_starts: list
) -> dict:
    """Adds up what the day lacks from all ends: a partition without a start counts from 0."""
    ends = _ends(topic, offsets, commits, day_starts)
    known = sum(min(day, end) for day, end in zip(day_starts, ends) if day is not None)
    return {**_plan(ends, _starts(ends, day_starts)), "records": sum(ends) - known}


def wrong_first_topic_of_the_entry(
    topic: str, offsets: dict, commits: list, day_starts: list
) -> dict:
    """Takes the first topic that the entry names, whichever that is."""
    done: dict[str, int] = {}
    if commits:
        read = json.loads(offsets[str(max(commits))].splitlines()[2])
        done = next(iter(read.values()), {})
    ends = [done.get(str(number), 0) for number in range(len(day_starts))]
    return _plan(ends, _starts(ends, day_starts))


def wrong_partition_as_a_number(topic: str, offsets: dict, commits: list, day_starts: list) -> dict:
    """Looks for partition 0 under the number; the keys of JSON are texts, so all ends are 0."""
    done: dict[Any, int] = _done(topic, offsets, commits)
    ends = [done.get(number, 0) for number in range(len(day_starts))]
    return _plan(ends, _starts(ends, day_starts))


def wrong_new_partition_unthought_of(
    topic: str, offsets: dict, commits: list, day_starts: list
) -> dict:
    """Takes it that the old query has read every partition: a KeyError where it has not."""
    done = _done(topic, offsets, commits)
    ends = [done[str(number)] for number in range(len(day_starts))]
    return _plan(ends, _starts(ends, day_starts))


def wrong_at_least_the_end(topic: str, offsets: dict, commits: list, day_starts: list) -> dict:
    """The greater of day and end for the smaller: "at most `end`"."""
    ends = _ends(topic, offsets, commits, day_starts)
    starts = [max(end if day is None else day, end) for day, end in zip(day_starts, ends)]
    return {"start": starts, "end": ends, "records": sum(starts) - sum(ends)}


def wrong_new_partition_from_the_day(
    topic: str, offsets: dict, commits: list, day_starts: list
) -> dict:
    """Lets a partition that was never read end where its day starts, and not at 0."""
    done = _done(topic, offsets, commits)
    ends = [done.get(str(number), day or 0) for number, day in enumerate(day_starts)]
    return _plan(ends, _starts(ends, day_starts))


def right_by_regular_expression(topic: str, offsets: dict, commits: list, day_starts: list) -> dict:
    """Finds the topic's offsets in the text of the entry, with its name in quotes, and no JSON parser."""
    ends = [0] * len(day_starts)
    if commits:
        line = offsets[f"{sorted(commits)[-1]}"].split("\n")[2]
        found = re.search(rf'"{re.escape(topic)}":\s*\{{([^}}]*)\}}', line)
        for number, end in re.findall(r'"(\d+)":\s*(\d+)', found[1] if found else ""):
            if int(number) < len(ends):
                ends[int(number)] = int(end)
    return _plan(ends, _starts(ends, day_starts))


def wrong_partitions_in_order_of_their_texts(
    topic: str, offsets: dict, commits: list, day_starts: list
) -> dict:
    """Sorts the partitions by their names, where "10" comes before "2", and takes the offsets in that order.

    Differs for a topic with eleven partitions.
    """
    done = _done(topic, offsets, commits)
    ends = [done[number] for number in sorted(done)]
    ends += [0] * (len(day_starts) - len(ends))
    return _plan(ends, _starts(ends, day_starts))


def wrong_offsets_as_they_are_listed(
    topic: str, offsets: dict, commits: list, day_starts: list
) -> dict:
    """Takes the offsets in the order of the entry, and puts a 0 for each that is missing at the end.

    Differs for {"orders": {"1": 70}} with two partitions: [70, 0] comes out, and not [0, 70].
    """
    done = _done(topic, offsets, commits)
    ends = [end for _, end in zip_longest(day_starts, done.values(), fillvalue=0)]
    return _plan(ends, _starts(ends, day_starts))


def wrong_topic_somewhere_in_the_entry(
    topic: str, offsets: dict, commits: list, day_starts: list
) -> dict:
    """Looks for the first topic whose name has the wanted one in it.

    Differs for topic "orders" and an entry {"orders_old": {"0": 5}, "orders": {"0": 90}}: 5 comes out.
    """
    done: dict[str, int] = {}
    if commits:
        entry = json.loads(offsets[str(max(commits))].splitlines()[2])
        done = next((of for name, of in entry.items() if topic in name), {})
    ends = [done.get(str(n), 0) for n in range(len(day_starts))]
    return _plan(ends, _starts(ends, day_starts))


def wrong_every_committed_entry_read(
    topic: str, offsets: dict, commits: list, day_starts: list
) -> dict:
    """Goes through all commits, and reads the entry of each; an old one may be deleted before its commit."""
    ends = [0] * len(day_starts)
    for batch in sorted(commits):
        ends = _ends(topic, offsets, [batch], day_starts)
    return _plan(ends, _starts(ends, day_starts))


def wrong_planned_where_nothing_is_committed_there(
    topic: str, offsets: dict, commits: list, day_starts: list
) -> dict:
    """Takes the end of a partition that the committed entry lacks from an entry that was only planned."""
    planned = _done(topic, offsets, [int(number) for number in offsets]) if commits else {}
    done = {**planned, **_done(topic, offsets, commits)}
    ends = [done.get(str(number), 0) for number in range(len(day_starts))]
    return _plan(ends, _starts(ends, day_starts))


def wrong_quiet_day_is_no_plan(topic: str, offsets: dict, commits: list, day_starts: list) -> dict:
    """Where no partition had a record since the day began it gives empty lists: whoever goes on needs the ends."""
    if not any(day is not None for day in day_starts):
        return _plan([], [])
    ends = _ends(topic, offsets, commits, day_starts)
    return _plan(ends, _starts(ends, day_starts))


def wrong_first_topic_that_begins_so(
    topic: str, offsets: dict, commits: list, day_starts: list
) -> dict:
    """Takes the first topic whose name begins with the one asked for: orders_of_old for orders."""
    read = json.loads(offsets[str(max(commits))].splitlines()[2]) if commits else {}
    found = next((name for name in read if name.startswith(topic)), topic)
    ends = _ends(found, offsets, commits, day_starts)
    return _plan(ends, _starts(ends, day_starts))
